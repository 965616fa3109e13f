package engine

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// someZones have every kind of clock change: whole and half hours, midnight, lost and repeated days, none.
var someZones = []string{
	"Europe/Berlin", "Europe/Warsaw", "Europe/London", "Europe/Dublin", "America/New_York", "America/St_Johns", "America/Sao_Paulo",
	"America/Santiago", "America/Havana", "America/Asuncion", "Africa/Cairo", "Africa/Casablanca", "Asia/Kolkata", "Asia/Kathmandu",
	"Asia/Tehran", "Asia/Gaza", "Asia/Beirut", "Asia/Amman", "Australia/Lord_Howe", "Australia/Adelaide", "Pacific/Apia",
	"Pacific/Auckland", "Pacific/Chatham", "Pacific/Kiritimati", "Antarctica/Troll", "UTC", "Europe/Moscow", "Asia/Pyongyang",
}

func zone(t require.TestingT, name string) *time.Location {
	location, err := LoadZone(name)
	require.NoError(t, err)
	return location
}

func TestLocalTimesAroundClockChanges(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ zone, local, want string }{
		{"Europe/Berlin", "2027-03-28T01:59", "2027-03-28T01:59:00+01:00"},
		{"Europe/Berlin", "2027-03-28T02:00", "2027-03-28T03:00:00+02:00"}, // the gap gives its end
		{"Europe/Berlin", "2027-03-28T02:30", "2027-03-28T03:00:00+02:00"},
		{"Europe/Berlin", "2027-03-28T03:00", "2027-03-28T03:00:00+02:00"},
		{"Europe/Berlin", "2027-10-31T02:30", "2027-10-31T02:30:00+02:00"}, // the fold gives its first
		{"Europe/Berlin", "2027-10-31T03:00", "2027-10-31T03:00:00+01:00"},
		{"America/New_York", "2027-03-14T02:30", "2027-03-14T03:00:00-04:00"},
		{"America/New_York", "2027-11-07T01:30", "2027-11-07T01:30:00-04:00"},
		{"America/St_Johns", "2027-03-14T02:30", "2027-03-14T03:00:00-02:30"},
		{"America/St_Johns", "2027-07-01T12:00", "2027-07-01T12:00:00-02:30"},
		{"Africa/Cairo", "2027-04-30T00:15", "2027-04-30T01:00:00+03:00"}, // midnight does not exist
		{"Africa/Cairo", "2027-04-30", "2027-04-30T01:00:00+03:00"},
		{"Africa/Cairo", "2027-10-28T23:30", "2027-10-28T23:30:00+03:00"},
		{"Australia/Lord_Howe", "2027-10-03T02:10", "2027-10-03T02:30:00+11:00"}, // half an hour
		{"Australia/Lord_Howe", "2027-04-04T01:45", "2027-04-04T01:45:00+11:00"},
		{"Asia/Kolkata", "2027-06-01T09:00", "2027-06-01T09:00:00+05:30"},
		{"Pacific/Apia", "2011-12-30T12:00", "2011-12-31T00:00:00+14:00"}, // a day that never was
		{"UTC", "2028-02-29T00:00", "2028-02-29T00:00:00Z"},
		{"Europe/Berlin", "2040-12-31T12:00", "2040-12-31T12:00:00+01:00"}, // where Go's own periods stand still
		{"Europe/Berlin", "2041-01-01T00:30", "2041-01-01T00:30:00+01:00"},
		{"America/New_York", "2044-12-30T20:00", "2044-12-30T20:00:00-05:00"},
		{"Pacific/Auckland", "2048-12-31T23:59", "2048-12-31T23:59:00+13:00"},
	} {
		at, err := ParseLocal(c.local, zone(t, c.zone))
		require.NoError(t, err)
		require.Equal(t, c.want, at.In(zone(t, c.zone)).Format(time.RFC3339), "%s in %s", c.local, c.zone)
	}
}

