// Package stand is what the experiment measures: two dependencies on loopback,
// a proxy before the first that makes it slow or dead, and services that call
// both through generated wrappers.
//
// It knows nothing of load, of what is compared, or of reports.
package stand
