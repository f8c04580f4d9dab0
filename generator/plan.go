package generator

import "github.com/dave/jennifer/jen"

// Plan says everything about one output file. It is plain data: names are chosen,
// types printed, nothing is left to decide.
type Plan struct {
	Path       string // of the output
	Source     string // the file that asks for it
	Package    string // its package clause
	ImportPath string
	Constraint string // its build constraint; empty: none
	Imports    []Import
	Wrappers   []Wrapper
}

// Wrapper is the type that guards one interface, with its constructor.
type Wrapper struct {
	Interface   string
	Name        string
	Constructor string
	TypeParams  []Param
	Error       Type // the constructor's second result: error, if that has its name here
	Methods     []Method
	Probes      []Probe
	Deprecated  string   // the paragraph that says so; empty: it is not
	Defaults    []string // names that no directive writes out, such as "breakers.payments"
	Names       WrapperNames
}

// WrapperNames are what the wrapper's own parts are called.
type WrapperNames struct {
	Next     string // field: what is wrapped
	Receiver string
	Runtime  string // package of the guards

	// Of the constructor.
	NextParam, Registry, Wiring, Wrapper, Err string
}

// Method is one method of a wrapper.
type Method struct {
	Name       string
	Params     []Param
	Results    []Param
	Deprecated string   // as of a wrapper
	Guard      *Guard   // nil: it passes through
	Why        string   // why it passes through
	Skipped    []string // guards of the type that it does not have, with the reasons
	CutOff     string   // what is read from its result after its timeout has ended
	Names      MethodNames
}

// MethodNames are the names in the body of a guarded method.
type MethodNames struct {
	Call    string
	Err     string
	Context string // the parameter; empty: there is none
	Package string // what the output imports package context as, for a method without a context
}

// Guard is all that stands before one method.
type Guard struct {
	Field    string
	Breaker  string
	Classify Function
	Bulkhead string
	Timeout  string
	Check    []string
	Preload  []Permits
	Lease    []Permits
}

// Permits are a number of permits of one bulkhead.
type Permits struct {
	Bulkhead string
	N        int
}

// Function is a function of the interface's package or, with a Package, of one
// that the output imports under that name.
type Function struct {
	Package, Name string
}

// String is the function as source code calls it.
func (f Function) String() string {
	if f.Package == "" {
		return f.Name
	}
	return f.Package + "." + f.Name
}

// Probe is a method that checks the health of a breaker's dependency.
type Probe struct {
	Breaker, Method string
}

// Param is a parameter, a result or a type parameter. The type of a variadic one
// is that of its elements.
type Param struct {
	Name     string
	Type     Type
	Variadic bool
}

// Type is a printed type.
type Type struct {
	code     *jen.Statement
	identity string // equal for identical spellings
}
