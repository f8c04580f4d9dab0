package setting

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

type common struct {
	Longest time.Duration `setting:"longest" default:"1m" range:"(0s,8760h]" doc:"longest stay"`
}

type sample struct {
	common
	Trials    int            `setting:"trials" default:"=threshold" range:"[1,1001)" doc:"trials"`
	Threshold int            `setting:"threshold" default:"3" range:"[1,1000]" doc:"failures that open it"`
	Rate      float64        `setting:"rate" default:"21" range:"(0,100]" doc:"percent"`
	Window    string         `setting:"window" default:"CALLS" oneof:"CALLS,SECONDS" doc:"what is counted"`
	Fast      bool           `setting:"fast" default:"true" doc:"fast"`
	Limit     *int           `setting:"limit" range:"[0,)" doc:"waiting calls at most"`
	Wait      *time.Duration `setting:"wait" range:"[1ms,1h]" doc:"wait"`
	Pause     *time.Duration `setting:"pause" default:"=longest" range:"[0s,8760h]" doc:"pause"`
	cache     int
}

func TestDescribeSaysWhatTheTagsSay(t *testing.T) {
	got := Describe(&sample{})
	want := []Field{
		{Name: "longest", Type: Duration, Default: time.Minute, Range: Range{Low: time.Duration(0), High: 8760 * time.Hour, LowOpen: true}, Doc: "longest stay"},
		{Name: "trials", Type: Int, Like: "threshold", Range: Range{Low: 1, High: 1001, HighOpen: true}, Doc: "trials"},
		{Name: "threshold", Type: Int, Default: 3, Range: Range{Low: 1, High: 1000}, Doc: "failures that open it"},
		{Name: "rate", Type: Float, Default: 21.0, Range: Range{Low: 0.0, High: 100.0, LowOpen: true}, Doc: "percent"},
		{Name: "window", Type: Text, Default: "CALLS", OneOf: []string{"CALLS", "SECONDS"}, Doc: "what is counted"},
		{Name: "fast", Type: Bool, Default: true, Doc: "fast"},
		{Name: "limit", Type: Int, Optional: true, Range: Range{Low: 0, HighOpen: true}, Doc: "waiting calls at most"},
		{Name: "wait", Type: Duration, Optional: true, Range: Range{Low: time.Millisecond, High: time.Hour}, Doc: "wait"},
		{Name: "pause", Type: Duration, Optional: true, Like: "longest", Range: Range{Low: time.Duration(0), High: 8760 * time.Hour}, Doc: "pause"},
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(Field{})); diff != "" {
		t.Errorf("description (-want +got):\n%s", diff)
	}
}

func TestDefaultsFillEverySetting(t *testing.T) {
	s := sample{cache: 7, Limit: new(9)}
	Defaults(&s)
	want := sample{
		common: common{Longest: time.Minute},
		Trials: 3, Threshold: 3, Rate: 21, Window: "CALLS", Fast: true, Pause: new(time.Minute), cache: 7,
	}
	if diff := cmp.Diff(want, s, cmp.AllowUnexported(sample{}, common{})); diff != "" {
		t.Errorf("defaults (-want +got):\n%s", diff)
	}
}

func TestFillPrefersWhatIsGiven(t *testing.T) {
	var s sample
	Fill(&s, map[string]any{"threshold": 8, "limit": 0, "longest": time.Second})
	if s.Threshold != 8 || s.Trials != 8 {
		t.Errorf("threshold %d, trials %d; want both 8, for trials are as many as the threshold", s.Threshold, s.Trials)
	}
	if s.Limit == nil || *s.Limit != 0 {
		t.Errorf("limit is %v, want 0, which is not the same as off", s.Limit)
	}
	if *s.Pause != time.Second {
		t.Errorf("pause is %v, want the longest stay, 1s", *s.Pause)
	}
}

