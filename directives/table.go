package directives

import (
	"fmt"
	"slices"
	"strings"
)

// Tool is what stands before the colon of every directive.
const Tool = "resilience"

// command reads directives, so that its name is easily taken for the tool's.
const command = "resgen"

// The names of the directives that have rules beside their rows.
const (
	Breaker    = "breaker"
	Bulkhead   = "bulkhead"
	Timeout    = "timeout"
	Anticipate = "anticipate"
	Probe      = "probe"
	None       = "none"
	Wrapper    = "wrapper"
	Stream     = "stream"
)

// Row declares one directive. Everything else follows from it: how the directive
// is read, its faults, Help and Markdown, and in the generator the code, its
// comments, the list of methods, the names in use and the warnings.
type Row struct {
	Name    string
	On      Place
	Params  []Param
	AnyOf   bool   // at least one of Params must be given
	Refuses bool   // it may refuse calls
	Needs   Cargo  // what a context has to carry for it; empty: it needs no context
	Repeats bool   // it may make a call more than once, so it is of no use beside a directive that is for one call
	Once    bool   // it is for one call
	Doc     string // what it does, for the documentation
}

// Place is where a directive may stand: OnType, OnMethod, or both.
type Place uint8

// The places of directives.
const (
	OnType   Place = 1 << iota // in the doc comment of an interface
	OnMethod                   // in the doc comment of one of its methods
)

// Cargo is what the context of a call carries for a guard, from its beginning to
// the return of the method.
type Cargo string

// What contexts carry.
const (
	Deadline    Cargo = "the deadline"
	Reservation Cargo = "the reservation"
)

// Param declares one argument of a directive.
type Param struct {
	Key      string // what stands before "="; empty for the argument that has no key
	Form     Form
	Required bool
	Section  *Section // of the settings, with the entries that the names are of; nil: they are of none
	Field    string   // of resilience.Guards, which it fills; empty: none
	Verb     string   // what the method does by it, such as "checks"; empty: it is guarded by it
	Type     string   // of a [Function]; empty: it judges a call
}

// Form is how an argument is written.
type Form uint8

// The forms of arguments.
const (
	OneName   Form = iota // of an entry of the settings
	NameList              // of several, each with a count or without
	CountList             // of several, each with a count
	Function              // that the interface's package sees
	Key                   // a parameter of a string type, or such a function of the parameters that returns one
	StandIn               // such a function, or another method of the interface; the method calls it in its own place
	KindList              // of directives that guard; the argument may be given more than once
	TypeName              // an identifier
)

// Section is one of the settings file, whose entries directives name.
type Section struct {
	Name string // "bulkheads"
	Noun string // one of its entries in a sentence: "bulkhead"

	// Where counts are written of its entries:
	Unit    string // what is counted: "permit"
	Counted string // the type of a count in package resilience, with the fields Entry and N: "Permits"
	Entry   string // the field with the name: "Bulkhead"
	Spent   bool   // it does not come back when a call ends
	Limit   string // the setting that no count may exceed; empty: there is none
	Unless  string // the setting without which Limit means nothing; empty: it always does

	settings map[sort]string // that are most likely meant by a value in place of a name
}

var (
	breakers = &Section{
		Name: "breakers", Noun: "breaker", Unit: "call", Counted: "Calls", Entry: "Breaker",
		settings: map[sort]string{
			number: "failureThreshold", percentage: "failureRateThreshold", duration: "testDelay", strategy: "strategy",
		},
	}
	bulkheads = &Section{
		Name: "bulkheads", Noun: "bulkhead",
		Unit: "permit", Counted: "Permits", Entry: "Bulkhead", Limit: "maxConcurrentCalls",
		settings: map[sort]string{number: "maxConcurrentCalls", duration: "maxWaitDuration", strategy: "limit"},
	}
	rateLimits = &Section{
		Name: "rateLimits", Noun: "rate limit",
		Unit: "token", Counted: "Tokens", Entry: "RateLimit", Spent: true, Limit: "burst", Unless: "limit",
		settings: map[sort]string{number: "limit", duration: "period"},
	}
	retries = &Section{
		Name: "retries", Noun: "retry policy",
		settings: map[sort]string{number: "maxAttempts", duration: "initialDelay"},
	}
	timeouts = &Section{
		Name: "timeouts", Noun: "timeout",
		settings: map[sort]string{number: "duration", duration: "duration"},
	}
	fallbacks = &Section{
		Name: "fallbacks", Noun: "fallback",
		settings: map[sort]string{boolean: "enabled"},
	}
)

