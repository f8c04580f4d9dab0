package main

import "strings"

// table is one in Markdown: a head, and rows as long.
type table struct {
	head []string
	rows [][]string
}

func (t *table) add(cells ...string) { t.rows = append(t.rows, cells) }

// String is the table; a first cell that repeats the one above is left empty.
func (t *table) String() string {
	var text strings.Builder
	write := func(cells []string) {
		text.WriteString("| " + strings.Join(cells, " | ") + " |\n")
	}
	write(t.head)
	write(strings.Split(strings.Repeat("---,", len(t.head)-1)+"---", ","))
	above := ""
	for _, row := range t.rows {
		if row[0] == above {
			row = append([]string{""}, row[1:]...)
		} else {
			above = row[0]
		}
		write(row)
	}
	return text.String()
}
