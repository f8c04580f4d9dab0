package column

import (
	"strings"
	"testing"
)

func TestWrapBreaksBetweenWords(t *testing.T) {
	long := strings.Repeat("x", 100)
	for name, c := range map[string]struct{ text, want string }{
		"short":      {"  a  b", "  a  b"},
		"just fits":  {strings.Repeat("é", 78) + " b", strings.Repeat("é", 78) + " b"},
		"too long":   {strings.Repeat("é", 79) + " b c", strings.Repeat("é", 79) + "\n    b c"},
		"long word":  {"a " + long + " b", "a\n    " + long + "\n    b"},
		"two breaks": {strings.Repeat("abcdefghi ", 15) + "end", strings.TrimSuffix(strings.Repeat("abcdefghi ", 8), " ") + "\n    " + strings.Repeat("abcdefghi ", 7) + "end"},
		"a unit":     {strings.Repeat("x", 76) + " 100 %", strings.Repeat("x", 76) + "\n    100 %"},
		"a range":    {strings.Repeat("x", 76) + " " + Together("[1, 2]"), strings.Repeat("x", 76) + "\n    [1, 2]"},
		"nothing":    {"", ""},
	} {
		if got := Wrap(c.text, "    "); got != c.want {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got, c.want)
		}
	}
}

func TestLinesGoOnWhereTheyBegin(t *testing.T) {
	word := strings.Repeat("x", 30)
	long := word + " " + word + " " + word
	want := "short\n" + word + " " + word + "\n" + word + "\n        " + word + " " + word + "\n        " + word + "\n    \tshort\n        " + word + " " + word + "\n        " + word
	if got := Lines("short\n" + long + "\n    \t" + long + "\n    \tshort\n\t" + long); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