func TestDurationsFollowTheCalendar(t *testing.T) {
	t.Parallel()
	nine := &TimeOfDay{Hour: 9}
	halfPastTwo := &TimeOfDay{Hour: 2, Minute: 30}
	for _, c := range []struct {
		zone, at  string
		d         Duration
		timeOfDay *TimeOfDay
		want      string
	}{
		{"Europe/Berlin", "2027-03-27T12:00:00+01:00", Duration{24, Hours}, nil, "2027-03-28T13:00:00+02:00"},
		{"Europe/Berlin", "2027-03-27T12:00:00+01:00", Duration{1, Days}, nil, "2027-03-28T12:00:00+02:00"},
		{"Europe/Berlin", "2027-03-27T02:30:00+01:00", Duration{1, Days}, nil, "2027-03-28T03:00:00+02:00"},
		{"Europe/Berlin", "2027-10-30T02:30:00+02:00", Duration{1, Days}, nil, "2027-10-31T02:30:00+02:00"},
		{"Europe/Berlin", "2027-10-31T02:30:00+01:00", Duration{0, Days}, nil, "2027-10-31T02:30:00+01:00"},
		{"Europe/Berlin", "2027-10-30T12:00:00+02:00", Duration{2, Weeks}, nil, "2027-11-13T12:00:00+01:00"},
		{"Europe/Berlin", "2027-10-20T15:00:00+02:00", Duration{20, Days}, nine, "2027-11-09T09:00:00+01:00"}, // the offset at the target
		{"Europe/Berlin", "2027-05-10T08:00:00+02:00", Duration{3, Days}, nine, "2027-05-13T09:00:00+02:00"},
		{"Europe/Berlin", "2027-05-10T10:00:00+02:00", Duration{0, Days}, nine, "2027-05-11T09:00:00+02:00"},
		{"Europe/Berlin", "2027-05-10T09:00:00+02:00", Duration{0, Days}, nine, "2027-05-11T09:00:00+02:00"}, // not after now
		{"Europe/Berlin", "2027-05-10T08:59:59+02:00", Duration{0, Days}, nine, "2027-05-10T09:00:00+02:00"},
		{"Europe/Berlin", "2027-03-27T12:00:00+01:00", Duration{1, Days}, halfPastTwo, "2027-03-28T03:00:00+02:00"},
		{"Europe/Berlin", "2027-05-10T08:00:00+02:00", Duration{90, Minutes}, nine, "2027-05-10T09:30:00+02:00"},
		{"America/New_York", "2027-05-10T20:00:00-04:00", Duration{1, Days}, nine, "2027-05-11T09:00:00-04:00"},
		{"America/New_York", "2027-05-11T02:00:00Z", Duration{1, Days}, nine, "2027-05-11T09:00:00-04:00"}, // still the 10th there
		{"UTC", "2028-02-28T12:00:00Z", Duration{1, Days}, nil, "2028-02-29T12:00:00Z"},
		{"UTC", "2028-02-29T12:00:00Z", Duration{365, Days}, nil, "2029-02-28T12:00:00Z"},
		{"UTC", "2027-12-31T23:59:59Z", Duration{1, Days}, nil, "2028-01-01T23:59:59Z"},
		{"UTC", "2027-01-31T12:00:00Z", Duration{1, Days}, nil, "2027-02-01T12:00:00Z"},
		{"Pacific/Apia", "2011-12-29T12:00:00-10:00", Duration{1, Days}, nil, "2011-12-31T00:00:00+14:00"},
		{"Africa/Cairo", "2027-04-29T00:15:00+02:00", Duration{1, Days}, nil, "2027-04-30T01:00:00+03:00"},
	} {
		at, err := time.Parse(time.RFC3339, c.at)
		require.NoError(t, err)
		got := AddDuration(at, c.d, c.timeOfDay, zone(t, c.zone))
		require.Equal(t, c.want, got.In(zone(t, c.zone)).Format(time.RFC3339), "%s + %s in %s", c.at, c.d, c.zone)
	}
}

