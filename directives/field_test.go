package directives_test

import (
	"strings"
	"testing"
)

// onMethod is what is said of a line above a method, without its position.
func onMethod(t *testing.T, line string) string {
	t.Helper()
	said := report(t, []byte("package p\n\ntype I interface {\n\t"+line+"\n\tDo() error\n}\n"))
	var faults []string
	for line := range strings.Lines(said) {
		if _, fault, ok := strings.Cut(line, "in.go:4:"); ok {
			_, message, _ := strings.Cut(fault, "resilience:")
			_, message, _ = strings.Cut(message, ": ")
			faults = append(faults, strings.TrimSpace(message))
		}
	}
	return strings.Join(faults, "\n")
}

func TestFieldG02ASettingIsNoName(t *testing.T) {
	const (
		number     = "looks like a number; name the "
		size       = number + "bulkhead here and write the number in the settings, bulkheads.NAME.maxConcurrentCalls"
		threshold  = number + "breaker here and write the number in the settings, breakers.NAME.failureThreshold"
		percent    = "looks like a percentage; name the breaker here and write the percentage in the settings, breakers.NAME.failureRateThreshold"
		delay      = "looks like a duration; name the breaker here and write the duration in the settings, breakers.NAME.testDelay"
		wait       = "looks like a duration; name the bulkhead here and write the duration in the settings, bulkheads.NAME.maxWaitDuration"
		time       = "looks like a duration; name the timeout here and write the duration in the settings, timeouts.NAME.duration"
		rate       = "looks like a rate; name the bulkhead here and write its settings in the settings file, bulkheads.NAME"
		boolean    = "looks like a boolean; name the breaker here and write its settings in the settings file, breakers.NAME"
		strategy   = "looks like a strategy; name the breaker here and write the strategy in the settings, breakers.NAME.strategy"
		setting    = "looks like a setting; name the bulkhead here and write its settings in the settings file, bulkheads.NAME"
		permits    = number + "bulkhead here"
		ofDuration = "looks like a duration"
	)
	for line, want := range map[string]string{
		"bulkhead 20":                       "20 " + size,
		"bulkhead 1_000":                    "1_000 " + size,
		"bulkhead 1,000":                    "1,000 " + size,
		"bulkhead 0x10":                     "0x10 " + size,
		"bulkhead +5":                       "+5 " + size,
		"bulkhead -1":                       "-1 " + size,
		"bulkhead <=20":                     "<=20 " + size,
		"bulkhead \"20\"":                   "20 " + size,
		"bulkhead 20calls":                  "20calls " + size,
		"bulkhead ２０":                       "２０ (２ is U+FF12, which looks like 2, ０ is U+FF10, which looks like 0) " + size,
		"bulkhead 1e3":                      "1e3 " + size,
		"bulkhead = 20":                     "20 " + size,
		"bulkhead =20":                      "20 " + size,
		"bulkhead : 20":                     `":20" is not a valid name`,
		"bulkhead 50ms":                     "50ms " + wait,
		"bulkhead 20/s":                     "20/s " + rate,
		"bulkhead 20/min":                   "20/min " + rate,
		"bulkhead 20rps":                    "20rps " + rate,
		"bulkhead max=20":                   "max=20 " + setting,
		"bulkhead maxConcurrentCalls=20":    "maxConcurrentCalls=20 " + setting,
		"bulkhead max = 20":                 "max=20 " + setting,
		"bulkhead max= 20":                  "max=20 " + setting,
		"bulkhead {\"max\": 20}":            `{"max":20} looks like JSON; name the bulkhead here`,
		"bulkhead {max: 20, wait: 5s}":      `{max:20,wait:5s} looks like JSON; name the bulkhead here`,
		"breaker 5":                         "5 " + threshold,
		"breaker 0.5":                       "0.5 " + threshold,
		"breaker 50%":                       "50% " + percent,
		"breaker 50percent":                 "50percent " + percent,
		"breaker 20s":                       "20s " + delay,
		"breaker true":                      "true " + boolean,
		"breaker off":                       "off " + boolean,
		"breaker Disabled":                  "Disabled " + boolean,
		"breaker CONSECUTIVE_FAILURES":      "CONSECUTIVE_FAILURES " + strategy,
		"breaker NONE":                      "NONE " + strategy,
		"timeout 300ms":                     "300ms " + time,
		"timeout 1.5s":                      "1.5s " + time,
		"timeout PT5S":                      "PT5S " + time,
		"timeout P1D":                       "P1D " + time,
		"timeout 5sec":                      "5sec " + time,
		"timeout 300millis":                 "300millis " + time,
		"timeout 5seconds":                  "5seconds " + time,
		"timeout 300":                       "300 looks like a number; name the timeout here and write the number in the settings, timeouts.NAME.duration",
		"timeout duration=300ms":            "duration=300ms looks like a setting; name the timeout here and write its settings in the settings file, timeouts.NAME",
		"probe 20":                          "20 looks like a number; name the breaker here",
		"anticipate check=20":               "20 looks like a number; name the breaker here",
		"anticipate check=a,5s":             "5s " + ofDuration,
		"anticipate preload=20":             "20 " + permits,
		"anticipate preload=4:tills":        `"4:tills" does not say of which bulkhead to reserve how many permits; write tills:4`,
		"anticipate preload=tills=4":        `"tills=4" does not say of which bulkhead to reserve how many permits; write tills:4`,
		"anticipate lease=4*tills":          `"4*tills" does not say of which bulkhead to reserve how many permits; write tills:4`,
		"anticipate preload=tills:20%":      `"20%" cannot be the number of permits of bulkhead "tills"; write a whole number from 1 to 1000000`,
		"breaker classify = judge":          `"classify = judge" has spaces in it, which end an argument; write classify=judge`,
		"breaker classify =judge":           `"classify =judge" has spaces in it, which end an argument; write classify=judge`,
		"breaker classify= judge":           `"classify= judge" has spaces in it, which end an argument; write classify=judge`,
		"breaker payments classify = judge": `"classify = judge" has spaces in it, which end an argument; write classify=judge`,
		"breaker classify = judge payments": `"classify = judge" has spaces in it, which end an argument; write classify=judge`,
		"breaker classify:judge":            `"classify:judge" has a colon in place of the equals sign; write classify=judge`,
		"breaker classify : judge":          `"classify : judge" has spaces in it, which end an argument; write classify=judge`,
		"breaker payments, classify=judge":  `"payments," is not a valid name; a name is a letter or digit, then letters, digits, dots, underscores and hyphens; did you mean payments?`,
		"breaker name=payments":             "a name has no key; write //resilience:breaker payments",
		"breaker name = payments":           "a name has no key; write //resilience:breaker payments",
		"breaker =payments":                 "a name has no key; write //resilience:breaker payments",
		"breaker = payments":                "a name has no key; write //resilience:breaker payments",
		"breaker clasify = judge":           `unknown key "clasify"; did you mean classify? (allowed: //resilience:breaker [NAME] [classify=FUNC] [by=KEY])`,
		"anticipate check = a":              `"check = a" has spaces in it, which end an argument; write check=a`,
		"anticipate check=a , b":            `"check=a , b" has spaces in it, which end an argument; write check=a,b`,
		"anticipate check=a ,b":             `"check=a ,b" has spaces in it, which end an argument; write check=a,b`,
		"anticipate preload = a : 3, b : 4": `"preload = a : 3, b : 4" has spaces in it, which end an argument; write preload=a:3,b:4`,
		"anticipate check = a preload = b:1": `"check = a" has spaces in it, which end an argument; write check=a` + "\n" +
			`"preload = b:1" has spaces in it, which end an argument; write preload=b:1`,
		"bulkhead 20 calls":          "20calls " + size,
		"timeout 300 ms":             "300ms " + time,
		"breaker 50 %":               "50% " + percent,
		"breaker threshold:5":        "threshold:5 looks like a setting",
		"breaker threshold: 5":       "threshold:5 looks like a setting",
		"bulkhead max=20,wait=5s":    "max=20,wait=5s looks like a setting",
		"breaker payments # of us":   `"#" begins a comment, which a directive cannot have behind it; put it in a line of its own`,
		"breaker payments // of us":  `"//" begins a comment, which a directive cannot have behind it; put it in a line of its own`,
		"breaker a //ours and yours": `"//ours" begins a comment, which a directive cannot have behind it; put it in a line of its own`,
		"breaker a -- ours":          `"--" begins a comment, which a directive cannot have behind it; put it in a line of its own`,
		"breaker a /* ours */":       `"/*" begins a comment, which a directive cannot have behind it; put it in a line of its own`,
		"bulkhead 20 30":             "20 " + size + "\nargument \"30\" is one too many",
		"breaker classify = classify=b": `"classify =" lacks what belongs behind the equals sign; write [classify=FUNC]` + "\n" +
			"key classify is repeated; write it once",
		"breaker payments,inventory": `"payments,inventory" is more than one name; a directive names one breaker`,
		"breaker classify =":         `"classify =" lacks what belongs behind the equals sign; write [classify=FUNC]`,
		"anticipate check:a check=b": `"check:a" has a colon in place of the equals sign; write check=a` + "\n" + "key check is repeated; write it once: ",
		"breaker 'payments'":         `"'payments'" is not a valid name; a name is a letter or digit, then letters, digits, dots, underscores and hyphens; did you mean payments?`,
		"breaker [payments]":         `did you mean payments?`,
		"breaker payments;":          `did you mean payments?`,
		"breaker payments!":          `did you mean payments?`,
		"breaker payments:":          `did you mean payments?`,
		"breaker payments/":          `did you mean payments?`,
		"breaker payments.":          `the name payments. ends with "."; write payments if that is no part of it`,
		"anticipate check=payments-": `the name payments- ends with "-"; write payments if that is no part of it`,
	} {
		t.Run(line, func(t *testing.T) {
			if got := onMethod(t, "//resilience:"+line); !containsLines(got, want) {
				t.Errorf("got\n%s, want\n%s", got, want)
			}
		})
	}
}

