package engine

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestTheLongestWaitForQuietHoursToEnd(t *testing.T) {
	t.Parallel()
	at := func(hour int) TimeOfDay { return TimeOfDay{Hour: hour} }
	night := QuietHours{From: at(21), To: at(8)}
	weekend := QuietHours{Days: []time.Weekday{time.Saturday, time.Sunday}}
	for name, c := range map[string]struct {
		quiet []QuietHours
		want  time.Duration
		ends  bool
	}{
		"none":                         {nil, 0, true},
		"a night":                      {[]QuietHours{night}, 11 * time.Hour, true},
		"a weekend":                    {[]QuietHours{weekend}, 48 * time.Hour, true},
		"a weekend between two nights": {[]QuietHours{night, weekend}, 59 * time.Hour, true},
		"always":                       {[]QuietHours{{}}, 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, ends := longestQuiet(c.quiet)
			require.Equal(t, c.ends, ends)
			require.Equal(t, c.want, got)
		})
	}
}