func TestNextWeekdayIsStrictlyAfter(t *testing.T) {
	t.Parallel()
	warsaw := zone(t, "Europe/Warsaw")
	nine := TimeOfDay{Hour: 9}
	for at, want := range map[string]string{
		"2027-05-10T08:59:59+02:00": "2027-05-10T09:00:00+02:00", // a Monday
		"2027-05-10T09:00:00+02:00": "2027-05-13T09:00:00+02:00",
		"2027-05-13T09:00:01+02:00": "2027-05-17T09:00:00+02:00",
		"2027-10-28T10:00:00+02:00": "2027-11-01T09:00:00+01:00",
		"2027-05-09T22:30:00Z":      "2027-05-10T09:00:00+02:00", // already Monday there
	} {
		from, err := time.Parse(time.RFC3339, at)
		require.NoError(t, err)
		got := NextWeekday(from, []time.Weekday{time.Monday, time.Thursday}, nine, warsaw)
		require.Equal(t, want, got.In(warsaw).Format(time.RFC3339), at)
	}
	from := time.Date(2027, 5, 10, 12, 0, 0, 0, time.UTC)
	require.Equal(t, from.AddDate(0, 0, 7), NextWeekday(from, []time.Weekday{time.Monday}, TimeOfDay{Hour: 12}, time.UTC))
	require.Equal(t, from.AddDate(0, 0, 1), NextWeekday(from, nil, TimeOfDay{Hour: 12}, time.UTC))
}

func drawInstant(t *rapid.T) time.Time {
	return time.Unix(rapid.Int64Range(0, 4_000_000_000).Draw(t, "at"), 0).UTC()
}

func TestResolveLocalRoundTrips(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		location := zone(t, rapid.SampledFrom(someZones).Draw(t, "zone"))
		at := drawInstant(t)
		local := at.In(location)
		clock := time.Duration(local.Hour())*time.Hour + time.Duration(local.Minute())*time.Minute + time.Duration(local.Second())*time.Second
		got := ResolveLocal(DateOf(at, location), clock, location)
		require.False(t, got.After(at), "the first occurrence is never after another")
		require.Equal(t, local.Format("2006-01-02T15:04:05"), got.In(location).Format("2006-01-02T15:04:05"))
	})
}

func TestResolveLocalGivesTheFirstInstantThatReachesTheFace(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		location := zone(t, rapid.SampledFrom(someZones).Draw(t, "zone"))
		// Faces near a change of the clocks, where it matters.
		_, change := drawInstant(t).In(location).ZoneBounds()
		if change.IsZero() {
			return
		}
		face := change.In(location).Add(time.Duration(rapid.IntRange(-180, 180).Draw(t, "minutes")) * time.Minute)
		wanted := time.Date(face.Year(), face.Month(), face.Day(), face.Hour(), face.Minute(), face.Second(), 0, time.UTC)
		wanted = wanted.Add(time.Duration(rapid.IntRange(-120, 120).Draw(t, "shift")) * time.Minute)
		y, m, d := wanted.Date()
		got := ResolveLocal(Date{y, m, d}, wanted.Sub(time.Date(y, m, d, 0, 0, 0, 0, time.UTC)), location)
		shows := func(at time.Time) time.Time {
			local := at.In(location)
			return time.Date(local.Year(), local.Month(), local.Day(), local.Hour(), local.Minute(), local.Second(), 0, time.UTC)
		}
		require.False(t, shows(got).Before(wanted))
		require.True(t, shows(got.Add(-time.Second)).Before(wanted), "a second before it, the clocks have not got there")
	})
}

func TestAddDurationNeverGoesBack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		location := zone(t, rapid.SampledFrom(someZones).Draw(t, "zone"))
		at := drawInstant(t)
		d := Duration{rapid.IntRange(0, 500).Draw(t, "amount"), rapid.SampledFrom([]Unit{Minutes, Hours, Days, Weeks}).Draw(t, "unit")}
		plain := AddDuration(at, d, nil, location)
		require.False(t, plain.Before(at))
		if d.Unit == Days || d.Unit == Weeks {
			days := plain.Sub(at).Hours() / 24
			require.InDelta(t, d.days(), days, 1.1)
			timeOfDay := TimeOfDay{rapid.IntRange(0, 23).Draw(t, "hour"), rapid.IntRange(0, 59).Draw(t, "minute")}
			due := AddDuration(at, d, &timeOfDay, location)
			require.True(t, due.After(at))
			require.False(t, DateOf(due, location).Start(location).Before(DateOf(at, location).AddDays(d.days()).Start(location)))
			weekday := NextWeekday(at, []time.Weekday{time.Weekday(rapid.IntRange(0, 6).Draw(t, "day"))}, timeOfDay, location)
			require.True(t, weekday.After(at))
			require.LessOrEqual(t, weekday.Sub(at), 15*24*time.Hour)
		}
	})
}