func TestGetReadsWhatSetWrote(t *testing.T) {
	var s sample
	for _, f := range Describe(&s) {
		value := f.Default
		if value == nil && f.Type == Duration {
			value = time.Hour
		}
		if value == nil {
			value = 5
		}
		f.Set(&s, value)
		if got := f.Get(&s); got != value {
			t.Errorf("%s is %v after it was set to %v", f.Name, got, value)
		}
		f.Set(&s, nil)
		if got := f.Get(&s); f.Optional && got != nil {
			t.Errorf("%s is %v after it was switched off", f.Name, got)
		}
	}
}

func TestAcceptsSaysWhatIsWrong(t *testing.T) {
	fields := map[string]*Field{}
	for _, f := range Describe(&sample{}) {
		fields[f.Name] = &f
	}
	tests := []struct {
		field string
		value any
		want  string
	}{
		{"threshold", 1, ""},
		{"threshold", 1000, ""},
		{"threshold", 0, "0 is outside [1, 1000]"},
		{"threshold", 1001, "1001 is outside [1, 1000]"},
		{"rate", 0.5, ""},
		{"rate", 0.0, "0 is outside (0, 100]"},
		{"rate", 100.5, "100.5 is outside (0, 100]"},
		{"longest", time.Duration(0), "0s is outside (0s, 8760h]"},
		{"longest", 8760 * time.Hour, ""},
		{"longest", 8760*time.Hour + 1, "8760h0m0.000000001s is outside (0s, 8760h]"},
		{"trials", 1001, "1001 is outside [1, 1001)"},
		{"limit", -1, "-1 is outside [0, )"},
		{"limit", 1 << 60, ""},
		{"window", "SECONDS", ""},
		{"window", "MINUTES", "MINUTES is not CALLS or SECONDS"},
		{"fast", false, ""},
	}
	for _, test := range tests {
		got := ""
		if err := fields[test.field].Accepts(test.value); err != nil {
			got = err.Error()
		}
		if got != test.want {
			t.Errorf("%s %v: %q, want %q", test.field, test.value, got, test.want)
		}
	}
}

func TestDescribeRefusesWrongTags(t *testing.T) {
	tests := []struct {
		about    string
		settings any
		want     string
	}{
		{"a type that can't be a setting", &struct {
			A uint `setting:"a"`
		}{}, "uint can't be a setting"},
		{"no default", &struct {
			A int `setting:"a"`
		}{}, "no default"},
		{"a default outside the range", &struct {
			A int `setting:"a" default:"3" range:"[5,9]"`
		}{}, "3 is outside [5, 9]"},
		{"a default that is no number", &struct {
			A int `setting:"a" default:"x"`
		}{}, "invalid syntax"},
		{"a range without a comma", &struct {
			A int `setting:"a" default:"3" range:"[5]"`
		}{}, "bad range"},
		{"a range of texts", &struct {
			A string `setting:"a" default:"x" range:"[a,b]"`
		}{}, "bad range"},
		{"a duration without a range", &struct {
			A time.Duration `setting:"a" default:"1s"`
		}{}, "from 0s or later"},
		{"a duration that may be negative", &struct {
			A time.Duration `setting:"a" default:"1s" range:"[-1s,1h]"`
		}{}, "from 0s or later"},
		{"a duration without an end", &struct {
			A time.Duration `setting:"a" default:"1s" range:"[0s,)"`
		}{}, "from 0s or later"},
		{"a usual length outside the range", &struct {
			A time.Duration `setting:"a" default:"1s" range:"[0s,1m]" usual:"1h"`
		}{}, "bad usual"},
		{"a usual length of a number", &struct {
			A int `setting:"a" default:"1" range:"[0,9]" usual:"1h"`
		}{}, "bad usual"},
		{"the default of nobody", &struct {
			A int `setting:"a" default:"=b"`
		}{}, "no setting of its type"},
		{"two defaults that refer to each other", &struct {
			A int `setting:"a" default:"=b"`
			B int `setting:"b" default:"=a"`
		}{}, "no setting of its type"},
	}
	for _, test := range tests {
		t.Run(test.about, func(t *testing.T) {
			defer func() {
				if text, _ := recover().(string); !strings.Contains(text, test.want) {
					t.Errorf("panic %q, want one about %q", text, test.want)
				}
			}()
			Describe(test.settings)
		})
	}
}
