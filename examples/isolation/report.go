package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"text/template"
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
		"What lies between is not decidable, nor is what rests on a pool that never ran out.",
		downTo, stillUp, upFrom, sameTo, sameTo, worseFrom, lateFrom)
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
		"Spread":   r.endpointTable(spreadText),
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
		all = append(all, shown{oneLine(p.title), caller, string(p.settings)})
	}
	return all
}
