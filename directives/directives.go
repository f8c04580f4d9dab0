// Package directives reads the comments that say how an interface is guarded:
//
//	// Payments talks to the payment provider.
//	//
//	//resilience:breaker payments
//	type Payments interface { … }
//
// It owns the language: which directives there are (Table), what they look
// like, where they stand, and every rule that can be judged from one file's
// syntax. A comment that begins as a directive is either attached to its type or
// method or reported; none is passed over in silence. One that only looks like a
// directive is reported where it may have been meant as one.
//
// What needs types (contexts, error results, classify functions, what an alias
// stands for, names that are taken) is left to the generator.
package directives

import (
	"go/ast"
	"go/token"
	"slices"
	"unicode"
	"unicode/utf8"
)

// Interface is a type of package level that carries directives, on itself or
// on a method. Its syntax is an interface, or a name or instance of a type
// that only go/types can tell to be one.
type Interface struct {
	Spec       *ast.TypeSpec
	Directives Set      // of the type itself
	Methods    []Method // the declared methods that carry directives, in their order
}

// DefaultName is the name that a directive means when it gives none: the
// interface's name with a lower-case first letter.
func (i Interface) DefaultName() string {
	first, size := utf8.DecodeRuneInString(i.Spec.Name.Name)
	return string(unicode.ToLower(first)) + i.Spec.Name.Name[size:]
}

// All are the directives of the type, and then those of its methods.
func (i Interface) All() Set {
	all := slices.Clone(i.Directives)
	for _, method := range i.Methods {
		all = append(all, method.Directives...)
	}
	return all
}

// Method is a method that an interface declares itself, with its directives.
type Method struct {
	Name       *ast.Ident
	Directives Set
}

// Set holds the directives of one type or method in the order in which they
// are written, at most one of a row.
type Set []Directive

// Get returns the directive of a row, and false if the set has none.
func (s Set) Get(name string) (Directive, bool) {
	for _, d := range s {
		if d.Row.Name == name {
			return d, true
		}
	}
	return Directive{}, false
}

// OptsOut reports whether the set opts its method out of a directive of the type.
func (s Set) OptsOut(name string) bool {
	none, ok := s.Get(None)
	return ok && (len(none.Kinds()) == 0 || slices.ContainsFunc(none.Kinds(), func(ref Ref) bool { return ref.Text == name }))
}

// Directive is one directive with its arguments.
type Directive struct {
	Row   *Row      // in Table
	Slash token.Pos // its beginning: where a fault of the whole is reported
	Args  []Argument
}

// Argument is what is written for a parameter. Refs are its parts, without those
// that are malformed and were reported.
type Argument struct {
	*Param
	Refs []Ref
}

// Ref is a name in an argument. Text is empty where it is malformed and was
// reported.
type Ref struct {
	Text  string
	Pos   token.Pos
	Count Count // of a [CountList]; of a [NameList] where one is written
}

// Count is how much of something is asked for. N is 0 where the count is malformed
// and was reported.
type Count struct {
	N    int
	Expr string // in place of N: "len(items)", or a parameter or function of the method
	Pos  token.Pos
}

// Arg is the argument of a key, empty if none is written.
func (d Directive) Arg(key string) Argument {
	for _, arg := range d.Args {
		if arg.Key == key {
			return arg
		}
	}
	return Argument{}
}

// Name is the argument that has no key and stands alone: the breaker, bulkhead or
// timeout, the breaker that is probed, or the wrapper's type. Where none is
// written it is the default name, at Slash.
func (d Directive) Name() Ref {
	if arg := d.Arg(""); arg.Param != nil && !arg.many() {
		return arg.Refs[0]
	}
	return Ref{}
}

// Unnamed reports whether the directive leaves its NAME to the default.
func (d Directive) Unnamed() bool { return d.Name().Text != "" && d.Name().Pos == d.Slash }

// Kinds are the directives that none opts out of; none given means all.
func (d Directive) Kinds() []Ref { return d.Arg("").Refs }

// put adds what an argument says. One that may be given more than once grows.
func (d *Directive) put(param *Param, refs ...Ref) {
	for i := range d.Args {
		if d.Args[i].Param == param {
			d.Args[i].Refs = append(d.Args[i].Refs, refs...)
			return
		}
	}
	d.Args = append(d.Args, Argument{param, refs})
}
