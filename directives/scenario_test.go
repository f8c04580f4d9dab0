package directives_test

import (
	"strings"
	"testing"
)

func TestScenario43ACheckedNameThatIsNoNameIsAFault(t *testing.T) {
	for _, name := range []string{"a/b", "-a", "ä", `"a b"`, "default"} {
		src := "package p\n\ntype I interface {\n\t//resilience:anticipate check=" + name + "\n\tDo() error\n}\n"
		if got := report(t, []byte(src)); !strings.Contains(got, "in.go:4:32: resilience:anticipate: ") || !strings.Contains(got, " name") {
			t.Errorf("check=%s is read as\n%s", name, got)
		}
	}
}
