package replay

import (
	"bytes"
	_ "embed"
	"html"
	"math"
	"slices"
	"strings"
	"text/template"
	"time"

	"github.com/resgen-go/resgen/internal/svgtext"
	"github.com/resgen-go/resgen/internal/timeline"
	"github.com/resgen-go/resgen/internal/trace"
	resilience "github.com/resgen-go/resgen/runtime"
)

//go:embed picture.svg.tmpl
var pictureText string

var pictureTemplate = template.Must(template.New("picture").Parse(timeline.Template + pictureText))

// Sizes, in units of the picture.
const (
	turns       = 400 // parts of the time
	turnWidth   = 2.0
	laneHeight  = 32.0
	headHeight  = 144.0
	footHeight  = 60.0 // of a panel
	legendWidth = 1186.0
	nameWidth   = 180.0
)

// lane is what became of the calls of a breaker in each part of the time.
type lane struct {
	states        [turns]resilience.State
	lost, wronged [turns]int
}

// lanes are those of all breakers. Instances of one are drawn as one, which is open
// where one of them is.
func (p *play) lanes() map[string]*lane {
	all := map[string]*lane{}
	for _, g := range p.breakers() {
		all[g] = &lane{}
	}
	for name, stays := range p.stays() {
		base, _, _ := strings.Cut(name, "/")
		for _, s := range stays {
			for t := p.turn(s.from); all[base] != nil && s.state != resilience.Closed && t <= p.turn(s.to-1) && s.to > s.from; t++ {
				if old := &all[base].states[t]; !open(*old) {
					*old = s.state
				}
			}
		}
	}
	for i, f := range p.fates {
		c := &p.trace.Calls[i]
		if l := all[p.trace.Methods[c.Method].Breaker]; l != nil && f.bad() {
			l.lost[p.turn(c.Began())]++
		}
		if l := all[f.by]; l != nil && f.refused != resilience.KindDone && refuser(f.refused) == "breaker" && c.Refused == 0 && c.Outcome == trace.Success {
			l.wronged[p.turn(c.Began())]++
		}
	}
	return all
}

// breakers are the names of breakers.
func (s *score) breakers() (all []string) {
	for _, g := range s.guards() {
		if g.Sort == "breaker" {
			all = append(all, g.Name)
		}
	}
	return all
}

// turn is the part of the time in which a moment is.
func (s *score) turn(at time.Duration) int {
	return int(max(0, min(at, s.trace.Lasts-1)) / max(1, (s.trace.Lasts+turns-1)/turns))
}

// panel is one breaker: a lane for the dependency, as it was recorded, and one for each
// run.
type panel struct {
	Y, Bottom float64
	Title     string
	Health    []timeline.Bar
	Lanes     []drawn
}

type drawn struct {
	Y                       float64
	Name                    string
	Openings, Lost, Refused string
	Bars                    []timeline.Bar
}

// tick is a mark on the axis of time.
type tick struct {
	X     float64
	Label string
}

// Draw draws what the runs made of a trace, in SVG. The first is what was recorded.
func Draw(runs []*Run) []byte {
	var panels []panel
	y := headHeight
	for _, g := range guardsOfRuns(runs) {
		if g.Sort == "breaker" {
			panels = append(panels, drawPanel(g, runs, y))
			y += laneHeight*float64(len(runs)) + footHeight + 26
		}
	}
	var picture bytes.Buffer
	err := pictureTemplate.Execute(&picture, map[string]any{
		"Panels": panels, "Legend": timeline.Legend(legendWidth, 20), "Ticks": ticks(runs[0].lasts), "Height": y, "Style": timeline.Style,
	})
	if err != nil { // can't be: the template is fixed
		panic(err)
	}
	return picture.Bytes()
}

func drawPanel(g Guard, runs []*Run, y float64) panel {
	p := panel{Y: y, Title: html.EscapeString(g.String()), Bottom: laneHeight*float64(len(runs)) + 16}
	most := 1
	for _, r := range runs {
		l := r.lanes[g.Name]
		most = max(most, slices.Max(l.lost[:]), slices.Max(l.wronged[:]))
	}
	bars := func(draw func(turn int) timeline.Bar) []timeline.Bar { return timeline.Bars(turns, turnWidth, draw) }
	p.Health = bars(func(i int) timeline.Bar { return timeline.Mark("bad", runs[0].lanes[g.Name].lost[i], most).Above(5) })
	for i, r := range runs {
		l, f := r.lanes[g.Name], r.Figures[g]
		p.Lanes = append(p.Lanes, drawn{
			Y: laneHeight * float64(i+1), Name: html.EscapeString(shownName(r.Name)),
			Openings: f.Openings.String(), Lost: f.Failed.String(), Refused: f.Refused.String(),
			Bars: slices.Concat(
				bars(func(i int) timeline.Bar { return timeline.State(l.states[i]) }),
				bars(func(i int) timeline.Bar { return timeline.Mark("lost", l.lost[i], most).Above(-4) }),
				bars(func(i int) timeline.Bar { return timeline.Mark("wronged", l.wronged[i], most).Below(4) }),
			),
		})
	}
	return p
}

// shownName is a name with an end where there is no room for more.
func shownName(name string) string {
	if svgtext.Width(name, 12, false) <= nameWidth {
		return name
	}
	runes := []rune(name)
	for svgtext.Width(string(runes)+"…", 12, false) > nameWidth {
		runes = runes[:len(runes)-1]
	}
	return string(runes) + "…"
}

// ticks are about ten marks on the axis of a time.
func ticks(lasts time.Duration) (all []tick) {
	step := time.Second
	for _, factor := range []time.Duration{2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 14400, 28800, 86400} {
		if lasts/step <= 12 {
			break
		}
		step = factor * time.Second
	}
	for lasts/step > 12 {
		step *= 2
	}
	part := max(1, (lasts+turns-1)/turns)
	for at := time.Duration(0); at <= lasts; at += step {
		all = append(all, tick{math.Round(10*turnWidth*float64(at)/float64(part)) / 10, moment(at)})
	}
	return all
}

// moment is a moment on the axis.
func moment(at time.Duration) string {
	if at == 0 {
		return "0"
	}
	return short(at)
}
