package generator

import (
	"go/build/constraint"
	"go/parser"
	"go/token"
	"slices"
	"strings"

	"github.com/resgen-go/resgen/generator/internal/load"
	"github.com/resgen-go/resgen/internal/fault"
)

// unseen are the files that have directives and are not part of this build. What
// is written for them in another build stays, but nobody has compared it.
func unseen(packages []*load.Package) fault.List {
	var unseen fault.List
	for _, pkg := range packages {
		for _, file := range pkg.Ignored {
			unseen = append(unseen, fault.Fault{
				Position: token.Position{Filename: file.Path},
				Message:  "not looked at, because this build leaves it out" + remedy(file),
			})
		}
	}
	return unseen
}

// remedy is how a build is had that a file is part of.
func remedy(file *load.File) string {
	syntax, err := parser.ParseFile(token.NewFileSet(), file.Path, file.Src, parser.ImportsOnly|parser.ParseComments)
	if err != nil {
		return ""
	}
	text := constraintOf(&load.File{Path: file.Path, Src: file.Src, Syntax: syntax})
	if text == "" {
		return ""
	}
	expr, err := constraint.Parse("//go:build " + text)
	if err != nil {
		return ""
	}
	return "; it needs " + text + settings(tagsFor(expr))
}

// tagsFor are tags with which a build fulfils a constraint, but for those that it
// must not have.
func tagsFor(expr constraint.Expr) []string {
	switch expr := expr.(type) {
	case *constraint.AndExpr:
		return append(tagsFor(expr.X), tagsFor(expr.Y)...)
	case *constraint.OrExpr:
		return tagsFor(expr.X)
	case *constraint.TagExpr:
		return []string{expr.Tag}
	}
	return nil
}

// settings say how resgen is run for a build with these tags.
func settings(tags []string) string {
	var environment, own []string
	for _, tag := range tags {
		switch {
		case tag == "cgo":
			environment = append(environment, "CGO_ENABLED=1")
		case tag == "unix":
			environment = append(environment, "GOOS=linux")
		case slices.Contains(systems, tag):
			environment = append(environment, "GOOS="+tag)
		case slices.Contains(architectures, tag):
			environment = append(environment, "GOARCH="+tag)
		default:
			own = append(own, tag)
		}
	}
	if len(own) > 0 {
		environment = append(environment, "-tags="+strings.Join(own, ","))
	}
	if len(environment) == 0 {
		return ""
	}
	return ": run resgen with " + strings.Join(environment, " ")
}
