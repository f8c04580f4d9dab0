package load

import (
	"errors"
	"fmt"
	"go/scanner"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/resgen-go/resgen/internal/fault"
)

// syntaxFaults are the errors of the parser.
func syntaxFaults(err error) fault.List {
	var faults fault.List
	if list, ok := errors.AsType[scanner.ErrorList](err); ok {
		list.RemoveMultiples()
		for _, e := range list {
			faults = append(faults, fault.Fault{Position: e.Pos, Message: e.Msg})
		}
	}
	return faults
}

// readFault is the error of reading a file or folder.
func readFault(err error) fault.Fault {
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		return fault.Fault{Position: token.Position{Filename: at.Path}, Message: at.Err.Error()}
	}
	return fault.Fault{Message: err.Error()}
}

// listFault is an error of the go command. Its position is relative to dir.
func listFault(dir string, e packages.Error) fault.Fault {
	position, ok := parsePosition(dir, e.Pos)
	message := e.Msg
	if !ok {
		position, message = splitPosition(dir, message)
	}
	return fault.Fault{Position: position, Message: oneLine(message)}
}

// The errors of the go command about a file as a whole: it gives them no
// position.
var (
	refusedName = regexp.MustCompile(`^invalid input file name (".*")$`)
	namedFile   = regexp.MustCompile(`^(?:pattern \S+: )?(?:(?:open|stat) )?([^\s:][^:]*\.go): (.*)`)
)

// ofFile gives a fault without a position the file in dir that it speaks of.
func ofFile(dir string, found fault.Fault) fault.Fault {
	if found.Position.Filename != "" {
		return found
	}
	name := ""
	if m := refusedName.FindStringSubmatch(found.Message); m != nil {
		name, _ = strconv.Unquote(m[1]) // by %q
		found.Message = "the go command refuses this file for its name; rename it"
	} else if m := namedFile.FindStringSubmatch(found.Message); m != nil {
		name, found.Message = m[1], m[2]
	}
	if name != "" && !filepath.IsAbs(name) {
		name = filepath.Join(dir, name)
	}
	found.Position.Filename = name
	return found
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
	var faults fault.List
	for line := range strings.Lines(text) {
		if position, message := splitPosition(dir, strings.TrimSpace(line)); position.IsValid() {
			faults = append(faults, fault.Fault{Position: position, Message: message})
		}
	}
	if len(faults) > 0 {
		return faults
	}
	return fmt.Errorf("go list: %s", strings.TrimPrefix(oneLine(text), "go: "))
}
