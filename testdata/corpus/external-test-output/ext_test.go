package svc_test

import (
	"testing"

	"github.com/resgen-go/resgen/testdata/corpus/external-test-output"
)

func TestUser(t *testing.T) {
	if (svc.User{ID: "x"}).ID != "x" {
		t.Fatal("no")
	}
}
