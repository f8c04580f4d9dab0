package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"text/template"

	"github.com/resgen-go/resgen/examples/isolation/internal/load"
)

//go:embed report.md.tmpl
var reportText string

var reportTemplate = template.Must(template.New("report").Parse(reportText))

// reportFile is the name of the report in its folder.
const reportFile = "report.md"

// save writes the report and its pictures into a folder.
func (r *results) save(folder string) error {
	if err := savePictures(r, folder); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, reportFile), r.report(), 0o666)
}

// marginsText says from which figures on a claim is supported or not.
func marginsText() string {
	return fmt.Sprintf("/b is down at %g %% good answers or fewer and not from %g %% on; it is up from %g %% on. "+
		"Up to %g points fewer good answers, or %g times as slow, is no difference; %g points or %g times is one. "+
		"/b is at the level of /a with %g %% of its bad answers or of its p99, and not with %g %%; %d timeout periods are a few; "+
		"a refusal is fast within a fifth of the timeout; a p99 that is a twentieth of the timeout higher is within its reference. "+
		"What lies between is not decidable, nor is what rests on a pool that never ran out. "+
		"Where /b with a pool each did well, or better by %[6]g points, the pools made the difference, however busy the machine was: "+
		"both services got the same requests at the same moments.",
		downTo, stillUp, upFrom, sameTo, sameTo, worseFrom, lateFrom, 100*levelFrom, 100*farTo, fewPeriods)
}

// report is everything in Markdown. Filling the template in can't fail: both are
// fixed.
func (r *results) report() []byte {
	var text bytes.Buffer
	err := reportTemplate.Execute(&text, map[string]any{
		"At":       r.at.Format("2 January 2006, 15:04 MST"),
		"Machine":  fmt.Sprintf("%s, %s/%s, %d CPUs", runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU()),
		"Summary":  r.summary(),
		"WarmUp":   timeText(r.warmUp),
		"Over":     timeText(r.over),
		"Verdicts": verdictTable(r.judge()),
		"Success":  r.endpointTable(okText),
		"Spread":   r.endpointTable(spreadText(load.OK)),
		"Refusals": r.endpointTable(spreadText(load.Refused)),
		"Strikes":  timeText(r.strikes),
		"Kinds":    r.endpointTable(kindsText),
		"Used":     r.resourceTable(),
		"Sent":     r.endpointTable(sentText),
		"OutFrom":  outFrom,
		"Settings": r.settingsShown(),
		"Notes":    r.notes,
		"Margins":  marginsText(),
	})
	if err != nil {
		panic(err)
	}
	return text.Bytes()
}

// shown is a policy in the report: its settings file, and what the caller adds.
type shown struct{ Policy, Caller, Text string }

func (r *results) settingsShown() []shown {
	var all []shown
	for _, p := range r.policies {
		caller := "the caller waits for as long as it takes"
		if p.deadline > 0 {
			caller = "the caller gives a request " + timeText(p.deadline) + " in all"
		}
		all = append(all, shown{p.title, caller, string(p.shown)})
	}
	return all
}
