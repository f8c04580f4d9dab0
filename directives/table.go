package directives

import (
	"fmt"
	"strings"
)

// Tool is what stands before the colon of every directive.
const Tool = "resilience"

// command reads directives, so that its name is easily taken for the tool's.
const command = "resgen"

// The names of the kinds.
const (
	Breaker    = "breaker"
	Bulkhead   = "bulkhead"
	Timeout    = "timeout"
	Anticipate = "anticipate"
	Probe      = "probe"
	None       = "none"
	Wrapper    = "wrapper"
)

// Kind declares one directive: reading it, its faults, Help and Markdown
// follow from its row in Table.
type Kind struct {
	Name   string
	On     Place
	Params []Param
	AnyOf  bool // at least one of Params must be given
	Guards bool // it guards calls, which contradicts none
	Doc    string
}

// Place is where a directive may stand: OnType, OnMethod, or both.
type Place uint8

// The places of directives.
const (
	OnType   Place = 1 << iota // in the doc comment of an interface
	OnMethod                   // in the doc comment of one of its methods
)

// Param declares one argument of a directive.
type Param struct {
	Key      string // what stands before "="; empty for the argument that has no key
	Value    string // what to write, as the documentation shows it
	Required bool
	Many     bool // it may be given more than once

	read func(*reader, Ref)
}

// Table declares every directive once.
var Table = []Kind{
	{
		Name:   Breaker,
		On:     OnType | OnMethod,
		Params: []Param{optionalName, {Key: "classify", Value: "FUNC", read: (*reader).classify}},
		Guards: true,
		Doc:    "guards with breaker NAME; FUNC tells failures from successes",
	},
	{
		Name:   Bulkhead,
		On:     OnType | OnMethod,
		Params: []Param{optionalName},
		Guards: true,
		Doc:    "guards with bulkhead NAME",
	},
	{
		Name:   Timeout,
		On:     OnType | OnMethod,
		Params: []Param{optionalName},
		Guards: true,
		Doc:    "bounds the call with timeout NAME",
	},
	{
		Name: Anticipate,
		On:   OnMethod,
		Params: []Param{
			{Key: "check", Value: "A,B…", read: (*reader).check},
			{Key: "preload", Value: "A:n,…", read: (*reader).preload},
			{Key: "lease", Value: "A:n,…", read: (*reader).lease},
		},
		AnyOf:  true,
		Guards: true,
		Doc:    "asks the checked breakers, then reserves n permits of each bulkhead, then runs the body",
	},
	{
		Name:   Probe,
		On:     OnMethod,
		Params: []Param{optionalName},
		Doc:    "makes the method, a func(context.Context) error, the health check of breaker NAME",
	},
	{
		Name:   None,
		On:     OnMethod,
		Params: []Param{{Value: "KIND…", Many: true, read: (*reader).kinds}},
		Doc:    "opts the method out of the type's directives, or only of these: " + strings.Join(typeGuards, ", "),
	},
	{
		Name:   Wrapper,
		On:     OnType,
		Params: []Param{{Value: "NAME", Required: true, read: (*reader).wrapper}},
		Doc:    "names the wrapper type, where Resilient and the interface's name is taken or unwanted",
	},
}

// optionalName is the argument that names what a directive is about.
var optionalName = Param{Value: "NAME", read: (*reader).name}

// typeGuards are the kinds that guard the methods of a type, of which none opts
// out.
var typeGuards = []string{Breaker, Bulkhead, Timeout}

// kindOf returns the row of a directive, and nil if there is none.
func kindOf(name string) *Kind {
	for i := range Table {
		if Table[i].Name == name {
			return &Table[i]
		}
	}
	return nil
}

func kindNames() []string {
	names := make([]string, len(Table))
	for i, kind := range Table {
		names[i] = kind.Name
	}
	return names
}

// Usage is the directive as it is written, optional arguments in brackets.
func (k *Kind) Usage() string {
	return strings.TrimSpace("//" + Tool + ":" + k.Name + " " + k.arguments())
}

func (k *Kind) arguments() string {
	words := make([]string, len(k.Params))
	for i, param := range k.Params {
		words[i] = param.usage()
	}
	return strings.Join(words, " ")
}

func (p *Param) usage() string {
	usage := p.Value
	if p.Key != "" {
		usage = p.Key + "=" + p.Value
	}
	if p.Required {
		return usage
	}
	return "[" + usage + "]"
}

// param returns the parameter of a key, and nil if the directive has none.
// The key of the argument without a key is empty.
func (k *Kind) param(key string) *Param {
	for i := range k.Params {
		if k.Params[i].Key == key {
			return &k.Params[i]
		}
	}
	return nil
}

// mayBeNamed reports whether the directive has a NAME that may be left out.
func (k *Kind) mayBeNamed() bool {
	name := k.param("")
	return name != nil && !name.Required && !name.Many
}

// keys are the keys of the parameters that have one.
func (k *Kind) keys() []string {
	var keys []string
	for _, param := range k.Params {
		if param.Key != "" {
			keys = append(keys, param.Key)
		}
	}
	return keys
}

// home says where the directive belongs.
func (p Place) home() string {
	switch p {
	case OnType:
		return "the doc comment of a package-level interface"
	case OnMethod:
		return "the doc comment of a method of a package-level interface"
	default:
		return "the doc comment of a package-level interface or of one of its methods"
	}
}

// list names the places, as the documentation does.
func (p Place) list() string {
	switch p {
	case OnType:
		return "type"
	case OnMethod:
		return "method"
	default:
		return "type, method"
	}
}

// Help describes every directive, for a terminal.
func Help() string {
	var b strings.Builder
	for _, kind := range Table {
		fmt.Fprintf(&b, "%s\n\ton %s: %s\n", kind.Usage(), kind.On.list(), kind.describe())
	}
	fmt.Fprintf(&b, "NAME is by default the interface's name with a lower-case first letter.\nA name is %s.\n", nameRule)
	return b.String()
}

// Markdown is the table of the directives for the documentation.
func Markdown() string {
	var b strings.Builder
	b.WriteString("| directive | on | arguments | effect |\n|---|---|---|---|\n")
	for _, kind := range Table {
		arguments := "–"
		if len(kind.Params) > 0 {
			arguments = "`" + kind.arguments() + "`"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", kind.Name, kind.On.list(), arguments, kind.describe())
	}
	return b.String()
}

func (k *Kind) describe() string {
	if k.AnyOf {
		return k.Doc + " (at least one argument)"
	}
	return k.Doc
}
