package generator

import (
	"fmt"
	"go/types"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/resgen-go/resgen/directives"
)

// stream is what a method hands out and its call lasts for.
type stream struct {
	Result int    // its index
	Field  string // of the struct that it points to, which is replaced; empty: the result itself is
	By     string // function of the runtime that makes it: "Body", "Seq" or "Seq2"; empty: Type does
	Type   string // of the output, which embeds that interface

	of types.Type // an interface
}

// streamType is the type of what a method hands out in place of an interface.
type streamType struct {
	Name     string
	Method   string // that hands it out
	Of       typeCode
	Embedded string // the field of Of
	Stream   string // the field of the runtime's Stream
	Receiver string
	Value    string // variable of a result
	Err      string // variable of the last one
	Ends     []ending
	Unwraps  bool // it has Unwrap, because the interface has not
}

// ending is a method by which a stream is read or closed.
type ending struct {
	Name    string
	Params  []param
	Results []param
	By      string // method of the runtime's Stream that takes the last result
	Closes  bool   // the stream is over whatever the result
	Err     bool   // it returns false at the end, and the method Err says why
}

// resolveStream settles what a method hands out that its call lasts for.
func (c *checker) resolveStream(t *target, m *method, d directives.Directive) {
	if !m.guarded() {
		c.fault(d.Slash, d.Row.Name, "%s has no guard whose call could last; give it one", m.Name())
		return
	}
	results := m.Signature().Results()
	var held []string
	for i := range results.Len() {
		if s := streamOf(results.At(i).Type()); s != nil {
			s.Result = i
			m.stream = s
			held = append(held, c.spell(results.At(i).Type()))
		}
	}
	switch len(held) {
	case 0:
	case 1:
		return
	default:
		m.stream = nil
		c.fault(d.Slash, d.Row.Name, "%s returns %s, and a call lasts until one of its results ends; return one of them, or all in an interface with Close() error",
			m.Name(), joined(held))
		return
	}
	var returned []string
	for v := range results.Variables() {
		if !isError(v.Type()) {
			returned = append(returned, c.spell(v.Type()))
		}
	}
	c.fault(d.Slash, d.Row.Name, "%s returns %s, whose end nobody can see; what can be held is an interface with Close() error, Recv or RecvMsg, "+
		"a pointer to a struct with one exported field of such a type, iter.Seq and iter.Seq2; read the result inside, or put //resilience:none timeout on the method",
		m.Name(), nothingOr(returned))
}

func nothingOr(list []string) string {
	if len(list) == 0 {
		return "nothing"
	}
	return joined(list)
}

// streamOf is how a result is held; nil if it can't be.
func streamOf(t types.Type) *stream {
	if by := iterator(t); by != "" {
		return &stream{By: by}
	}
	if s := heldInterface(t); s != nil {
		return s
	}
	pointer, ok := t.Underlying().(*types.Pointer)
	if !ok {
		return nil
	}
	of, ok := pointer.Elem().Underlying().(*types.Struct)
	if !ok {
		return nil
	}
	var found *stream
	for f := range of.Fields() {
		s := heldInterface(f.Type())
		switch {
		case !f.Exported() || s == nil:
		case found != nil:
			return nil
		default:
			found, s.Field = s, f.Name()
		}
	}
	return found
}

// holdable reports whether a call of the method could last until its result is done.
func (m *method) holdable() bool {
	for v := range m.Signature().Results().Variables() {
		if streamOf(v.Type()) != nil {
			return true
		}
	}
	return false
}

// iterator is the function that holds an iterator; empty if t is none.
func iterator(t types.Type) string {
	named, is := types.Unalias(t).(*types.Named)
	if !is || named.Obj().Pkg() == nil || named.Obj().Pkg().Path() != "iter" {
		return ""
	}
	return named.Obj().Name() // Seq or Seq2
}

