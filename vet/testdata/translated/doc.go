// want package:`.*`

// Package translated is as cgo leaves a package whose files import "C".
package translated