func TestFieldG02NamesWithDigitsStayNames(t *testing.T) {
	for _, name := range []string{
		"8.8.8.8", "3scale", "2fa", "s3", "0A.b_c-d", "5s-after-noon", "v2", "1password", "offers", "online", "none", "static_threshold", "3d", "p2p", "pt1",
		"e1", "p", "p1d", "PT", "infinity", "nan", "20-permits",
	} {
		if got := onMethod(t, "//resilience:breaker "+name); got != "" {
			t.Errorf("breaker %s: %s", name, got)
		}
	}
}

func TestFieldG15LettersOfOtherAlphabetsAreShown(t *testing.T) {
	const rule = " is not a valid name; a name is a letter or digit, then letters, digits, dots, underscores and hyphens"
	for line, want := range map[string]string{
		"//resilience:breaker pаyments":              `"pаyments" (а is U+0430, which looks like a)` + rule + "; did you mean payments?",
		"//resilience:probe οrders":                  `"οrders" (ο is U+03BF, which looks like o)` + rule + "; did you mean orders?",
		"//resilience:anticipate check=pаyments":     `"pаyments" (а is U+0430, which looks like a)` + rule + "; did you mean payments?",
		"//resilience:anticipate preload=pаyments:1": `"pаyments" (а is U+0430, which looks like a)` + rule + "; did you mean payments?",
		"//resilience:anticipate preload=payments：1": `"payments：1" (： is U+FF1A, which looks like :)` + rule,
		"//resilience:anticipate preload=payments:١": `"١" (١ is U+0661) cannot be the number of permits of bulkhead "payments"`,
		"//resilience:breaker pay\u200bments":        `"pay\u200bments" (it has U+200B, which nobody sees)` + rule + "; did you mean payments?",
		"//resilience:breaker “payments”":            `"“payments”" (“ is U+201C, which looks like ", ” is U+201D, which looks like ")` + rule + "; did you mean payments?",
		"//resilience:breaker solver–remote":         `"solver–remote" (– is U+2013, which looks like -)` + rule + "; did you mean solver-remote?",
		"//resilience:brеaker":                       "there is no such directive (е is U+0435, which looks like e); did you mean breaker?",
		"//resilience:breaker\u200bpayments":         "there is no such directive (it has U+200B, which nobody sees); did you mean breaker?",
		"//resilience:breaker classifу=f":            `unknown key "classifу" (у is U+0443, which looks like y); did you mean classify?`,
		"//resilience:breaker classify＝f":            `"classify＝f" (＝ is U+FF1D, which looks like =)` + rule,
		"//resilience:none timеout":                  `there is no guard "timеout" (е is U+0435, which looks like e) to opt out of; did you mean timeout?`,
		"//resilience:breaker a classify=f b“":       `argument "b“" (“ is U+201C, which looks like ") is one too many`,
		"//rеsilience:breaker b":                     `"//rеsilience:breaker b" (е is U+0435, which looks like e) looks like a directive but is none; write //resilience:breaker b`,
		"//rеsіlіеnсе:brеаkеr b":                     `looks like a directive but is none; write //resilience:breaker b`,
		"//resilience：breaker b":                     `"//resilience：breaker b" (： is U+FF1A, which looks like :) looks like a directive but is none; write //resilience:breaker b`,
		"//resil\u200bience:breaker b":               `"//resil\u200bience:breaker b" (it has U+200B, which nobody sees) looks like a directive but is none; write //resilience:breaker b`,
		"//\u00a0resilience:breaker b":               `"//\u00a0resilience:breaker b" (it has U+00A0, which looks like a space) looks like a directive`,
		"//resilience\u00a0:breaker b":               `(it has U+00A0, which looks like a space) looks like a directive`,
		"//resilience:none\u00a0timеout":             `there is no guard "timеout" (е is U+0435, which looks like e) to opt out of; did you mean timeout?`,
		"/* resilience：breaker b */":                 `"resilience：breaker b" (： is U+FF1A, which looks like :) stands in a block comment`,
	} {
		t.Run(line, func(t *testing.T) {
			if got := onMethod(t, line); !strings.Contains(got, want) || strings.Contains(got, "\n") {
				t.Errorf("got\n%s, want\n%s", got, want)
			}
		})
	}
}

