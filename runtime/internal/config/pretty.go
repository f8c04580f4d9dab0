package config

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// object is a JSON object that keeps its order.
type object []member

type member struct {
	name  string
	value any // object, []any with elements, or what encoding/json makes a scalar of
}

// pretty is a value as indented JSON with a final newline. Unlike encoding/json
// it leaves <, > and & as they are, and puts a list of scalars on one line.
func pretty(value any) []byte {
	var b bytes.Buffer
	write(&b, value, "\n")
	b.WriteByte('\n')
	return b.Bytes()
}

// write writes a value; newline begins a line with the present indentation.
func write(b *bytes.Buffer, value any, newline string) {
	switch v := value.(type) {
	case object:
		b.WriteByte('{')
		for i, m := range v {
			separate(b, i, ",", newline+"  ")
			write(b, m.name, "")
			b.WriteString(": ")
			write(b, m.value, newline+"  ")
		}
		b.WriteString(newline + "}")
	case []any:
		b.WriteByte('[')
		comma, inner, last := ",", newline+"  ", newline
		if _, nested := v[0].(object); !nested {
			comma, inner, last = ", ", "", ""
		}
		for i, element := range v {
			separate(b, i, comma, inner)
			write(b, element, inner)
		}
		b.WriteString(last + "]")
	default:
		b.Write(scalar(v))
	}
}

func separate(b *bytes.Buffer, i int, comma, newline string) {
	if i > 0 {
		b.WriteString(comma)
	}
	b.WriteString(newline)
}

func scalar(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(fmt.Sprintf("config: %v", err)) // no text, number or bool
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
