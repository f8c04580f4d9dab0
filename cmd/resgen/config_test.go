package main

import (
	"os"
	"strings"
	"testing"

	"github.com/resgen-go/resgen/runtime/settingsfile"
)

const anticipated = `package shop

import "context"

//resilience:breaker payments
//resilience:timeout
type Payments interface {
	//resilience:anticipate check=stock preload=items:2
	//resilience:bulkhead own
	Charge(ctx context.Context) error

	//resilience:probe
	//resilience:none
	Ping(ctx context.Context) error
}

//resilience:breaker stock
//resilience:bulkhead items
type Stock interface{ Pick() error }
`

func TestConfigPrintsAFileWithEveryNameInUse(t *testing.T) {
	inModule(t, anticipated)
	var out, err strings.Builder
	if status := run([]string{"config"}, &out, &err); status != exitFine || err.Len() > 0 {
		t.Fatalf("status %d: %s", status, &err)
	}
	for _, name := range []string{`"payments"`, `"stock"`, `"items"`, `"own"`} {
		if !strings.Contains(out.String(), name) {
			t.Errorf("the file lacks %s:\n%s", name, &out)
		}
	}
	if _, fault := settingsfile.Parse("printed", []byte(out.String())); fault != nil {
		t.Error(fault)
	}
}

func TestConfigComparesAFile(t *testing.T) {
	inModule(t, anticipated)
	write(t, "complete.json", `{
	"breakers": {"payments": {"strategy": "CANARY_RATE_THRESHOLD"}, "stock": {}},
	"bulkheads": {"items": {}, "own": {}},
	"timeouts": {"payments": {"duration": "1s"}},
}`)
	expect(t, exitFine, "", "", "config", "-file", "complete.json")
	write(t, "other.json", `{
	"breakers": {"paymets": {}, "stock": {}},
	"bulkheads": {"items": {}, "own": {}},
	"timeouts": {"payments": {"duration": "1s"}},
}`)
	expect(t, exitFault, `other.json: breakers.payments: STATIC_THRESHOLD never asks the probe that the breaker has; CANARY_RATE_THRESHOLD does
other.json: breakers.payments: not in the file, so the defaults hold; did you mean the unused paymets?
other.json:2:15: breakers.paymets: no wrapper asks for it
`, "", "config", "-file", "other.json")
	write(t, "faulty.json", `{"breakers": {"payments": {"failureThreshold": 0}}}`)
	expect(t, exitFault, "", "faulty.json:1:48: breakers.payments.failureThreshold: 0 is outside [1, 1000000]\n",
		"config", "-file", "faulty.json")
	const help = "Run resgen config -help for the flags.\n"
	expect(t, exitUsage, "", "resgen config: invalid value \"\" for flag -file: it names no file\n"+help, "config", "-file", "")
	expect(t, exitUsage, "", "resgen config: -file stands behind .; flags come first\n"+help, "config", ".", "-file", "other.json")
	expect(t, exitFault, "", "resgen: open none.json: no such file or directory\n", "config", "-file", "none.json")
}

func TestFieldF18ConfigTellsOfProbesThatAreMissingOrNeverAsked(t *testing.T) {
	inModule(t, anticipated)
	const rest = `"bulkheads": {"items": {}, "own": {}}, "timeouts": {"payments": {"duration": "1s"}}}`
	write(t, "static.json", `{"breakers": {"payments": {}, "stock": {}},`+rest)
	expect(t, exitFine, "static.json:1:15: breakers.payments: STATIC_THRESHOLD never asks the probe that the breaker has; "+
		"CANARY_RATE_THRESHOLD does\n", "", "config", "-file", "static.json")
	inModule(t, `package shop

import "context"

//resilience:breaker
type Payments interface {
	Charge(ctx context.Context) error
}
`)
	write(t, "canary.json", `{"breakers": {"payments": {"strategy": "CANARY_RATE_THRESHOLD"}}}`)
	expect(t, exitFine, "canary.json:1:15: breakers.payments: CANARY_RATE_THRESHOLD has no probe, so while the breaker is OPEN "+
		"some calls serve in its place, and fail with the dependency; mark a cheap method with //resilience:probe, "+
		"report through ExternalProbe, or set waitDurationInOpenState\n", "", "config", "-file", "canary.json")
	write(t, "wait.json", `{"breakers": {"payments": {"strategy": "CANARY_RATE_THRESHOLD", "waitDurationInOpenState": "5s"}}}`)
	expect(t, exitFine, "", "", "config", "-file", "wait.json")
}

func TestFieldF01ConfigTellsOfATimeoutLongerThanTrialsAreWaitedFor(t *testing.T) {
	inModule(t, anticipated)
	write(t, "long.json", `{"breakers": {"payments": {"strategy": "CANARY_RATE_THRESHOLD", "maxHalfOpenDuration": "10s"}, "stock": {}},
"bulkheads": {"items": {}, "own": {}}, "timeouts": {"payments": {"duration": "30s"}}}`)
	expect(t, exitFine, "long.json:1:15: breakers.payments.maxHalfOpenDuration: 10s is below the 30s that timeouts.payments gives "+
		"Payments.Charge, so its trials are waited for that long and a tenth more\n", "", "config", "-file", "long.json")
}

