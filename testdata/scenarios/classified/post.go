package classified

// Post names a function of a package that another file imports.
//
//resilience:breaker post classify=judge.Everything
type Post interface {
	Deliver() error
}