func TestFieldG15ASpaceThatNobodyTellsApartEndsAName(t *testing.T) {
	for _, space := range []string{"\u00a0", "\u3000", "\u2009"} {
		if got := onMethod(t, "//resilience:breaker"+space+"payments"); got != "" {
			t.Errorf("%q: %s", space, got)
		}
	}
}

// Only what could be no prose, where a directive could stand, is a fault.
func TestFieldG09AGuessIsAWarning(t *testing.T) {
	const above = "package p\n\n"
	for name, c := range map[string]struct {
		src   string
		fault bool
	}{
		"a constant":                         {"//resilience timeout\nconst timeout = 1", false},
		"a constant with a colon":            {"// Resilience: timeout\nconst timeout = 1", false},
		"a constant as the directive":        {"// resilience:timeout\nconst timeout = 1", false},
		"a group of constants":               {"const (\n\t// resilience:timeout slow\n\ttimeout = 1\n)", false},
		"a variable":                         {"//Resilience:breaker\nvar timeout = 1", false},
		"a function":                         {"// resilience:breaker\nfunc f() {}", false},
		"a struct":                           {"// resilience:breaker payments\ntype S struct{}", false},
		"above nothing":                      {"// resilience:breaker payments", false},
		"a block comment":                    {"/*\nresilience:breaker payments\n*/\nvar x int", false},
		"behind an interface":                {"type I interface{ Do() error } // resilience:breaker b", false},
		"prose of an interface":              {"// I has a\n//\n// resilience timeout\ntype I interface{ Do() error }", false},
		"a title in an interface":            {"// Resilience: timeout\ntype I interface{ Do() error }", false},
		"several kinds":                      {"// resilience: timeout, bulkhead\ntype I interface{ Do() error }", false},
		"a slip of a kind in prose":          {"// resilience:brakers\ntype I interface{ Do() error }", false},
		"a space too many":                   {"// resilience:breaker b\ntype I interface{ Do() error }", true},
		"a space too many, of a method":      {"type I interface {\n\t// resilience:breaker b\n\tDo() error\n}", true},
		"a space behind the colon":           {"//resilience: breaker b\ntype I interface{ Do() error }", true},
		"a capital letter":                   {"//Resilience:breaker b\ntype I interface{ Do() error }", true},
		"a slip of the tool":                 {"//resilence:breaker b\ntype I interface{ Do() error }", true},
		"the directive in a block comment":   {"/* resilience:breaker b */\ntype I interface{ Do() error }", true},
		"at the end of an interface":         {"type I interface {\n\tDo() error\n\t// resilience:breaker b\n}", true},
		"a directive on a constant":          {"//resilience:timeout\nconst timeout = 1", true},
		"a directive in a function":          {"func f() {\n\t//resilience:timeout\n}", true},
		"an alias of an interface elsewhere": {"// resilience:breaker b\ntype I = lib.I", true},
	} {
		t.Run(name, func(t *testing.T) {
			got := report(t, []byte(above+c.src+"\n"))
			if warned := strings.Contains(got, ": warning: resilience"); got == "" || strings.Count(got, "\n") != 1 || warned == c.fault {
				t.Errorf("fault wanted: %v; got %q", c.fault, got)
			}
		})
	}
}

