package reservation

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/resgen-go/resgen/vet/internal/guards"
)

// entry reserves permits that are written as in a directive: b:2 is two tickets
// of b, and =b:2 is a lease of two.
func entry(own string, reserved ...string) guards.Method {
	m := guards.Method{Bulkhead: own, Entry: true}
	for _, permits := range reserved {
		name, n, _ := strings.Cut(permits, ":")
		list := &m.Preload
		if name[0] == '=' {
			name, list = name[1:], &m.Lease
		}
		*list = append(*list, guards.Count{Name: name, N: int(n[0] - '0')})
	}
	return m
}

func TestScenario08EntriesWithinEntriesAreWorthAWarning(t *testing.T) {
	const (
		disorder = "Shop.Checkout holds permits of bulkhead b and calls Cart.Fill, which reserves from a: " +
			"against the order of names it does not wait for them; reserve from both in Shop.Checkout"
		partial = "Shop.Checkout holds permits of bulkhead b and calls Cart.Fill, which reserves 3 from a and can borrow 1: " +
			"against the order of names it does not wait for the others; reserve them in Shop.Checkout"
		same = "Shop.Checkout holds 2 permits of bulkhead b and calls Cart.Fill, which reserves 3: " +
			"when all permits are with entries that wait for more, one of them is refused; reserve the sum of 5 in Shop.Checkout"
		own = "Shop.Checkout holds 1 permit of bulkhead b and calls Cart.Fill, which reserves 1: " +
			"when all permits are with entries that wait for more, one of them is refused; reserve the sum of 1 in Shop.Checkout"
	)
	for name, c := range map[string]struct {
		outer, inner guards.Method
		want         string
	}{
		"scenario 32: the inner one is out of order":    {entry("", "b:1"), entry("", "a:1"), disorder},
		"leased permits count, too":                     {entry("", "=b:1"), entry("", "=a:1"), disorder},
		"the inner one is in order":                     {entry("", "a:1"), entry("", "b:1"), ""},
		"the outer one has both":                        {entry("", "b:1", "a:1"), entry("", "a:1"), ""},
		"a loan is not the whole: the rest is no loan":  {entry("", "b:1", "a:1"), entry("", "a:3"), partial},
		"a loan covers it":                              {entry("", "b:1", "a:3"), entry("", "a:3"), ""},
		"entry E0: both on one bulkhead":                {entry("", "b:2"), entry("", "b:3"), same},
		"entry E0: both on the last of several":         {entry("", "a:1", "b:2"), entry("", "=b:3"), same},
		"both, and out of order":                        {entry("", "b:2"), entry("", "b:3", "a:1"), disorder + "\n" + same},
		"one bulkhead, and the loan covers it":          {entry("", "b:3"), entry("", "b:3"), ""},
		"one bulkhead, for the entry's own call":        {entry("b"), entry("", "b:1"), own},
		"the permit of the entry's own call counts":     {entry("b"), entry("", "a:1"), disorder},
		"the permit of the inner one's own call counts": {entry("", "b:1"), entry("a"), disorder},
		"the permit of an own call is lent to nobody":   {entry("a", "b:1"), entry("", "a:1"), disorder},
		"an entry that reserves nothing holds nothing":  {entry(""), entry("", "a:1"), ""},
		"what is no entry wants no reservation":         {entry("", "b:1"), guards.Method{Bulkhead: "a"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			got := conflicts(holder{"Shop.Checkout", c.outer}, holder{"Cart.Fill", c.inner})
			if diff := cmp.Diff(c.want, strings.Join(got, "\n")); diff != "" {
				t.Error(diff)
			}
		})
	}
}