// heldInterface is how a value of an interface is held; nil if it can't be.
func heldInterface(t types.Type) *stream {
	iface, ok := t.Underlying().(*types.Interface)
	if _, param := types.Unalias(t).(*types.TypeParam); !ok || param || len(endingsOf(iface)) == 0 {
		return nil
	}
	if named, is := types.Unalias(t).(*types.Named); is && isNamed(named.Obj(), "io", "ReadCloser") {
		return &stream{By: "Body"}
	}
	if _, named := types.Unalias(t).(*types.Named); !named {
		return nil
	}
	return &stream{of: t}
}

// endingsOf are the methods of an interface that tell of its end. There are none
// if it can be neither closed nor received from.
func endingsOf(iface *types.Interface) (ends []*types.Func) {
	ending := false
	for m := range iface.Methods() {
		switch sig := m.Signature(); {
		case m.Name() == "Close" && sig.Params().Len() == 0 && onlyError(sig), m.Name() == "RecvMsg" && onlyError(sig),
			(m.Name() == "Recv" || m.Name() == "CloseAndRecv") && sig.Params().Len() == 0 && sig.Results().Len() == 2 && returnsError(sig):
			ending = true
		case m.Name() == "Read" && isRead(sig):
		case m.Name() == "Next" && sig.Params().Len() == 0 && sig.Results().Len() == 1 && types.Identical(sig.Results().At(0).Type(), types.Typ[types.Bool]):
		default:
			continue
		}
		ends = append(ends, m)
	}
	if !ending {
		return nil
	}
	return ends
}

func onlyError(sig *types.Signature) bool { return sig.Results().Len() == 1 && returnsError(sig) }

// isRead reports whether a method is that of an io.Reader.
func isRead(sig *types.Signature) bool {
	return sig.Params().Len() == 1 && types.Identical(sig.Params().At(0).Type(), types.NewSlice(types.Typ[types.Byte])) &&
		sig.Results().Len() == 2 && types.Identical(sig.Results().At(0).Type(), types.Typ[types.Int]) && returnsError(sig)
}

// streamType plans the type that a method hands out; ok is false if it hands out one
// of the runtime's.
func (p *planner) streamType(m *method, printer *printer, hidden names) (planned streamType, ok bool) {
	if m.stream == nil || m.stream.of == nil {
		return streamType{}, false
	}
	named := types.Unalias(m.stream.of).(*types.Named)
	local := spokenFor(hidden)
	planned = streamType{
		Name: m.stream.Type, Method: m.Name(), Of: printer.expression(m.stream.of), Embedded: named.Obj().Name(),
		Receiver: local.pick("s", "stream"), Value: local.pick("value", "result"), Err: local.pick("err", "failure"),
	}
	iface := named.Underlying().(*types.Interface)
	members := names{planned.Embedded: true}
	for m := range iface.Methods() {
		members.add(m.Name())
	}
	planned.Stream = members.pick("stream", "call")
	for _, fn := range endingsOf(iface) {
		sig := fn.Signature()
		end := ending{Name: fn.Name(), By: "Read", Closes: strings.HasPrefix(fn.Name(), "Close")}
		if end.Name == "Next" {
			end.By = "Next"
			errs, _, _ := types.LookupFieldOrMethod(named, false, nil, "Err")
			said, is := errs.(*types.Func)
			end.Err = is && said.Signature().Params().Len() == 0 && onlyError(said.Signature())
		}
		params := spokenFor(local)
		for i := range sig.Params().Len() {
			end.Params = append(end.Params, printer.param(params.pick(fmt.Sprint("p", i)), sig.Params().At(i).Type(), false))
		}
		end.Results = printer.params(sig.Results(), false)
		planned.Ends = append(planned.Ends, end)
	}
	unwrap, _, _ := types.LookupFieldOrMethod(named, false, nil, "Unwrap")
	planned.Unwraps = unwrap == nil && planned.Embedded != "Unwrap"
	return planned, true
}

