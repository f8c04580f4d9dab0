package load

import (
	"cmp"
	"errors"
	"fmt"
	"go/scanner"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/packages"
)

// Fault is an error of the go command, the parser or the type checker, in its
// own words.
type Fault struct {
	// Position has an absolute file name. It is zero only where the go command
	// gives none.
	Position token.Position
	// Message is one line.
	Message string
}

func (f Fault) Error() string {
	if !f.Position.IsValid() && f.Position.Filename == "" {
		return f.Message
	}
	return f.Position.String() + ": " + f.Message
}

// sortFaults sorts by position and drops repetitions: the go command and the
// parser may tell the same.
func sortFaults(faults []Fault) []Fault {
	slices.SortStableFunc(faults, compareFaults)
	return slices.CompactFunc(faults, func(a, b Fault) bool { return compareFaults(a, b) == 0 })
}

func compareFaults(a, b Fault) int {
	return cmp.Or(
		cmp.Compare(a.Position.Filename, b.Position.Filename),
		cmp.Compare(a.Position.Line, b.Position.Line),
		cmp.Compare(a.Position.Column, b.Position.Column),
		cmp.Compare(a.Message, b.Message),
	)
}

// syntaxFaults are the errors of the parser.
func syntaxFaults(err error) []Fault {
	var faults []Fault
	if list, ok := errors.AsType[scanner.ErrorList](err); ok {
		list.RemoveMultiples()
		for _, e := range list {
			faults = append(faults, Fault{e.Pos, e.Msg})
		}
	}
	return faults
}

// readFault is the error of reading a file or folder.
func readFault(err error) Fault {
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		return Fault{token.Position{Filename: at.Path}, at.Err.Error()}
	}
	return Fault{Message: err.Error()}
}

// listFault is an error of the go command. Its position is relative to dir.
func listFault(dir string, e packages.Error) Fault {
	position, ok := parsePosition(dir, e.Pos)
	message := e.Msg
	if !ok {
		position, message = splitPosition(dir, message)
	}
	return Fault{position, oneLine(message)}
}

// The errors of the go command about a file as a whole: it gives them no
// position.
var (
	refusedName = regexp.MustCompile(`^invalid input file name (".*")$`)
	namedFile   = regexp.MustCompile(`^(?:pattern \S+: )?(?:(?:open|stat) )?([^\s:][^:]*\.go): (.*)`)
)

// ofFile gives a fault without a position the file in dir that it speaks of.
func ofFile(dir string, fault Fault) Fault {
	if fault.Position.Filename != "" {
		return fault
	}
	name := ""
	if m := refusedName.FindStringSubmatch(fault.Message); m != nil {
		name, _ = strconv.Unquote(m[1]) // by %q
		fault.Message = "the go command refuses this file for its name; rename it"
	} else if m := namedFile.FindStringSubmatch(fault.Message); m != nil {
		name, fault.Message = m[1], m[2]
	}
	if name != "" && !filepath.IsAbs(name) {
		name = filepath.Join(dir, name)
	}
	fault.Position.Filename = name
	return fault
}

var positioned = regexp.MustCompile(`^([^\s:][^:]*(?::\d+){1,2}): (.*)`)

// splitPosition takes a position off the front of a message, where there is one.
func splitPosition(dir, message string) (token.Position, string) {
	if m := positioned.FindStringSubmatch(message); m != nil {
		if position, ok := parsePosition(dir, m[1]); ok {
			return position, m[2]
		}
	}
	return token.Position{}, message
}

// parsePosition reads file:line:col or file:line.
func parsePosition(dir, text string) (token.Position, bool) {
	file, line, column := text, 0, 0
	if rest, n, ok := cutNumber(file); ok {
		file, line = rest, n
	}
	if rest, n, ok := cutNumber(file); ok {
		file, line, column = rest, n, line
	}
	if line == 0 || file == "" {
		return token.Position{}, false
	}
	if !filepath.IsAbs(file) {
		file = filepath.Join(dir, file)
	}
	return token.Position{Filename: file, Line: line, Column: column}, true
}

func cutNumber(text string) (rest string, n int, ok bool) {
	i := strings.LastIndexByte(text, ':')
	if i < 0 {
		return text, 0, false
	}
	n, err := strconv.Atoi(text[i+1:])
	return text[:i], n, err == nil
}

func oneLine(message string) string {
	return strings.Join(strings.Fields(message), " ")
}

// commandError is the failure of the go command as a whole, with one fault a
// line where it gives positions.
func commandError(dir string, err error) error {
	reason, text, _ := strings.Cut(err.Error(), ": stderr: ")
	if text == "" {
		return errors.New(strings.TrimPrefix(reason, "err: "))
	}
	var faults []error
	for line := range strings.Lines(text) {
		if position, message := splitPosition(dir, strings.TrimSpace(line)); position.IsValid() {
			faults = append(faults, Fault{position, message})
		}
	}
	if len(faults) > 0 {
		return errors.Join(faults...)
	}
	return fmt.Errorf("go list: %s", strings.TrimPrefix(oneLine(text), "go: "))
}
