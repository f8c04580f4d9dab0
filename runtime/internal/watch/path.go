package watch

import (
	"os"
	"path/filepath"
	"strings"
)

// place is a path that begins in the working folder of the moment in which it
// was named.
type place struct {
	given  string
	rooted string      // from the root, where that can be known
	here   os.FileInfo // the folder; nil where it makes no difference
}

// newPlace does not clean the path, for behind a symbolic link ".." is another
// folder than the one before.
func newPlace(path string) place {
	rooted := path == "" || os.IsPathSeparator(path[0]) || filepath.VolumeName(path) != ""
	folder, err := os.Getwd()
	if rooted || err != nil {
		return place{given: path, rooted: path}
	}
	here, _ := os.Stat(".")
	return place{path, folder + string(filepath.Separator) + path, here}
}

// path is how to get there now. From the root it may be forbidden to go where
// one stands.
func (p place) path() string {
	if p.here == nil {
		return p.rooted
	}
	if now, err := os.Stat("."); err == nil && os.SameFile(p.here, now) {
		return p.given
	}
	return p.rooted
}

// maxLinks is how many symbolic links a path may lead over, as on most systems.
const maxLinks = 40

// stepsTo are the paths that decide what an absolute path leads to: every
// symbolic link on the way and the file at the end, or the first element that
// is missing.
func stepsTo(path string) map[string]bool {
	steps := map[string]bool{}
	at, rest := root(path)
	for links := 0; len(rest) > 0 && links < maxLinks; {
		next := filepath.Join(at, rest[0]) // at has no link in it, so ".." is what it seems to be
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
	volume := filepath.VolumeName(path)
	return volume + string(filepath.Separator), split(path[len(volume):])
}

func split(path string) []string {
	return strings.FieldsFunc(filepath.ToSlash(path), func(r rune) bool { return r == '/' })
}

func foldersOf(steps map[string]bool) map[string]bool {
	folders := map[string]bool{}
	for step := range steps {
		folders[filepath.Dir(step)] = true
	}
	return folders
}
