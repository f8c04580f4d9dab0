package guards

import "testing"

func TestMethodsAreAlikeWhereTheSameStandsBeforeThem(t *testing.T) {
	m := Method{Name: "Buy", Bulkhead: "shop", Entry: true, Preload: []Count{{"a", 1}}, Lease: []Count{{"b", 1}}, RateLimit: "c", Rate: []Count{{"d", 1}}, Breaker: "e", Check: []Count{{"f", 1}}}
	for what, change := range map[string]func(*Method){
		"the bulkhead": func(m *Method) { m.Bulkhead = "other" },
		"the entry":    func(m *Method) { m.Entry = false },
		"the preload":  func(m *Method) { m.Preload = []Count{{"a", 2}} },
		"the lease":    func(m *Method) { m.Lease = nil },
		"the limit":    func(m *Method) { m.RateLimit = "" },
		"the breaker":  func(m *Method) { m.Breaker = "" },
		"the gate":     func(m *Method) { m.Check = nil },
		"the rate":     func(m *Method) { m.Rate = nil },
	} {
		other := m
		if change(&other); m.Like(other) {
			t.Errorf("they are alike though %s is another", what)
		}
	}
	other := m
	if other.Name = "Sell"; !m.Like(other) {
		t.Error("they are not alike though only the name is another")
	}
}
