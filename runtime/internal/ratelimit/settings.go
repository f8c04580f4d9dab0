package ratelimit

import (
	"fmt"
	"math"
	"math/bits"
	"time"

	"github.com/resgen-go/resgen/runtime/internal/dryrun"
	"github.com/resgen-go/resgen/runtime/internal/setting"
)

// Settings are what a user tunes.
type Settings struct {
	Limit           *int          `setting:"limit" range:"[1,1000000000]" doc:"calls that may begin in a period; without it nothing is limited"`
	Period          time.Duration `setting:"period" default:"1s" range:"[1ms,8760h]" usual:"1h" doc:"time for which limit holds"`
	Burst           int           `setting:"burst" default:"1" range:"[1,1000000000]" doc:"calls that may begin at once after a pause; 1 spaces them evenly"`
	MaxWaitDuration time.Duration `setting:"maxWaitDuration" default:"0s" range:"[0s,8760h]" usual:"10s" doc:"how long a call waits for its turn at most; 0 refuses at once"`
	QueueCapacity   *int          `setting:"queueCapacity" range:"[0,2147483647]" doc:"calls that may wait at the same time; unbounded when absent"`
	dryrun.Enforcement
}

// longestFill is how long a burst may take to be there again.
const longestFill = 8760 * time.Hour

// Check finds a burst that a rate would not fill in a lifetime.
func (s *Settings) Check() []setting.Problem {
	if fill := s.fill(); s.Limit != nil && fill > longestFill {
		return []setting.Problem{{Field: "burst", Other: "limit", Message: fmt.Sprintf(
			"%d take more than %s at limit %d in %s", s.Burst, setting.Format(longestFill), *s.Limit, setting.Format(s.Period))}}
	}
	return nil
}

// Most is the most tokens that can be there at once.
func (s *Settings) Most() int {
	if s.Limit == nil {
		return math.MaxInt
	}
	return s.Burst
}

// fill is the time in which the rate gives a whole burst, and a nanosecond more
// than a year if it takes longer than that.
func (s *Settings) fill() time.Duration {
	if s.Limit == nil {
		return 0
	}
	high, low := bits.Mul64(uint64(s.Burst), uint64(s.Period))
	if high >= uint64(*s.Limit) {
		return longestFill + 1
	}
	fill, _ := bits.Div64(high, low, uint64(*s.Limit))
	return time.Duration(min(fill, uint64(longestFill+1)))
}