func TestEveryZoneOfTheDatabaseResolves(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("testdata/zones.txt")
	require.NoError(t, err)
	for name := range strings.FieldsSeq(string(raw)) {
		location := zone(t, name)
		for year := 1970; year < 2040; year += 3 {
			for month := time.January; month <= time.December; month++ {
				start := Date{year, month, 31}.AddDays(0).Start(location)
				require.False(t, start.IsZero(), name)
				require.True(t, AddDuration(start, Duration{1, Days}, nil, location).After(start), name)
			}
		}
	}
}

func TestDurationsAreReadStrictly(t *testing.T) {
	t.Parallel()
	var d Duration
	require.NoError(t, json.Unmarshal([]byte(`{"amount":3,"unit":"days"}`), &d))
	require.Equal(t, Duration{3, Days}, d)
	require.Equal(t, "3 days", d.String())
	require.Equal(t, 72*time.Hour, d.Window())
	for text, want := range map[string]string{
		`3`:                              "is not a duration",
		`"3 days"`:                       "is not a duration",
		`{}`:                             "needs an amount and a unit",
		`{"amount":3}`:                   "needs an amount and a unit",
		`{"amount":3,"unit":"months"}`:   `the unit "months" is not known`,
		`{"amount":-1,"unit":"days"}`:    "less than nothing",
		`{"amount":0.5,"unit":"days"}`:   "counts whole",
		`{"amount":1e300,"unit":"days"}`: "counts whole",
		`{"amount":5000,"unit":"days"}`:  "too long",
		`{"amount":3,"unit":"days","at":"09:00"}`: "is not a duration",
		`{"amount":"3","unit":"days"}`:            "is not a duration",
	} {
		err := json.Unmarshal([]byte(text), &d)
		require.ErrorContains(t, err, want, text)
	}
	require.Equal(t, Duration{3, Days}, d)
}

func TestTimesOfDayAndWeekdaysAreReadStrictly(t *testing.T) {
	t.Parallel()
	var at TimeOfDay
	require.NoError(t, json.Unmarshal([]byte(`"09:05"`), &at))
	require.Equal(t, TimeOfDay{9, 5}, at)
	written, err := json.Marshal(at)
	require.NoError(t, err)
	require.Equal(t, `"09:05"`, string(written))
	for _, text := range []string{`"9:05"`, `"24:00"`, `"09:60"`, `"09:05:00"`, `9`, `""`, `"ab:cd"`} {
		require.Error(t, json.Unmarshal([]byte(text), &at), text)
	}
	day, err := ParseWeekday("sun")
	require.NoError(t, err)
	require.Equal(t, time.Sunday, day)
	_, err = ParseWeekday("Sunday")
	require.Error(t, err)
	for _, text := range []string{"2026-02-30", "2026-2-3", "24.12.2026", "", "2026-12-24T25:00", "2026-12-24 09:00"} {
		_, err := ParseLocal(text, time.UTC)
		require.Error(t, err, text)
	}
	_, err = ParseDate("2026-12-24T09:00")
	require.Error(t, err)
	date, err := ParseDate("2028-02-29")
	require.NoError(t, err)
	require.Equal(t, "2028-03-01", date.AddDays(1).String())
}

func TestZonesAreCheckedByName(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"Local", "Europe/Atlantis", "../etc/passwd", "europe/warsaw\x00"} {
		_, err := LoadZone(name)
		require.Error(t, err, name)
	}
	require.Equal(t, "Asia/Kolkata", ZoneOf("", "Nowhere/At_All", "Asia/Kolkata", "Europe/Berlin").String())
	require.Equal(t, time.UTC, ZoneOf("", ""))
}
