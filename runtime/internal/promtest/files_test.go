package promtest

import (
	"encoding/json"
	"log/slog"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql/parser"
)

// The files of the adapter.
const (
	alertsPath    = "../../prometheus/alerts.yml"
	dashboardPath = "../../prometheus/dashboard.json"
)

// expressions are those of the dashboard, by panel, as Grafana would send them for
// all guards and instances.
func expressions(t *testing.T) map[string][]string {
	t.Helper()
	text, err := os.ReadFile(dashboardPath)
	if err != nil {
		t.Fatal(err)
	}
	var board struct {
		Annotations struct{ List []struct{ Name, Expr string } }
		Panels      []struct {
			Title   string
			Targets []struct{ Expr string }
		}
	}
	if err := json.Unmarshal(text, &board); err != nil {
		t.Fatal(err)
	}
	all := map[string][]string{}
	add := func(panel, expr string) {
		expr = strings.ReplaceAll(expr, "$__rate_interval", "3s")
		all[panel] = append(all[panel], regexp.MustCompile(`\$\w+`).ReplaceAllString(expr, ".+"))
	}
	for _, panel := range board.Panels {
		for _, target := range panel.Targets {
			add(panel.Title, target.Expr)
		}
	}
	for _, annotation := range board.Annotations.List {
		add(annotation.Name, annotation.Expr)
	}
	return all
}

func newParser() parser.Parser { return parser.NewParser(parser.Options{}) }

// rules are the alerts, each with its expression.
func rules(t *testing.T) map[string]string {
	t.Helper()
	groups, faults := rulefmt.ParseFile(alertsPath, false, model.UTF8Validation, newParser(), slog.Default())
	for _, fault := range faults {
		t.Error(fault)
	}
	all := map[string]string{}
	for _, group := range groups.Groups {
		for _, rule := range group.Rules {
			all[rule.Alert] = rule.Expr
		}
	}
	return all
}

func TestMetricsM12EveryExpressionParses(t *testing.T) {
	if got := len(rules(t)); got < 8 {
		t.Errorf("%d alerts", got)
	}
	panels := expressions(t)
	if len(panels) < 30 {
		t.Errorf("%d panels", len(panels))
	}
	for panel, exprs := range panels {
		for _, expr := range exprs {
			if _, err := newParser().ParseExpr(expr); err != nil {
				t.Errorf("%s: %v", panel, err)
			}
		}
	}
}