// Limited reports whether entries reserve what is counted, so that a call may know the
// number.
func (s *Section) Limited() bool { return s.Limit != "" }

// Table declares every directive once. Wrappers list their guards in its order.
var Table = []Row{
	{
		Name:    Breaker,
		On:      OnType | OnMethod,
		Params:  []Param{{Section: breakers, Field: "Breaker"}, {Key: "classify", Form: Function, Field: "Classify"}, {Key: "by", Form: Key, Field: "BreakerBy"}},
		Refuses: true,
		Doc:     "guards with breaker NAME, or one of its own for each KEY; FUNC tells failures from successes",
	},
	{
		Name:    "ratelimit",
		On:      OnType | OnMethod,
		Params:  []Param{{Section: rateLimits, Field: "RateLimit"}},
		Refuses: true,
		Doc:     "limits how many calls begin in a time with rate limit NAME",
	},
	{
		Name:    Bulkhead,
		On:      OnType | OnMethod,
		Params:  []Param{{Section: bulkheads, Field: "Bulkhead"}, {Key: "by", Form: Key, Field: "BulkheadBy"}},
		Refuses: true,
		Doc:     "guards with bulkhead NAME, or one of its own for each KEY",
	},
	{
		Name:   Timeout,
		On:     OnType | OnMethod,
		Params: []Param{{Section: timeouts, Field: "Timeout"}, {Key: "by", Form: Key, Field: "TimeoutBy"}},
		Needs:  Deadline,
		Doc:    "bounds the call with timeout NAME, or one of its own for each KEY",
	},
	{
		Name: "retry",
		On:   OnMethod,
		Params: []Param{
			{Section: retries, Field: "Retry", Verb: "tries again by"},
			{Key: "when", Form: Function, Type: "func(error) bool", Field: "When"},
		},
		Repeats: true,
		Doc:     "makes a call again that failed, by retry policy NAME; FUNC chooses the errors",
	},
	{
		Name: Anticipate,
		On:   OnMethod,
		Params: []Param{
			{Key: "check", Form: NameList, Section: breakers, Field: "Check", Verb: "checks"},
			{Key: "rate", Form: CountList, Section: rateLimits, Field: "Rate", Verb: "takes"},
			{Key: "preload", Form: CountList, Section: bulkheads, Field: "Preload", Verb: "preloads"},
			{Key: "lease", Form: CountList, Section: bulkheads, Field: "Lease", Verb: "leases"},
		},
		AnyOf:   true,
		Refuses: true,
		Needs:   Reservation,
		Once:    true,
		Doc:     "asks the checked breakers, then takes n tokens of each rate limit and n permits of each bulkhead, then runs the body",
	},
	{
		Name: "fallback",
		On:   OnMethod,
		Params: []Param{
			{Section: fallbacks, Field: "Fallback"},
			{Key: "with", Form: StandIn, Required: true, Verb: "falls back on"},
		},
		Doc: "answers with FUNC, a function or another method, where the call failed or was refused; NAME says when",
	},
	{
		Name: Stream,
		On:   OnMethod,
		Once: true,
		Doc:  "lets the call last until what it returned is closed, has been read to its end, or has failed",
	},
	{
		Name:   Probe,
		On:     OnMethod,
		Params: []Param{{Section: breakers}},
		Once:   true,
		Doc:    "makes the method, a func(context.Context) error, the health check of breaker NAME",
	},
	{
		Name:   None,
		On:     OnMethod,
		Params: []Param{{Form: KindList}},
		Doc:    "opts the method out of the type's directives, or only of these",
	},
	{
		Name:   Wrapper,
		On:     OnType,
		Params: []Param{{Form: TypeName, Required: true}},
		Doc:    "names the wrapper type, where Resilient and the interface's name is taken or unwanted",
	},
}

