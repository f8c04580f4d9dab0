package promtest

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
	"time"
)

// server is a Prometheus that scrapes one program five times a second.
type server struct {
	*testing.T
	address string
}

const configuration = `
global: {scrape_interval: 200ms, scrape_timeout: 200ms, evaluation_interval: 200ms}
rule_files: [rules.yml]
scrape_configs: [{job_name: shop, static_configs: [{targets: ["%s"]}]}]
`

// hurried are the alerts with seconds in place of minutes, hours and days.
func hurried(t *testing.T) []byte {
	text, err := os.ReadFile(alertsPath)
	if err != nil {
		t.Fatal(err)
	}
	text = regexp.MustCompile(`\[\d+[smhd]\]`).ReplaceAll(text, []byte("[4s]"))
	return regexp.MustCompile(`for: \d+[smhd]`).ReplaceAll(text, []byte("for: 1s"))
}

func startServer(t *testing.T, target string, flags ...string) *server {
	t.Helper()
	binary, err := exec.LookPath("prometheus")
	if err != nil {
		t.Skip("there is no prometheus")
	}
	dir := t.TempDir()
	write := func(name string, text []byte) {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("rules.yml", hurried(t))
	write("prometheus.yml", fmt.Appendf(nil, configuration, target))
	s := &server{t, freeAddress(t)}
	command := exec.Command(binary, append(flags, "--config.file="+filepath.Join(dir, "prometheus.yml"),
		"--storage.tsdb.path="+filepath.Join(dir, "data"), "--web.listen-address="+s.address, "--log.level=warn")...)
	command.Stderr = t.Output()
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		command.Process.Kill()
		command.Wait()
	})
	s.await("the first scrape", func() bool { return len(s.query("up == 1")) == 1 })
	return s
}

func freeAddress(t *testing.T) string {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().String()
}

// await waits until something is so.
func (s *server) await(what string, so func() bool) {
	s.Helper()
	for deadline := time.Now().Add(30 * time.Second); !so(); time.Sleep(100 * time.Millisecond) {
		if time.Now().After(deadline) {
			s.Fatalf("waited in vain for %s", what)
		}
	}
}

// ask returns what the server answers; it is nil while there is no server yet.
func (s *server) ask(path string, values url.Values) json.RawMessage {
	s.Helper()
	response, err := http.Get("http://" + s.address + path + "?" + values.Encode())
	if err != nil {
		return nil
	}
	defer response.Body.Close()
	var answer struct {
		Status, Error string
		Data          json.RawMessage
	}
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		return nil
	}
	if answer.Status != "success" {
		s.Fatalf("%s %v: %s", path, values, answer.Error)
	}
	return answer.Data
}

// query returns the labels of the series that an expression has now.
func (s *server) query(expr string) (series []map[string]string) {
	s.Helper()
	var data struct {
		Result []struct{ Metric map[string]string }
	}
	json.Unmarshal(s.ask("/api/v1/query", url.Values{"query": {expr}}), &data)
	for _, r := range data.Result {
		series = append(series, r.Metric)
	}
	return series
}

// firing are the alerts that fire, each with the name of its guard.
func (s *server) firing() map[string]bool {
	s.Helper()
	var data struct {
		Alerts []struct {
			State  string
			Labels map[string]string
		}
	}
	json.Unmarshal(s.ask("/api/v1/alerts", nil), &data)
	all := map[string]bool{}
	for _, a := range data.Alerts {
		if a.State == "firing" {
			l := a.Labels
			all[l["alertname"]+" "+l["breaker"]+l["bulkhead"]+l["rate_limit"]+l["budget"]] = true
		}
	}
	return all
}
