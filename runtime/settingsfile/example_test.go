package settingsfile_test

import (
	"fmt"

	"github.com/resgen-go/resgen/runtime/settingsfile"
)

// A settings file is checked as a whole: each fault has its place, what was
// found, what is allowed and the nearest right name.
func ExampleParse() {
	_, err := settingsfile.Parse("resilience.json", []byte(`{
  "breakers": {"payments": {"failureTreshold": 3, "testDelay": "-1s"}},
  "bulkheads": {"payments": {"maxConcurrentCalls": 0}},
}`))
	fmt.Println(err)
	// Output:
	// resilience.json:2:29: breakers.payments.failureTreshold: no such setting; did you mean failureThreshold?
	// resilience.json:2:64: breakers.payments.testDelay: "-1s" is outside [0s, 8760h]
	// resilience.json:3:52: bulkheads.payments.maxConcurrentCalls: 0 is outside [1, 1000000]
}
