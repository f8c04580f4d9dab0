package resilience_test

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"

	resilience "github.com/resgen-go/resgen/runtime"
	"github.com/resgen-go/resgen/runtime/internal/sharing"
)

// remote is a source with secrets in its name and errors.
type remote struct {
	text string
	err  error
}

func (r *remote) Read() (string, []byte, error) {
	return "https://me:hunter2@config:80/resilience.json?token=hunter2", []byte(r.text), r.err
}

func (r *remote) Follow(func()) (func(), error) { return func() {}, nil }

func TestFieldL10NoSecretReachesAnObserverALogOrASnapshot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		source, adapter, log, events := &remote{text: `{}`}, new(fleet), new(bytes.Buffer), 0
		var told, seen []string // by the registry, and by the observer
		registry, err := resilience.New(resilience.Follow(source), resilience.Share(adapter.asAdapter),
			resilience.Logger(slog.New(slog.NewJSONHandler(log, nil))),
			resilience.Observe(resilience.ObserverFunc(func(e resilience.Event) {
				events++
				seen = append(seen, fmt.Sprintf("%+v", e))
			})))
		if err != nil {
			t.Fatal(err)
		}
		defer registry.Close()
		newGuard(t, registry, resilience.Guards{Breaker: "a"})
		for _, text := range []string{
			`{"sharedState":{"password":hunter2}}`, `{"sharedState":"redis://me:hunter2@h:6379"}`, `{"sharedState":{"tls":"hunter2"}}`,
			`{"breakers":{"redis://me:hunter2@h":{}}}`, `{"timeouts":{"a":{"duration":"x://me:hunter2@h"}}}`,
			`{"timeouts":{"b":{"duration":300}}}`,
		} {
			source.text = text
			told = append(told, fmt.Sprint(registry.Reload()), fmt.Sprintf("%+v", registry.Snapshot()), fmt.Sprintf("%+v", registry.Settings()))
		}
		source.err = errors.New("get https://me:hunter2@config: refused")
		err = registry.Reload()
		if !errors.Is(err, source.err) {
			t.Errorf("the error %v lost its cause", err)
		}
		adapter.Link(sharing.Link{Err: errors.New("dial redis://me:hunter2@h:6379: refused")})
		synctest.Wait()
		told = append(told, err.Error(), log.String(), fmt.Sprintf("%+v", registry.Snapshot().Fleet))
		for _, text := range append(told, seen...) {
			if strings.Contains(text, "hunter2") {
				t.Errorf("the secret is in: %s", text)
			}
		}
		if events < 8 {
			t.Errorf("only %d events came: %q", events, seen)
		}
	})
}

func TestFieldL10TheSourceThatCannotBeFollowedIsToldWithoutSecrets(t *testing.T) {
	_, err := resilience.New(resilience.Follow(deaf{}))
	if want := "resilience: can't watch the settings: subscribe nats://…@n:4222: refused"; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

type deaf struct{}

func (deaf) Read() (string, []byte, error) { return "", []byte("{}"), nil }
func (deaf) Follow(func()) (func(), error) {
	return nil, errors.New("subscribe nats://me:hunter2@n:4222: refused")
}
