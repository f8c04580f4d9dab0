// Go passes over files of such names.
package in

type ResilientFree struct{}
