package main

import (
	"github.com/resgen-go/resgen/examples/isolation/internal/chart"
	"github.com/resgen-go/resgen/examples/isolation/internal/load"
)

var kindStyles = []chart.Style{
	load.OK:       {Name: "ok", Color: chart.SkyBlue, Solid: true},
	load.Refused:  {Name: "refused by a bulkhead", Color: chart.Orange, Solid: true},
	load.TimedOut: {Name: "timed out", Color: chart.Purple, Solid: true},
	load.Failed:   {Name: "error of the dependency", Color: chart.Grey, Solid: true},
}

// outcomeBars are a bar for each endpoint, made of the kinds of its answers.
func outcomeBars(c cell) []chart.Bar {
	return []chart.Bar{
		outcomeBar("/b, one pool", c.shared.b),
		outcomeBar("/b, a pool each", c.split.b),
		outcomeBar("/a, one pool", c.shared.a),
		outcomeBar("/a, a pool each", c.split.a),
	}
}

func outcomeBar(name string, r *load.Record) chart.Bar {
	bar := chart.Bar{Name: name, Note: okText(r) + " ok"}
	for _, kind := range load.Kinds {
		share, _ := r.Total.Percent(kind)
		bar.Parts = append(bar.Parts, chart.Part{Style: kindStyles[kind], Length: share})
	}
	return bar
}
