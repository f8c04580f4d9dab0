package directives_test

import (
	"strings"
	"testing"
)

func TestScenario43ACheckedNameThatIsNoNameIsAFault(t *testing.T) {
	for _, name := range []string{"a/", "-a", "ä", `"a b"`, "default"} {
		src := "package p\n\ntype I interface {\n\t//resilience:anticipate check=" + name + "\n\tDo() error\n}\n"
		if got := report(t, []byte(src)); !strings.Contains(got, "in.go:4:32: resilience:anticipate: ") || !strings.Contains(got, " name") {
			t.Errorf("check=%s is read as\n%s", name, got)
		}
	}
}

func TestACheckedNameMayHaveAnInstance(t *testing.T) {
	const src = "package p\n\ntype I interface {\n\t//resilience:anticipate check=a,a/8.8.8.8:53\n\tDo() error\n\t//resilience:breaker b/c\n\tSee() error\n}\n"
	got := report(t, []byte(src))
	if !strings.Contains(got, "check=a/8.8.8.8:53 at 4:34") || strings.Contains(got, "anticipate: ") || !strings.Contains(got, `"b/c" is not a valid name`) {
		t.Errorf("read as\n%s", got)
	}
}
