package prometheus_test

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/resgen-go/resgen/runtime/internal/metrics"
	resgenprom "github.com/resgen-go/resgen/runtime/prometheus"
)

var update = flag.Bool("update", false, "write the dashboard and the table of docs/metrics.md anew")

const (
	page = "../../docs/metrics.md"
	head = "| Prometheus | OpenTelemetry | unit | labels | meaning |\n|---|---|---|---|---|\n"
)

// names are those by which Prometheus knows the rows of the table.
func names(t *testing.T) []string {
	t.Helper()
	descs := make(chan *prometheus.Desc, len(metrics.Table)+1)
	resgenprom.Collector(newRegistry(t, `{}`)).Describe(descs)
	close(descs)
	var all []string
	for desc := range descs {
		name, _, _ := strings.Cut(strings.TrimPrefix(desc.String(), `Desc{fqName: "`), `"`)
		all = append(all, name)
	}
	return all
}

func table(t *testing.T) string {
	t.Helper()
	text := head
	rows := append(slices.Clone(metrics.Table), metrics.Duration)
	for i, name := range names(t) {
		m := rows[i]
		labels := strings.Join(m.Labels, ", ")
		if labels == "" {
			labels = "–"
		}
		text += fmt.Sprintf("| `%s` | `resgen.%s` | %s | %s | %s |\n", name, m.Name, m.Unit, labels, m.Help)
	}
	return text
}

func TestTheTableOfThePageIsThatOfTheCode(t *testing.T) {
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(text), head)
	if !ok {
		t.Fatalf("%s has no table", page)
	}
	i := strings.Index(rest, "\n\n")
	want := before + table(t) + rest[i+1:]
	if want == string(text) {
		return
	}
	if !*update {
		t.Fatalf("%s is out of date: go test ./runtime/prometheus -update", page)
	}
	if err := os.WriteFile(page, []byte(want), 0o666); err != nil {
		t.Fatal(err)
	}
}