func TestClientsC17NoneOptsOutOfKinds(t *testing.T) {
	const allowed = " (allowed: breaker, ratelimit, bulkhead, timeout"
	for line, want := range map[string]string{
		"none timeout":          "",
		"none timeout breaker":  "",
		`none "timeout"`:        "",
		"none timout":           `there is no guard "timout" to opt out of; did you mean timeout?` + allowed + ")",
		"none circuitbreaker":   `there is no guard "circuitbreaker" to opt out of` + allowed + "; //resilience:none alone opts out of all)",
		"none anticipate":       `there is no guard "anticipate" to opt out of` + allowed + "; //resilience:none alone opts out of all)",
		"none all":              `there is no guard "all" to opt out of` + allowed + "; //resilience:none alone opts out of all)",
		"none timeout timeout":  "timeout is written twice; write it once",
		"none timeout,breaker":  `there is no guard "timeout,breaker" to opt out of; did you mean timeout breaker?` + allowed + ")",
		"none timeout, breaker": `there is no guard "timeout," to opt out of; did you mean timeout?` + allowed + ")",
		"none kind=timeout":     `unknown key "kind" (allowed: //resilience:none [KIND…])`,
		"none 300ms":            `there is no guard "300ms" to opt out of` + allowed + "; //resilience:none alone opts out of all)",
		`none ""`:               `there is no guard "" to opt out of` + allowed + "; //resilience:none alone opts out of all)",
	} {
		if got := onMethod(t, "//resilience:"+line); got != want {
			t.Errorf("%s: got\n%s, want\n%s", line, got, want)
		}
	}
}

