package redis

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"github.com/redis/rueidis"

	"github.com/resgen-go/resgen/runtime/redis/internal/lua"
)

// request is one run of a script.
type request struct {
	script     *lua.Script
	keys, args []string
}

// command names the script, or brings it along for a server that does not know
// it.
func (r request) command(b rueidis.Builder, known bool) rueidis.Completed {
	name, script := "EVALSHA", r.script.SHA
	if !known {
		name, script = "EVAL", r.script.Text
	}
	return b.Arbitrary(name, script, strconv.Itoa(len(r.keys))).Keys(r.keys...).Args(r.args...).Build()
}

// request is one of the scripts with what all of them take.
func (m *member) request(script *lua.Script, s *settings, keys []string, args ...string) request {
	name := m.core.Name()
	key := s.key(name)
	return request{
		script: script,
		keys:   append([]string{key + "state", key + "counts", key + "history", key + "manual"}, keys...),
		args: append([]string{
			s.channel(), name, m.fleet.process, strconv.FormatInt(m.told, 10), milliseconds(*cmp.Or(m.own.SecondsBeforeRetry, &s.SecondsBeforeRetry)),
		}, args...),
	}
}

func (m *member) look(s *settings, _ time.Time) request {
	how := "READ"
	if m.failed != nil {
		how = "WRITE"
	}
	return m.request(lua.Look, s, nil, how)
}

func (m *member) record(s *settings, now time.Time) request {
	args := []string{
		decimal(*cmp.Or(m.own.OutageThreshold, &s.OutageThreshold)), milliseconds(s.OutageWindow), milliseconds(s.bucket()),
		strconv.Itoa(*cmp.Or(m.own.MinimumErrors, &s.MinimumErrors)),
	}
	for _, r := range m.reports {
		args = append(args, strconv.FormatUint(r.number, 10), milliseconds(now.Sub(r.at)), decimal(r.calls), decimal(r.failures))
		m.sent = r.number
	}
	return m.request(lua.Record, s, []string{s.key(m.core.Name()) + "seen:" + m.fleet.process}, args...)
}

func (m *member) try(s *settings, _ time.Time) request {
	return m.request(lua.Trial, s, nil, strconv.FormatUint(m.outage, 10), milliseconds(s.TrialTimeout))
}

func (m *member) settle(s *settings, _ time.Time) request {
	v := m.verdict.Load()
	result := "BAD"
	if v.good {
		result = "GOOD"
	}
	return m.request(lua.Settle, s, nil, strconv.FormatUint(v.outage, 10), result, v.reason)
}

// braces are what a breaker's name can't have in a key, where they say what
// decides its slot, and what stands for them.
var braces = strings.NewReplacer("{", "%7B", "}", "%7D", "%", "%25")

// key begins each key of a breaker.
func (s *settings) key(breaker string) string {
	return *s.KeyPrefix + "{" + braces.Replace(breaker) + "}:"
}

func decimal(n float64) string { return strconv.FormatFloat(n, 'g', -1, 64) }

func milliseconds(d time.Duration) string { return strconv.FormatInt(d.Milliseconds(), 10) }