// Guards reports whether the directive puts something before calls.
func (r *Row) Guards() bool {
	return slices.ContainsFunc(r.Params, func(p Param) bool { return p.Field != "" })
}

// Answers reports whether the directive gives the method an answer in place of a
// refusal, so that it needs no error to return one.
func (r *Row) Answers() bool {
	return slices.ContainsFunc(r.Params, func(p Param) bool { return p.Form == StandIn })
}

// typeGuards are the directives that guard the methods of a type, of which none
// opts out.
func typeGuards() []string {
	var names []string
	for _, row := range Table {
		if row.On&OnType != 0 && row.Guards() {
			names = append(names, row.Name)
		}
	}
	return names
}

// RowOf returns the row of a directive, and nil if there is none.
func RowOf(name string) *Row {
	for i := range Table {
		if Table[i].Name == name {
			return &Table[i]
		}
	}
	return nil
}

func rowNames() []string {
	names := make([]string, len(Table))
	for i, row := range Table {
		names[i] = row.Name
	}
	return names
}

// Usage is the directive as it is written, optional arguments in brackets.
func (r *Row) Usage() string {
	return strings.TrimSpace("//" + Tool + ":" + r.Name + " " + r.arguments())
}

func (r *Row) arguments() string {
	words := make([]string, len(r.Params))
	for i, param := range r.Params {
		words[i] = param.usage()
	}
	return strings.Join(words, " ")
}

func (p *Param) usage() string {
	usage := p.Form.value()
	if p.Key != "" {
		usage = p.Key + "=" + usage
	}
	if p.Required {
		return usage
	}
	return "[" + usage + "]"
}

// value is an argument of the form, as the documentation shows it.
func (f Form) value() string {
	return map[Form]string{OneName: "NAME", NameList: "A,B:n,…", CountList: "A:n,…", Function: "FUNC", StandIn: "FUNC", Key: "KEY", KindList: "KIND…", TypeName: "NAME"}[f]
}

// IsCode reports whether an argument of the form may name a function.
func (f Form) IsCode() bool { return f == Function || f == StandIn || f == Key }

// param returns the parameter of a key, and nil if the directive has none.
// The key of the argument without a key is empty.
func (r *Row) param(key string) *Param {
	for i := range r.Params {
		if r.Params[i].Key == key {
			return &r.Params[i]
		}
	}
	return nil
}

// many reports whether the argument may be given more than once.
func (p *Param) many() bool { return p.Form == KindList }

// mayBeNamed reports whether the directive has a NAME that may be left out.
func (r *Row) mayBeNamed() bool { return r.Section() != nil }

// Section is the section of the settings that the NAME of the directive is in;
// nil if it has no NAME, or one of something else.
func (r *Row) Section() *Section {
	if name := r.param(""); name != nil {
		return name.Section
	}
	return nil
}

// Noun is the guard that the directive is about, in a sentence.
func (r *Row) Noun() string {
	if section := r.Section(); section != nil {
		return section.Noun
	}
	return r.Name
}

// keys are the keys of the parameters that have one.
func (r *Row) keys() []string {
	var keys []string
	for _, param := range r.Params {
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
	for _, row := range Table {
		fmt.Fprintf(&b, "%s\n\ton %s: %s\n", row.Usage(), row.On.list(), row.describe())
	}
	fmt.Fprintf(&b, "NAME is by default the interface's name with a lower-case first letter.\nA name is %s.\n", nameRule)
	return b.String()
}

// Markdown is the table of the directives for the documentation.
func Markdown() string {
	var b strings.Builder
	b.WriteString("| directive | on | arguments | effect |\n|---|---|---|---|\n")
	for _, row := range Table {
		arguments := "–"
		if len(row.Params) > 0 {
			arguments = "`" + row.arguments() + "`"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", row.Name, row.On.list(), arguments, row.describe())
	}
	return b.String()
}

func (r *Row) describe() string {
	switch {
	case r.AnyOf:
		return r.Doc + " (at least one argument)"
	case slices.ContainsFunc(r.Params, func(p Param) bool { return p.Form == KindList }):
		return r.Doc + ": " + strings.Join(typeGuards(), ", ")
	}
	return r.Doc
}
