package reservation

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/analysis"

	"github.com/resgen-go/resgen/vet/internal/entries"
	"github.com/resgen-go/resgen/vet/internal/guards"
)

// reportTickets reports a straight path with more calls on a bulkhead than the
// entry has tickets, or on a rate limit than it has tokens.
func reportTickets(pass *analysis.Pass, e *entries.Entry) {
	p := path{Entry: e}
	p.list(e.Decl.Body.List)
	for _, preload := range e.Method.Preload {
		calls, first := p.exceed(preload, func(m guards.Method) string { return m.Bulkhead })
		if first != nil {
			pass.ReportRangef(first, "%d calls on bulkhead %s on this path, but %s preloads %d: "+
				"write preload=%[2]s:%[1]d, or lease=%[2]s:n, whose permits serve call after call",
				calls, preload.Name, e, preload.N)
		}
	}
	for _, rate := range e.Method.Rate {
		calls, first := p.exceed(rate, func(m guards.Method) string { return m.RateLimit })
		if first != nil {
			pass.ReportRangef(first, "%d calls on rate limit %s on this path, but %s takes %d of its tokens: write rate=%[2]s:%[1]d",
				calls, rate.Name, e, rate.N)
		}
	}
}

// exceed counts the calls for which an entry reserves something. The first for which
// there is nothing left is nil where there is enough, or where only the call knows.
func (p *path) exceed(reserved guards.Count, name func(guards.Method) string) (calls int64, first ast.Node) {
	for _, s := range p.steps {
		if name(s.call.Method) == reserved.Name {
			calls += s.times
		}
		if first == nil && reserved.N > 0 && calls > int64(reserved.N) {
			first = s.call
		}
	}
	return calls, first
}

// path follows the one way through a body on which every guarded call succeeds
// and no branch is taken. It ends where that is in doubt.
type path struct {
	*entries.Entry
	steps   []step
	looping bool
}

// step is a guarded call with a context derived from the entry's.
type step struct {
	call  guards.Call
	times int64
}

// list follows statements; false where the path ends in them.
func (p *path) list(statements []ast.Stmt) bool {
	return !slices.ContainsFunc(statements, func(s ast.Stmt) bool { return !p.statement(s) })
}

func (p *path) statement(s ast.Stmt) bool {
	switch s := s.(type) {
	case *ast.BlockStmt:
		return p.list(s.List)
	case *ast.ReturnStmt:
		p.calls(s)
		return false
	case *ast.BranchStmt, *ast.LabeledStmt:
		return false
	case *ast.DeferStmt:
		return true
	case *ast.GoStmt:
		if !p.Outlives(s) {
			p.calls(s.Call)
		}
		return true
	case *ast.IfStmt:
		p.calls(s.Init, s.Cond)
		return p.passes(s)
	case *ast.SwitchStmt:
		p.calls(s.Init, s.Tag)
		return p.passes(s.Body)
	case *ast.TypeSwitchStmt:
		p.calls(s.Init, s.Assign)
		return p.passes(s.Body)
	case *ast.SelectStmt:
		return p.passes(s.Body)
	case *ast.ForStmt:
		p.calls(s.Init)
		return p.loop(p.tripsOfFor(s), s.Body)
	case *ast.RangeStmt:
		p.calls(s.X)
		return p.loop(p.tripsOfRange(s), s.Body)
	}
	p.calls(s)
	return true
}

// passes reports whether the path goes on behind branches. One that leaves for
// another reason than a failure may depend on what the calls before it gave: a
// fallback, the end of retries. Before the first call it is but a condition of
// the path.
func (p *path) passes(branches ast.Node) bool {
	return !p.leaves(branches) || len(p.steps) == 0 && !p.looping
}

// leaves reports whether a statement may leave its surroundings other than because
// of an error.
func (p *path) leaves(n ast.Node) bool {
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.ReturnStmt, *ast.BranchStmt:
			found = true
		case *ast.IfStmt:
			if p.isFailure(n.Cond) {
				found = found || n.Else != nil && p.leaves(n.Else)
				return false
			}
		}
		return !found
	})
	return found
}

