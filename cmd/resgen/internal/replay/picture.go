package replay

import (
	"bytes"
	"fmt"
	"html"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/resgen-go/resgen/internal/svgtext"
	"github.com/resgen-go/resgen/internal/timeline"
	resilience "github.com/resgen-go/resgen/runtime"
)

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
	for _, name := range p.named("breaker") {
		all[name] = &lane{}
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
	for e := range p.ends(true) {
		if l := all[e.breaker]; l != nil && e.bad() {
			l.lost[p.turn(e.began)]++
		}
		if l := all[e.by]; l != nil && e.well && e.refuser() == "breaker" {
			l.wronged[p.turn(e.began)]++
		}
	}
	return all
}

// turn is the part of the time in which a moment is.
func (s *score) turn(at time.Duration) int {
	return int(max(0, min(at, s.trace.Lasts-1)) / max(1, (s.trace.Lasts+turns-1)/turns))
}

// Draw draws what the runs made of a trace, in SVG. The first is what was recorded.
func Draw(runs []*Run) []byte {
	var breakers []Guard
	for _, g := range guardsOfRuns(runs) {
		if g.Sort == "breaker" {
			breakers = append(breakers, g)
		}
	}
	panel := laneHeight*float64(len(runs)) + footHeight + 26
	var out bytes.Buffer
	fmt.Fprintf(&out, pictureHead, headHeight+panel*float64(len(breakers)), timeline.Style)
	for _, e := range timeline.Legend(legendWidth, 20) {
		fmt.Fprintf(&out, `<g transform="translate(%v %v)">%v<text x="%v" y="4">%s</text></g>`+"\n", 20+e.X, 84+e.Y, e.Mark, e.At, e.Words)
	}
	for i, g := range breakers {
		fmt.Fprintf(&out, `<g transform="translate(216 %v)">`+"\n", headHeight+panel*float64(i))
		drawPanel(&out, g, runs)
		fmt.Fprintln(&out, "</g>")
	}
	fmt.Fprintln(&out, "</svg>")
	return out.Bytes()
}

const pictureHead = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1226 %[1]v" width="1226" height="%[1]v" role="img"
     font-family="Helvetica, Arial, sans-serif" font-size="12" fill="#333">
<title>States of breakers, calls lost and calls wrongly refused, by settings</title>
<style>
    %[2]s
</style>
<rect width="1226" height="%[1]v" fill="#fff"/>
<text x="20" y="34" font-size="17" font-weight="bold">What each of the settings makes of the recorded calls</text>
<text x="20" y="56">A mark is the higher, the more calls it stands for. Calls of which nobody knows how they would have ended are drawn as if they had gone well.</text>
`

// drawPanel draws one breaker: a lane for the dependency, as it was recorded, and one
// for each run.
func drawPanel(out io.Writer, g Guard, runs []*Run) {
	text(out, -196, 0, ` font-size="14" font-weight="bold"`, g.String())
	figures(out, 0, "openings", "lost", "refused")
	bottom := laneHeight*float64(len(runs)) + 16 + 26
	for _, t := range ticks(runs[0].lasts) {
		fmt.Fprintf(out, `<line class="grid" x1="%[1]v" x2="%[1]v" y1="16" y2="%[2]v"/>`+"\n", t.X, bottom)
		text(out, t.X, bottom+16, ` text-anchor="middle"`, t.Label)
	}
	most := 1
	for _, r := range runs {
		l := r.lanes[g.Name]
		most = max(most, slices.Max(l.lost[:]), slices.Max(l.wronged[:]))
	}
	recorded := runs[0].lanes[g.Name]
	drawLane(out, 26, "the dependency", func(i int) timeline.Bar { return timeline.Mark("bad", recorded.lost[i], most).Above(5) })
	for i, r := range runs {
		l, f, y := r.lanes[g.Name], r.Figures[g], 26+laneHeight*float64(i+1)
		drawLane(out, y, shownName(r.Name),
			func(i int) timeline.Bar { return timeline.State(l.states[i]) },
			func(i int) timeline.Bar { return timeline.Mark("lost", l.lost[i], most).Above(-4) },
			func(i int) timeline.Bar { return timeline.Mark("wronged", l.wronged[i], most).Below(4) })
		figures(out, y+4, f.Openings.String(), f.Failed.String(), f.Refused.String())
	}
}

// drawLane draws bars that are seen from the middle of a lane.
func drawLane(out io.Writer, y float64, name string, bars ...func(turn int) timeline.Bar) {
	fmt.Fprintf(out, `<g transform="translate(0 %v)">`+"\n", y)
	text(out, -196, 4, "", name)
	for _, draw := range bars {
		for _, bar := range timeline.Bars(turns, turnWidth, draw) {
			fmt.Fprintln(out, bar)
		}
	}
	fmt.Fprintln(out, "</g>")
}

func figures(out io.Writer, y float64, openings, lost, refused string) {
	text(out, 860, y, ` class="figure"`, openings)
	text(out, 925, y, ` class="figure"`, lost)
	text(out, 1000, y, ` class="figure"`, refused)
}

func text(out io.Writer, x, y float64, style, words string) {
	fmt.Fprintf(out, `<text x="%v" y="%v"%s>%s</text>`+"\n", x, y, style, html.EscapeString(words))
}

// tick is a mark on the axis of time.
type tick struct {
	X     float64
	Label string
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
