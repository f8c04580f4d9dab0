package generator

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// temporary begins the names of temporary files. Go passes over names with a dot.
const temporary = ".resgen-"

// replace puts text at a path at one go. It leaves nothing else behind.
func replace(path string, text []byte, mode os.FileMode) error {
	temp, release, err := createTemp(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer release()
	defer os.Remove(temp.Name()) // fails once it has its new name
	_, err = temp.Write(text)
	if err == nil {
		err = temp.Chmod(mode)
	}
	if closed := temp.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return err
	}
	return os.Rename(temp.Name(), path)
}

// createTemp creates a file that sweeps leave alone until it is released.
func createTemp(dir string) (temp *os.File, release func(), err error) {
	for {
		temp, err = os.CreateTemp(dir, temporary+"*")
		if err != nil {
			return nil, nil, err
		}
		if release, err = hold(temp.Name()); err == nil {
			return temp, release, nil
		}
		temp.Close()
		os.Remove(temp.Name())
		if !errors.Is(err, fs.ErrNotExist) { // else a sweep came before the hold
			return nil, nil, err
		}
	}
}

// sweep removes the temporary files of runs that were killed. It is no matter if
// that fails.
func (r Result) sweep() {
	folders := map[string]bool{}
	for dir := range r.folders {
		folders[dir] = true
	}
	for _, output := range r.Outputs {
		folders[filepath.Dir(output.target())] = true
	}
	for dir := range folders {
		entries, _ := os.ReadDir(dir)
		for _, entry := range entries {
			if isTemporary(entry) {
				removeAbandoned(filepath.Join(dir, entry.Name()))
			}
		}
	}
}

func isTemporary(entry os.DirEntry) bool {
	random, ok := strings.CutPrefix(entry.Name(), temporary)
	return ok && random != "" && strings.Trim(random, "0123456789") == "" && entry.Type().IsRegular()
}

// olderThan reports whether a file has not been changed for some time.
func olderThan(path string, age time.Duration) bool {
	info, err := os.Stat(path)
	return err == nil && time.Since(info.ModTime()) > age
}