func TestConfigNeverWritesOverAFile(t *testing.T) {
	inModule(t, anticipated)
	expect(t, exitFine, "", "", "config", "-o", "new.json")
	var out, err strings.Builder
	if run([]string{"config"}, &out, &err); read(t, "new.json") != out.String() {
		t.Errorf("the file is not what is printed:\n%s", read(t, "new.json"))
	}
	write(t, "new.json", "{}")
	expect(t, exitFault, "", "resgen: new.json exists and stays as it is; resgen config -file new.json says what it lacks\n",
		"config", "-o", "new.json")
	if text := read(t, "new.json"); text != "{}" {
		t.Errorf("the file became %s", text)
	}
	expect(t, exitFault, "", "resgen: open none/new.json: no such file or directory\n", "config", "-o", "none/new.json")
	expect(t, exitUsage, "", "resgen config: -o does not go with -file\n", "config", "-o", "other.json", "-file", "new.json")
	if err := os.Mkdir("idle", 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, "idle/idle.go", "package idle\n")
	expect(t, exitFault, "", "resgen: no directive there uses a name, so there is nothing to write to other.json\n",
		"config", "-o", "other.json", "./idle")
}

func TestConfigChecksAFileByItselfWhereThereIsNoGo(t *testing.T) {
	t.Chdir(t.TempDir())
	const alone = "resgen: there are no Go files here, so r.json is checked by itself\n"
	write(t, "r.json", `{"breakers": {"payments": {}}}`)
	expect(t, exitFine, "", alone, "config", "-file", "r.json")
	write(t, "r.json", `{"timeouts": {"Default": {}}}`)
	expect(t, exitFine, "r.json:1:15: timeouts.Default: is one timeout's name; the defaults of all stand under \"default\"\n", alone,
		"config", "-file", "r.json")
	write(t, "r.json", `{"breakers": {"payments": {"testDelai": "1s"}}}`)
	expect(t, exitFault, "", alone+"r.json:1:28: breakers.payments.testDelai: no such setting; did you mean testDelay?\n",
		"config", "-file", "r.json")
}

func TestFieldG04ConfigRefusesASharedStateThatAServiceRefuses(t *testing.T) {
	inModule(t, source)
	for section, want := range map[string]string{
		`{"keyPrefix": "shop:", "adress": "h:1"}`:                  "80: sharedState.adress: no such setting; did you mean address?",
		`{"keyPrefix": "shop:", "address": "redis://me:hush@h:1"}`: "91: sharedState.address: has a password in it, which does not belong into this file; use passwordEnv, passwordFile or addressEnv",
		`{"keyPrefix": "shop:", "flushInterval": "3h"}`:            `97: sharedState.flushInterval: the value is outside [10ms, 1h]`,
		`{"keyPrefix": "shop:", "tlsKeyFile": "k"}`:                `94: sharedState.tlsKeyFile: tlsCertFile needs tlsKeyFile, and the other way round`,
	} {
		write(t, "r.json", `{"breakers": {"shop": {"shared": true}}, "sharedState": `+section+`}`)
		expect(t, exitFault, "", "r.json:1:"+want+"\n", "config", "-file", "r.json")
	}
	write(t, "r.json", `{"breakers": {"shop": {"shared": true, "minimumErrors": 5}}, "sharedState": {"keyPrefix": "shop:", "address": "h:1"}}`)
	expect(t, exitFine, "", "", "config", "-file", "r.json")
	write(t, "r.json", `{"breakers": {"sharedState": {}}}`)
	expect(t, exitFault, `r.json: breakers.shop: not in the file, so the defaults hold
r.json:1:15: breakers.sharedState: no wrapper asks for it
`, "", "config", "-file", "r.json")
}

func TestFieldN02ConfigRefusesToShareWithoutAName(t *testing.T) {
	inModule(t, source)
	const missing = `sharedState.keyPrefix: missing: two services on one server would share breakers of one name; write the service's name, such as "shop:"` + "\n"
	write(t, "r.json", `{"breakers": {"shop": {"shared": true}}, "sharedState": {"address": "h:1"}}`)
	expect(t, exitFault, "", "r.json:1:57: "+missing, "config", "-file", "r.json")
	write(t, "r.json", `{"breakers": {"shop": {"shared": true}}}`)
	expect(t, exitFault, "", "r.json:1:34: "+missing, "config", "-file", "r.json")
	write(t, "r.json", `{"breakers": {"shop": {"shared": true}}, "sharedState": {"enabled": false}}`)
	expect(t, exitFine, "", "", "config", "-file", "r.json")
}

func TestFieldF16ConfigTellsUnitsThatWereProbablyMistaken(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "r.json", `{"timeouts": {"a": {"duration": 300}}, "sharedState": {"outageThreshold": 0.5}}`)
	expect(t, exitFine, `r.json:1:33: timeouts.a.duration: 300 means 5m, because a number without a unit is seconds; if that was meant, write "5m", else "300ms"
r.json:1:75: sharedState.outageThreshold: 0.5 means 0.5 percent; if the share 0.5 was meant, write 50
`, "resgen: there are no Go files here, so r.json is checked by itself\n", "config", "-file", "r.json")
}

