// Package pagetest looks at the live page of runtime/admin in a browser. It is a
// module of its own, because what drives browsers is for nobody but its tests,
// which skip where there is none.
package pagetest
