package config

import (
	"strings"
	"testing"
)

// secretive are files with the secret hunter2 somewhere, and mostly a fault.
var secretive = []string{
	`{"sharedState":{"password":hunter2}}`,
	`{"sharedState":{"passwordEnv":hunter2}}`,
	`{"sharedState":{"passwordEnv":"hunter2@"}}`,
	`{"sharedState":{"password":"hunter2"}}`,
	`{"sharedState":{"passwordFile":["hunter2"]}}`,
	`{"sharedState":{"tls":"hunter2"}}`,
	`{"sharedState":{"tls":hunter2}}`,
	`{"sharedState":{"recording":"hunter2"}}`,
	`{"sharedState":{"flushInterval":"hunter2"}}`,
	`{"sharedState":{"keyPrefix":"hunter2 "}}`,
	`{"sharedState":{"address":"hunter2"}}`,
	`{"sharedState":{"address":"redis://me:hunter2@h:6379"}}`,
	`{"sharedState":{"address":"redis://me:hunter2@h:6379/x/y"}}`,
	`{"sharedState":{"address":"me:hunter2@h:6379"}}`,
	`{"sharedState":{"redis://me:hunter2@h:6379":true}}`,
	`{"sharedState":{"redis://me:hunter2@h:6379":true,"redis://me:hunter2@h:6379":true}}`,
	`{"sharedState":"redis://user:hunter2@h:6379"}`,
	`{"sharedState":hunter2}`,
	`{"sharedState":hunter2,}`,
	`{"sharedState":hunter2 x}`,
	`{"sharedState":{"password":hunter2 x}}`,
	`{"sharedState":{"password" hunter2}}`,
	`{"sharedState":{"password":hunter2!}}`,
	`{"sharedState":{"password":[hunter2 hunter2]}}`,
	`{"sharedState":{"a":{"b":hunter2 hunter2}}}`,
	`{"sharedState":{hunter2:1}}`,
	`{"sharedState":{"enabled":true hunter2}}`,
	`{"sharedState":{"enabled":true, hunter2}}`,
	`{"breakers":{},"sharedState":{"x":hunter2 1}}`,
	`{"\u0073haredState":{"x":hunter2 1}}`,
	`{"sharedState":{"password":"hunter2}}`,
	`{"sharedState":{"password":"hunter2\x"}}`,
	`{"sharedState":{"password":'hunter2'}}`,
	`{"sharedState":{"x":1}} hunter2`,
	`{"sharedstate":{"password":hunter2}}`,
	`{"sharedstate":{"password":hunter2 1}}`,
	`{"redis":{"password":[hunter2]}}`,
	`{"password":hunter2}`,
	`{"redis://me:hunter2@h:6379":{}}`,
	`{"breakers":{"redis://me:hunter2@h:6379":{}}}`,
	`{"breakers":{"a":{"redis://me:hunter2@h:6379":1}}}`,
	`{"breakers":{"a":{"password":hunter2}}}`,
	`{"breakers":{"a":{"testDelay":"redis://me:hunter2@h:6379"}}}`,
	`{"breakers":{"a":{"testDelay":"redis:\/\/me:hunter2\u0040h:6379"}}}`,
	`{"breakers":{"a":{"testDelay":"redis://me:hunter2aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa@h:6379"}}}`,
	`{"breakers":{"a":{"strategy":"https://hunter2@h"}}}`,
	`{"breakers":"redis://me:hunter2@h:6379"}`,
	`{"bulkheads":{"a":{"maxConcurrentCalls":"me:hunter2@h"}}}`,
	`{"$schema":["https://me:hunter2@h"]}`,
	`hunter2`,
	`"hunter2"`,
	`hunter2 x`,
	`hunter2: x`,
	`me: hunter2`,
}

func TestFieldL10NoFaultShowsASecret(t *testing.T) {
	for _, file := range secretive {
		for _, shares := range []bool{true, false} {
			f, err := Parse("r.json", []byte(file), Process{Shares: shares})
			var shown string
			if err != nil {
				shown = err.Error()
			} else {
				shown = f.warnings.Error()
			}
			if strings.Contains(shown, "hunter2") {
				t.Errorf("%s is told as\n%s", file, shown)
			}
		}
	}
}

func TestFieldL10FaultsOfSecretsStillSayWhereAndWhatIsAllowed(t *testing.T) {
	for file, want := range map[string]string{
		`{"sharedState":{"tls":"hunter2"}}`:                            "r.json:1:23: sharedState.tls: the value is not true or false",
		`{"sharedState":{"tls":hunter2}}`:                              "r.json:1:23: sharedState.tls: the value is no JSON value, expected true or false",
		`{"sharedState":"redis://user:hunter2@h:6379"}`:                "r.json:1:16: sharedState: the value is not an object",
		`{"sharedState":{"recording":"sampled"}}`:                      "r.json:1:29: sharedState.recording: the value is unknown; allowed are AGGREGATED, SAMPLED; did you mean SAMPLED?",
		`{"breakers":{"redis://me:hunter2@h:6379":{}}}`:                `r.json:1:14: breakers["redis://…@h:6379"]: no name for a breaker; allowed are letters, digits, '.', '_' and '-', a letter or digit first`,
		`{"breakers":{"a":{"testDelay":"redis://me:hunter2@h:6379"}}}`: `r.json:1:31: breakers.a.testDelay: "redis://…@h:6379" is not a duration in [0s, 8760h]; write "20s", "1m30s", "PT20S" or a number of seconds`,
		`{breakers: {}}`: "r.json:1:2: found breakers, expected a name in double quotes or '}'",
		`{"breakers": {"a": {"testDelay": 20 s}}}`: "r.json:1:37: found s, expected ',' or '}'",
	} {
		if _, err := Inspect("r.json", []byte(file)); err == nil || err.Error() != want {
			t.Errorf("%s\n%v, want\n%s", file, err, want)
		}
	}
}

func TestFieldL10TheSettingsOfASecretSectionAreNotListed(t *testing.T) {
	f := parseGood(t, `{"sharedState":{"address":"hunter2:1","username":"hunter2"}}`)
	if got := f.Effective(SharedState, ""); got != nil {
		t.Errorf("listed are %v", got)
	}
}