// emitStream writes the type of what a method hands out. It has the type parameters
// of the wrapper.
func (w wrapper) emitStream(file *jen.File, s streamType) {
	method := func(comment, name string, rest ...jen.Code) {
		file.Comment("// " + comment)
		file.Func().Params(jen.Id(s.Receiver).Op("*").Id(s.Name).Add(w.typeArgs())).Id(name).Add(rest...).Line()
	}
	file.Comment(fmt.Sprintf("// %s lets a call of %s last until it is closed or has ended.", s.Name, s.Method))
	file.Type().Id(s.Name).Add(typeParams(w.TypeParams)).Struct(
		s.Of.code, jen.Id(s.Stream).Op("*").Id(w.Names.Runtime).Dot("Stream"),
	).Line()
	for _, end := range s.Ends {
		method(end.Name+" tells the call of its end.", end.Name, signature(end.Params, end.Results), jen.Block(s.body(end)...))
	}
	if s.Unwraps {
		method("Unwrap is what the client returned. To close that alone does not end the call.", "Unwrap",
			jen.Params(), s.Of.code, jen.Block(jen.Return(s.field(s.Embedded))))
	}
}

func (s streamType) field(name string) *jen.Statement { return jen.Id(s.Receiver).Dot(name) }

// body calls the method and tells the stream what it returned.
func (s streamType) body(end ending) []jen.Code {
	tell := func(last ...jen.Code) *jen.Statement {
		told := s.field(s.Stream).Dot(end.By).Call(last...)
		if end.Closes {
			told = s.field(s.Stream).Dot("Closed").Call(told)
		}
		return told
	}
	var args []jen.Code
	for _, param := range end.Params {
		args = append(args, jen.Id(param.Name))
	}
	called := s.field(s.Embedded).Dot(end.Name).Call(args...)
	switch {
	case end.By == "Next" && end.Err:
		return []jen.Code{jen.Return(tell(called, s.field(s.Embedded).Dot("Err")))}
	case end.By == "Next":
		return []jen.Code{jen.Return(tell(called, jen.Nil()))}
	case end.Name == "Close":
		return []jen.Code{jen.Return(s.field(s.Stream).Dot("Closed").Call(called))}
	case len(end.Results) == 1:
		return []jen.Code{jen.Return(tell(called))}
	}
	return []jen.Code{
		jen.List(jen.Id(s.Value), jen.Id(s.Err)).Op(":=").Add(called),
		jen.Return(jen.Id(s.Value), tell(jen.Id(s.Err))),
	}
}

// held lets the call last for what the method hands out.
func (w wrapper) held(m planned) []jen.Code {
	if m.Stream == nil {
		return nil
	}
	result := func() *jen.Statement { return jen.Id(m.Results[m.Stream.Result].Name) }
	handed, stream := result, func() *jen.Statement { return jen.Id(m.Names.Call) }
	there := jen.Id(m.Names.Err).Op("==").Nil()
	if m.Stream.Field != "" {
		handed = func() *jen.Statement { return result().Dot(m.Stream.Field) }
		there.Op("&&").Add(result()).Op("!=").Nil()
	}
	holding := stream().Dot("Body").Call(handed())
	switch m.Stream.By {
	case "Body":
	case "":
		there.Op("&&").Add(handed()).Op("!=").Nil()
		holding = jen.Id(w.Names.Runtime).Dot("Hold").Call(stream(), jen.Op("&").Id(m.Stream.Type).Add(w.typeArgs()).Values(handed(), stream()))
	default:
		holding = jen.Id(w.Names.Runtime).Dot(m.Stream.By).Call(stream(), handed())
	}
	return []jen.Code{jen.If(there).Block(handed().Op("=").Add(holding))}
}

// lasting is the body of a method whose call lasts until what it returned is done.
func (w wrapper) lasting(m planned) []jen.Code {
	body := append(w.begin(m), w.made(m)...)
	return append(body, jen.Return(m.targets()...))
}