// isFailure reports whether a condition only holds with an error.
func (p *path) isFailure(cond ast.Expr) bool {
	b, ok := ast.Unparen(cond).(*ast.BinaryExpr)
	if !ok {
		return false
	}
	if b.Op == token.LAND {
		return p.isFailure(b.X) || p.isFailure(b.Y)
	}
	return b.Op == token.NEQ && guards.IsError(p.TypesInfo.TypeOf(b.X)) && p.TypesInfo.Types[b.Y].IsNil()
}

// loop follows a loop that is run a number of times, unknown if negative.
func (p *path) loop(trips int64, body *ast.BlockStmt) bool {
	if trips < 0 {
		return p.passes(body)
	}
	if trips == 0 {
		return true
	}
	outer, before := p.looping, len(p.steps)
	p.looping = true
	whole := p.list(body.List)
	p.looping = outer
	if whole {
		for i := range p.steps[before:] {
			p.steps[before+i].times *= trips
		}
	}
	return whole
}

// calls adds the guarded calls that evaluating nodes surely makes.
func (p *path) calls(nodes ...ast.Node) {
	for _, n := range nodes {
		if n != nil {
			ast.Inspect(n, p.visit)
		}
	}
}

func (p *path) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.FuncLit:
		if p.Joined(n) {
			p.list(n.Body.List)
		}
		return false
	case *ast.BinaryExpr:
		if n.Op == token.LAND || n.Op == token.LOR {
			p.calls(n.X)
			return false
		}
	case *ast.CallExpr:
		call, ok := p.Call(n)
		if ok && call.Context != nil && p.Stem(call.Context) == entries.Derived {
			p.steps = append(p.steps, step{call, 1})
		}
	}
	return true
}

const unknownTrips = -1

// tripsOfRange is how often the body of a range loop runs.
func (p *path) tripsOfRange(s *ast.RangeStmt) int64 {
	x := p.TypesInfo.Types[s.X]
	if x.Value != nil {
		return tripsOf(x.Value)
	}
	t := x.Type.Underlying()
	if pointer, ok := t.(*types.Pointer); ok {
		t = pointer.Elem().Underlying()
	}
	if array, ok := t.(*types.Array); ok {
		return tripsOf(constant.MakeInt64(array.Len()))
	}
	literal, ok := ast.Unparen(s.X).(*ast.CompositeLit)
	if _, slice := t.(*types.Slice); !ok || !slice || slices.ContainsFunc(literal.Elts, isKeyed) {
		return unknownTrips
	}
	return tripsOf(constant.MakeInt64(int64(len(literal.Elts))))
}

func isKeyed(e ast.Expr) bool {
	_, ok := e.(*ast.KeyValueExpr)
	return ok
}

func tripsOf(v constant.Value) int64 {
	n, exact := constant.Int64Val(constant.ToInt(v))
	if !exact {
		return unknownTrips
	}
	return max(n, 0)
}

// tripsOfFor is how often the body of a loop for i := a; i < b; i++ runs, if a
// and b are constants and nothing else assigns i.
func (p *path) tripsOfFor(s *ast.ForStmt) int64 {
	init, isAssign := s.Init.(*ast.AssignStmt)
	cond, isBinary := s.Cond.(*ast.BinaryExpr)
	post, isStep := s.Post.(*ast.IncDecStmt)
	if !isAssign || !isBinary || !isStep || init.Tok != token.DEFINE || len(init.Lhs) != 1 || post.Tok != token.INC {
		return unknownTrips
	}
	i, _ := p.Variable(init.Lhs[0])
	tested, _ := p.Variable(cond.X)
	stepped, _ := p.Variable(post.X)
	from, to := p.TypesInfo.Types[init.Rhs[0]].Value, p.TypesInfo.Types[cond.Y].Value
	if i == nil || tested != i || stepped != i || p.Assigned(i) != 2 || from == nil || to == nil {
		return unknownTrips
	}
	trips := constant.BinaryOp(to, token.SUB, from)
	switch cond.Op {
	case token.LSS:
		return tripsOf(trips)
	case token.LEQ:
		return tripsOf(constant.BinaryOp(trips, token.ADD, constant.MakeInt64(1)))
	}
	return unknownTrips
}
