package generator

import (
	"fmt"
	"go/types"
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/resgen-go/resgen/directives"
)

// plan says everything about one output file. It is plain data: names are chosen,
// types printed, nothing is left to decide.
type plan struct {
	Path       string // of the output
	Source     string // the file that asks for it
	Package    string // its package clause
	ImportPath string
	Constraint string // its build constraint; empty: none
	Imports    []importSpec
	Wrappers   []wrapper
}

// wrapper is the type that guards one interface, with its constructor.
type wrapper struct {
	Interface   string
	Name        string
	Constructor string
	TypeParams  []param
	Error       typeCode // the constructor's second result: error, if that has its name here
	Methods     []planned
	Streams     []streamType
	Embedded    string   // alias by which it embeds the interface; empty: it has that in a field
	Sealed      []sealed // methods that it has only by this
	Probes      []probe
	Deprecated  string   // the paragraph that says so; empty: it is not
	Defaults    []string // names that no directive writes out, such as "breakers.payments"
	Names       wrapperNames
}

// wrapperNames are what the wrapper's own parts are called.
type wrapperNames struct {
	Next     string // field: what is wrapped
	Receiver string
	Runtime  string // package of the guards

	// Of the constructor.
	NextParam, Registry, Options, Wiring, Wrapper, Err string
}

// planned is one method of a wrapper. It passes through where it has no guard.
type planned struct {
	Name       string
	Params     []param
	Results    []param
	Deprecated string // as of a wrapper
	Field      string // of the wrapper, for its guard
	Guard      guard
	Why        string // why it passes through
	Silent     bool   // it returns no error
	Dropped    []dropped
	Skipped    []string // guards of the type that it does not have, with the reasons
	CutOff     string   // what is read from its result after its deadline
	Stream     *stream  // what its call lasts for; nil: it ends at the return
	Names      methodNames
}

// methodNames are the names in the body of a guarded method.
type methodNames struct {
	Call    string
	Err     string
	Lost    string // the error with which it falls back: Err, or a name of its own where the other still matters
	Guard   string // by key, of several calls; empty: one call asks for it where it begins
	Context string // the parameter; empty: there is none
	Carried bool   // the parameter carries it by its method Context
	Closes  bool   // the parameter is a request whose body a refusal closes
	Package string // what the output imports package context as, for a method without a context
}

// guard is all that stands before one method, in the order of the table of
// directives. A method without items passes through.
type guard []item

// item is one argument of a directive in force. What its row says of it is all
// that is known here: a new row needs no code.
type item struct {
	Numbers []number // by Refs, of counts that the call knows
	Row     *directives.Row
	*directives.Param
	Refs     []directives.Ref
	Code     string     // a function as source code calls it
	TypeArgs []typeCode // with which it calls that

	function   *types.Func  // nil: another method
	inBody     bool         // the method itself calls the function
	takesError bool         // a stand-in gets the error, too
	typeArgs   []types.Type // of the function
	keyParam   int          // the parameter that is a key; below 0: the function makes one
	isString   bool         // the key is a string, not of another string type
}

// dropped is a result that nobody gets where a call failed without an error and is made
// again, or answered by a fallback. So the wrapper closes it.
type dropped struct {
	Result string
	Answer bool // of an HTTP server, which is closed by its body
}

// names reports whether the item is the NAME of a guard of the method itself, not
// what an entry asks for or how a guard works.
func (i item) names() bool { return i.Key == "" && i.Section != nil }

// judge is the function that judges all results; empty if there is none.
func (g guard) judge() string {
	for _, item := range g {
		if item.inBody && item.Form == directives.Function {
			return item.Code
		}
	}
	return ""
}

// repeats reports whether the method may be called more than once.
func (g guard) repeats() bool {
	return slices.ContainsFunc(g, func(i item) bool { return i.Row.Repeats })
}

// standIn is what answers in place of the method.
func (g guard) standIn() (item, bool) { return g.of(directives.StandIn) }

// of is the first item of a form.
func (g guard) of(form directives.Form) (item, bool) {
	for _, item := range g {
		if item.Form == form {
			return item, true
		}
	}
	return item{}, false
}

// own are the items that name guards of the method itself.
func (g guard) own() guard {
	return slices.DeleteFunc(slices.Clone(g), func(i item) bool { return !i.names() })
}

// with is the first item of a directive that needs a context to carry something.
func (g guard) with(cargo directives.Cargo) (item, bool) {
	if n := slices.IndexFunc(g, func(i item) bool { return i.Row.Needs == cargo }); n >= 0 {
		return g[n], true
	}
	return item{}, false
}

// derivesContext reports whether the callee may get another context than the
// caller's.
func (g guard) derivesContext() bool {
	return slices.ContainsFunc(g, func(i item) bool { return i.Row.Needs != "" })
}

// texts are what the item is given, as directives write it.
func (i item) texts() []string {
	if i.Code != "" {
		return []string{i.Code}
	}
	var texts []string
	for _, ref := range i.Refs {
		text := ref.Text
		switch {
		case ref.Count.N > 0:
			text += fmt.Sprint(":", ref.Count.N)
		case ref.Count.Expr != "":
			text += ":" + ref.Count.Expr
		}
		texts = append(texts, text)
	}
	return texts
}

// sealed is a method that only its own package can declare.
type sealed struct{ Name, Package string }

// probe is a method that checks the health of a breaker's dependency.
type probe struct {
	Breaker, Method string
}

// param is a parameter, a result or a type parameter. The type of a variadic one
// is that of its elements.
type param struct {
	Name     string
	Type     typeCode
	Variadic bool
}

// typeCode is a printed type.
type typeCode struct {
	code     *jen.Statement
	identity string // equal for identical spellings
}
