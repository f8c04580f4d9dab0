// Package dashboard draws a dashboard for Grafana of the metrics that
// runtime/prometheus exports.
package dashboard

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// A row is about all guards of a kind, or about one at a time.
type row struct {
	title    string
	section  string // of the settings file, whose names it repeats for; empty: none
	variable string // of the names
	panels   []panel
}

// A panel shows some queries.
type panel struct {
	title   string
	about   string
	kind    string // of Grafana
	unit    string // of Grafana
	stacked bool
	queries []query
}

// A query is an expression with the legend of its series.
type query struct{ expr, legend string }

// In expressions BREAKER and the like stand for the labels that choose a guard, with
// those of its instances that have a chosen key, and SOME for those that choose an instance
// of the service.
var chosen = strings.NewReplacer(
	"{BREAKER", `{breaker=~"$breaker",key=~"($key)?",instance=~"$instance"`,
	"{BULKHEAD", `{bulkhead=~"$bulkhead",key=~"($key)?",instance=~"$instance"`,
	"{RATE", `{rate_limit=~"$rate_limit",key=~"($key)?",instance=~"$instance"`,
	"{RETRY", `{retry=~"$retry",instance=~"$instance"`,
	"{TIMEOUT", `{timeout=~"$timeout",key=~"($key)?",instance=~"$instance"`,
	"{FALLBACK", `{fallback=~"$fallback",instance=~"$instance"`,
	"{SOME", `{instance=~"$instance"`,
)

// Grafana returns the dashboard as Grafana imports it. The names of guards are by the
// section of the settings file, such as "breakers"; a section without names has no
// row. Without names it lists those that Prometheus knows.
func Grafana(names map[string][]string) []byte {
	board := map[string]any{
		"title": "resgen", "uid": "resgen", "tags": []string{"resgen"}, "schemaVersion": 39, "version": 1,
		"editable": true, "refresh": "10s", "time": map[string]string{"from": "now-30m", "to": "now"},
		"templating":  map[string]any{"list": variables(names)},
		"annotations": map[string]any{"list": []any{annotation}},
		"panels":      layOut(names),
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(board); err != nil {
		panic(err) // there are only texts, numbers, lists and maps of them
	}
	return text.Bytes()
}

var source = map[string]string{"type": "prometheus", "uid": "${datasource}"}

// annotation marks when a breaker opens or ends being open.
var annotation = map[string]any{
	"name": "Breakers open and close", "enable": true, "iconColor": "red", "datasource": source,
	"expr":        chosen.Replace(`changes(resgen_breaker_state{BREAKER,state="open"}[1m]) > 0`),
	"titleFormat": "{{breaker}} {{key}}", "textFormat": "{{instance}}", "step": "10s",
}

// variables are what somebody chooses at the top.
func variables(names map[string][]string) (all []any) {
	all = append(all, map[string]any{"name": "datasource", "type": "datasource", "query": "prometheus", "label": "Data source"})
	for _, r := range rows {
		if r.section == "" || !shown(r, names) {
			continue
		}
		v := variable(r.variable, r.title)
		if names != nil {
			v["type"], v["query"] = "custom", strings.Join(names[r.section], ",")
		} else {
			v["query"] = "label_values(resgen_" + known[r.section] + ", " + r.variable + ")"
		}
		all = append(all, v)
	}
	key := variable("key", "Key")
	key["query"] = `label_values({__name__=~"resgen_breaker_admits|resgen_bulkhead_permits|resgen_timeout_ended_total"}, key)`
	key["allValue"] = ".*" // because there may be many
	instance := variable("instance", "Instance")
	instance["query"] = "label_values(resgen_settings_rejected, instance)"
	return append(all, key, instance)
}

// known are metrics that every name of a section has.
var known = map[string]string{
	"breakers": "breaker_admits", "bulkheads": "bulkhead_permits", "rateLimits": "rate_available", "timeouts": "timeout_ended_total",
	"retries": "retry_attempts_total", "fallbacks": "fallback_enabled",
}

func variable(name, title string) map[string]any {
	return map[string]any{
		"name": name, "label": strings.TrimSuffix(title, " $"+name), "type": "query", "datasource": source, "refresh": 2, "sort": 1,
		"multi": true, "includeAll": true, "current": map[string]any{"text": "All", "value": []string{"$__all"}},
	}
}

func shown(r row, names map[string][]string) bool {
	return r.section == "" || names == nil || len(names[r.section]) > 0
}

// Grafana's grid has 24 columns.
const (
	columns = 24
	width   = 8
	height  = 8
)

func layOut(names map[string][]string) (all []any) {
	y := 0
	add := func(p map[string]any, x, w, h int) {
		p["id"] = len(all) + 1
		p["gridPos"] = map[string]int{"x": x, "y": y, "w": w, "h": h}
		all = append(all, p)
	}
	for _, r := range rows {
		if !shown(r, names) {
			continue
		}
		head := map[string]any{"type": "row", "title": r.title, "collapsed": false, "panels": []any{}}
		if r.section != "" {
			head["repeat"] = r.variable
		}
		add(head, 0, columns, 1)
		y++
		for line := range slices.Chunk(r.panels, columns/width) {
			for i, p := range line {
				add(p.draw(), i*width, width, height)
			}
			y += height
		}
	}
	return all
}

func (p panel) draw() map[string]any {
	custom := map[string]any{"fillOpacity": 10, "showPoints": "never"}
	if p.stacked {
		custom["stacking"] = map[string]string{"mode": "normal"}
		custom["fillOpacity"] = 40
	}
	defaults := map[string]any{"unit": p.unit, "custom": custom, "min": 0}
	if p.kind != "timeseries" {
		defaults = map[string]any{"unit": p.unit, "noValue": "none"}
	}
	var targets []any
	for i, q := range p.queries {
		targets = append(targets, map[string]any{
			"refId": string(rune('A' + i)), "expr": chosen.Replace(q.expr), "legendFormat": q.legend,
			"datasource": source, "instant": p.kind != "timeseries" && p.kind != "state-timeline",
		})
	}
	return map[string]any{
		"type": p.kind, "title": p.title, "description": p.about, "datasource": source, "targets": targets,
		"fieldConfig": map[string]any{"defaults": defaults, "overrides": p.unstacked()},
	}
}

// unstacked draws what bounds a stack, the last query, as a line above it.
func (p panel) unstacked() []any {
	if !p.stacked {
		return []any{}
	}
	return []any{map[string]any{
		"matcher": map[string]string{"id": "byFrameRefID", "options": string(rune('A' + len(p.queries) - 1))},
		"properties": []any{
			map[string]any{"id": "custom.stacking", "value": map[string]string{"mode": "none"}},
			map[string]any{"id": "custom.fillOpacity", "value": 0},
		},
	}}
}
