package main

import (
	"testing"

	"github.com/resgen-go/resgen/runtime/settingsfile"
)

const (
	atNine = `{
	"at": "2026-12-01T09:00:00Z",
	"bulkheads": [{"name": "stock", "maxConcurrentCalls": 20, "refused": {"full": 40}}],
	"breakers": [{"name": "stock", "strategy": "CANARY_RATE_THRESHOLD"}],
	"entries": [{"method": "shop.Shop.Buy", "begun": 0}],
	"calls": [{"method": "shop.Stock.Pick", "outcome": "success", "count": 100, "sum": "10s"}],
	"methods": [{"method": "shop.Stock.Pick", "breaker": "stock", "bulkhead": "stock"}]
}`
	aMinuteLater = `{
	"at": "2026-12-01T09:01:00Z",
	"bulkheads": [
		{"name": "slips", "maxConcurrentCalls": 25, "refused": {"full": 0}},
		{"name": "stock", "maxConcurrentCalls": 20, "refused": {"full": 640}}
	],
	"breakers": [{"name": "stock", "strategy": "CANARY_RATE_THRESHOLD"}],
	"entries": [{"method": "shop.Shop.Buy", "begun": 1000, "unused": 1990}],
	"calls": [
		{"method": "shop.Stock.Pick", "outcome": "success", "count": 3070, "sum": "760s"},
		{"method": "shop.Stock.Pick", "outcome": "failure", "count": 30, "sum": "7.5s"}
	],
	"methods": [
		{"method": "shop.Shop.Buy", "reserves": [{"bulkhead": "slips", "permits": 4}]},
		{"method": "shop.Stock.Pick", "breaker": "stock", "bulkhead": "stock"}
	]
}`
)

func TestAdviseWritesASettingsFileWithItsReasons(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "a.json", atNine)
	write(t, "b.json", aMinuteLater)
	want := `// shop.Shop.Buy: of 1000 entries that reserve 4 of slips each, 1.99 permits
//   were unused and 0 calls found none, on average: write preload=slips:2
{
  "breakers": {
    // stock: 50 calls/s, of which 1 % fail: 500 calls are those of 10s, and
    //   half of them are enough to judge
    "stock": { "strategy": "CANARY_RATE_THRESHOLD", "slidingWindowSize": 500, "minimumNumberOfCalls": 250 },
  },
  "bulkheads": {
    // slips: too little traffic: 0 calls in 1m, and a proposal needs 100 in 10s
    // stock: 60 calls/s of 253ms need 15.2 permits; two square roots more for
    //   chance make 23; 600 were refused; now 20
    "stock": { "maxConcurrentCalls": 23 },
  },
}
`
	expect(t, exitFine, want, "", "advise", "b.json", "a.json")
	if _, err := settingsfile.Parse("advice", []byte(want)); err != nil {
		t.Error(err)
	}
	expect(t, exitUsage, "", "resgen advise: give two snapshots or more\n", "advise")
	expect(t, exitFault, "", "resgen advise: one snapshot is a moment; give two or more, taken apart at the busiest time\n", "advise", "a.json")
	write(t, "settings.json", `{"bulkheads": []}`)
	expect(t, exitFault, "", "resgen advise: settings.json: not a snapshot: it has no time \"at\"\n", "advise", "a.json", "settings.json")
	expect(t, exitFault, "", "resgen advise: open none.json: no such file or directory\n", "advise", "a.json", "none.json")
}
