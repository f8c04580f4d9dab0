package watch

import (
	"hash/maphash"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// maxLinks is how many symbolic links a path may lead over, as on most systems.
const maxLinks = 40

// stepsTo are the paths that decide what an absolute path leads to: every symbolic link on the way and the file at the
// end, or the first element that is missing.
func stepsTo(path string) map[string]bool {
	steps := map[string]bool{}
	at, rest := root(path)
	for links := 0; len(rest) > 0 && links < maxLinks; {
		next := filepath.Join(at, rest[0])
		rest = rest[1:]
		info, err := os.Lstat(next)
		if err != nil || len(rest) == 0 {
			steps[next] = true
		}
		if err != nil {
			break
		}
		if info.Mode()&os.ModeSymlink == 0 {
			at = next
			continue
		}
		links++
		steps[next] = true
		target, err := os.Readlink(next)
		if err != nil {
			break
		}
		if filepath.IsAbs(target) {
			var elements []string
			at, elements = root(target)
			rest = append(elements, rest...)
		} else {
			rest = append(split(target), rest...)
		}
	}
	return steps
}

// root splits an absolute path into its root and the elements below.
func root(path string) (string, []string) {
	volume := filepath.VolumeName(path) + string(filepath.Separator)
	return volume, split(strings.TrimPrefix(filepath.Clean(path), volume))
}

func split(path string) []string {
	return strings.FieldsFunc(path, func(r rune) bool { return r == filepath.Separator })
}

func foldersOf(steps map[string]bool) map[string]bool {
	folders := map[string]bool{}
	for step := range steps {
		folders[filepath.Dir(step)] = true
	}
	return folders
}

// mostBytes is how much of a file is compared. Beyond it only the size counts.
const mostBytes = 8 << 20

var seed = maphash.MakeSeed()

// fingerprint stands for what a path leads to.
type fingerprint struct {
	size    int64
	content uint64
	fault   string // why there is no content
}

func fingerprintOf(path string) fingerprint {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return fingerprint{fault: err.Error()}
	case !info.Mode().IsRegular(): // to open a pipe may block
		return fingerprint{fault: info.Mode().Type().String()}
	}
	f, err := os.Open(path)
	if err != nil {
		return fingerprint{fault: err.Error()}
	}
	defer f.Close()
	var hash maphash.Hash
	hash.SetSeed(seed)
	if _, err := io.Copy(&hash, io.LimitReader(f, mostBytes)); err != nil {
		return fingerprint{fault: err.Error()}
	}
	return fingerprint{size: info.Size(), content: hash.Sum64()}
}
