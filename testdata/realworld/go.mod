module github.com/resgen-go/resgen/testdata/realworld

go 1.26.0