func TestClientsC17NoneContradictsItsKindsAlone(t *testing.T) {
	const contradiction = "in line 5, which guards Do; keep one of them"
	for lines, want := range map[string]string{
		"none timeout\n//resilience:timeout slow":           "contradicts timeout " + contradiction,
		"none timeout breaker\n//resilience:breaker b":      "contradicts breaker " + contradiction,
		"none timeout\n//resilience:breaker b":              "",
		"none timeout\n//resilience:anticipate check=b":     "",
		"none\n//resilience:anticipate check=b":             "contradicts anticipate " + contradiction,
		"none timout\n//resilience:timeout slow":            `there is no guard "timout" to opt out of; did you mean timeout? (allowed: breaker, ratelimit, bulkhead, timeout)`,
		"none timeout\n//resilience:probe":                  "",
		"none timeout bulkhead\n//resilience:bulkhead pool": "contradicts bulkhead " + contradiction,
	} {
		if got := onMethod(t, "//resilience:"+lines); got != want {
			t.Errorf("%s: got\n%s, want\n%s", lines, got, want)
		}
	}
}

func TestFieldG15AWrapperThatIsNotNamedAsItLooksIsWorthAWarning(t *testing.T) {
	for name, want := range map[string]string{
		"Sаfe":   "S has wrapper at 3:1, Sаfe at 3:22\nin.go:3:22: warning: resilience:wrapper: the name is Sаfe (а is U+0430, which looks like a); write Safe if that is meant\n",
		"Größe":  "S has wrapper at 3:1, Größe at 3:22\n",
		"Защита": "S has wrapper at 3:1, Защита at 3:22\n",
	} {
		if got := report(t, []byte("package p\n\n//resilience:wrapper "+name+"\ntype S interface{ Do() error }\n")); got != want {
			t.Errorf("got\n%s, want\n%s", got, want)
		}
	}
}

// containsLines reports whether each line of got contains that of want.
func containsLines(got, want string) bool {
	gotten, wanted := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i, line := range wanted {
		if len(gotten) != len(wanted) || !strings.Contains(gotten[i], line) {
			return false
		}
	}
	return true
}