func TestConfigTellsTheWarningsOfDirectivesAndFiles(t *testing.T) {
	inModule(t, `package shop

import "context"

type Shop interface {
	//resilience:breaker shop
	//resilience:anticipate check=shopp
	Buy(ctx context.Context) error
}
`)
	write(t, "r.json", `{"breakers": {"Shop": {}, "shop": {}, "shopp": {}}, "timeouts": {"Default": {}}}`)
	expect(t, exitFault, `r.json:1:66: timeouts.Default: is one timeout's name; the defaults of all stand under "default"
r.json:1:15: breakers.Shop: no wrapper asks for it
r.json:1:66: timeouts.Default: no wrapper asks for it
`, "shop.go:7:32: warning: resilience:anticipate: nothing is guarded by breaker shopp; did you mean shop?\n", "config", "-file", "r.json")
}

func TestFieldF24OnlyRegularFilesAreReadAsSettings(t *testing.T) {
	inModule(t, reserving)
	if err := os.Symlink("/dev/zero", "zero.json"); err != nil {
		t.Skip(err)
	}
	for _, path := range []string{"/dev/zero", "zero.json", "."} {
		want := "resgen: read " + path + ": not a regular file\n"
		expect(t, exitFault, "", want, "config", "-file", path)
		expect(t, exitFault, "", want, "-config", path)
	}
}

const reserving = `package shop

import "context"

//resilience:bulkhead
type Stock interface{ Pick(ctx context.Context) error }

//resilience:bulkhead
type Tills interface{ Pay(ctx context.Context) error }

type Shop interface {
	//resilience:anticipate preload=stock:9 lease=tills:26
	Buy(ctx context.Context) error
}
`

func TestScenario06ReservationsAboveTheSizeInTheSettingsFileAreFaults(t *testing.T) {
	inModule(t, reserving)
	write(t, "small.json", `{"bulkheads": {"stock": {"maxConcurrentCalls": 8}}}`)
	want := `shop.go:12:40: resilience:anticipate: 9 permits of bulkhead stock can never be had: its maxConcurrentCalls is 8; reserve fewer, or raise it
shop.go:12:54: resilience:anticipate: 26 permits of bulkhead tills can never be had: its maxConcurrentCalls is 25; reserve fewer, or raise it
`
	for _, also := range [][]string{nil, {"-check"}, {"-diff"}, {"-list"}} {
		expect(t, exitFault, "", want, append(also, "-config", "small.json")...)
	}
	t.Run("TestFieldG10ConfigFileTellsAsConfigDoes", func(t *testing.T) {
		expect(t, exitFault, "", want, "config", "-file", "small.json")
	})
	write(t, "large.json", `{"bulkheads": {"default": {"maxConcurrentCalls": 26}}}`)
	expect(t, exitFine, "", "", "-config", "large.json")
	write(t, "large.json", `{"bulkheads": {"stock": {}, "tills": {"maxConcurrentCalls": 26}}}`)
	expect(t, exitFine, "", "", "config", "-file", "large.json")
}

func TestFieldG10TokensAboveTheBurstInTheSettingsFileAreFaults(t *testing.T) {
	inModule(t, `package shop

import "context"

//resilience:ratelimit
type Search interface{ Find(ctx context.Context) error }

type Shop interface {
	//resilience:anticipate rate=search:2
	Show(ctx context.Context) error
}
`)
	write(t, "small.json", `{"rateLimits": {"search": {"limit": 10}}}`)
	want := "shop.go:9:38: resilience:anticipate: 2 tokens of rate limit search can never be had: its burst is 1; reserve fewer, or raise it\n"
	expect(t, exitFault, "", want, "-config", "small.json")
	expect(t, exitFault, "", want, "config", "-file", "small.json")
	for _, fine := range []string{`{"rateLimits": {"search": {"limit": 10, "burst": 2}}}`, `{"rateLimits": {"search": {}}}`} {
		write(t, "fine.json", fine)
		expect(t, exitFine, "", "", "-config", "fine.json")
		expect(t, exitFine, "", "", "config", "-file", "fine.json")
	}
}

func TestASettingsFileAtFaultIsReportedAndNothingIsWritten(t *testing.T) {
	inModule(t, reserving)
	write(t, "faulty.json", `{"bulkheads": {"stock": {"maxConcurrentCalls": 0}}}`)
	expect(t, exitFault, "", "faulty.json:1:48: bulkheads.stock.maxConcurrentCalls: 0 is outside [1, 1000000]\n", "-config", "faulty.json")
	expect(t, exitFault, "", "resgen: open none.json: no such file or directory\n", "-config", "none.json")
	expect(t, exitFault, "shop_resilience.go: missing\n", outdated, "-check")
}

func TestSchemaIsThatOfTheRuntime(t *testing.T) {
	expect(t, exitFine, string(settingsfile.Schema()), "", "schema")
	expect(t, exitUsage, "", "resgen schema: takes no arguments\n", "schema", "more")
}
