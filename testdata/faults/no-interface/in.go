// Package in has directives on names of types that are no interfaces.
package in

import (
	"bytes"
	"net/http"
)

//resilience:breaker buffer
type Buffer = bytes.Buffer

//resilience:breaker handler
type Handler http.HandlerFunc

//resilience:breaker header
type Header http.Header
