package engine

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func at(text string) time.Time {
	when, err := time.Parse(time.RFC3339, text)
	if err != nil {
		panic(err)
	}
	return when
}

func TestRecurringTimesFollowTheClocksOfAZone(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ rrule, zone, after, want string }{
		{"FREQ=WEEKLY;BYDAY=MO;BYHOUR=9;BYMINUTE=0", "Europe/Warsaw", "2026-03-23T08:00:00Z", "2026-03-30T07:00:00Z"}, // the clocks changed
		{"FREQ=WEEKLY;BYDAY=MO;BYHOUR=9", "Europe/Warsaw", "2026-03-23T07:59:59Z", "2026-03-23T08:00:00Z"},
		{"RRULE:FREQ=DAILY;BYHOUR=2;BYMINUTE=30", "Europe/Warsaw", "2026-03-28T12:00:00Z", "2026-03-29T01:00:00Z"}, // skipped: the end of the gap
		{"FREQ=DAILY;BYHOUR=2;BYMINUTE=30", "Europe/Warsaw", "2026-10-24T12:00:00Z", "2026-10-25T00:30:00Z"},       // shown twice: the first
		{"FREQ=DAILY;BYHOUR=2;BYMINUTE=30", "Europe/Warsaw", "2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z"},       // and once
		{"FREQ=MONTHLY;BYMONTHDAY=31", "UTC", "2026-01-31T00:00:00Z", "2026-03-31T00:00:00Z"},
		{"FREQ=MONTHLY;BYMONTHDAY=-1;BYHOUR=18", "America/New_York", "2026-02-01T00:00:00Z", "2026-02-28T23:00:00Z"},
		{"FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29", "UTC", "2026-01-01T00:00:00Z", "2028-02-29T00:00:00Z"},
		{"FREQ=WEEKLY;INTERVAL=2;BYDAY=TH", "UTC", "2026-03-27T00:00:00Z", "2026-04-09T00:00:00Z"}, // counted from the week it began in
		{"FREQ=HOURLY", "Asia/Kolkata", "2026-01-01T00:00:00Z", "2026-01-01T00:30:00Z"},
	} {
		r, err := ParseRecurrence(c.rrule)
		require.NoError(t, err, c.rrule)
		got, ok := r.Next(at(c.after), Date{2026, 3, 23}, zone(t, c.zone))
		if c.after < "2026-03-23" {
			got, ok = r.Next(at(c.after), Date{2026, 1, 1}, zone(t, c.zone))
		}
		require.True(t, ok, c.rrule)
		require.Equal(t, c.want, got.UTC().Format(time.RFC3339), c.rrule)
	}
	once, err := ParseRecurrence("FREQ=DAILY;COUNT=2")
	require.NoError(t, err)
	_, ok := once.Next(at("2026-01-05T00:00:00Z"), Date{2026, 1, 1}, time.UTC)
	require.False(t, ok, "it is over")
}

func TestRecurringTimesAreReadStrictly(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "weekly", "FREQ=MINUTELY", "FREQ=SECONDLY", "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30", "DTSTART:20260101T000000Z\nRRULE:FREQ=DAILY",
		"FREQ=DAILY;BYHOUR=0,1,2,3,4,5,6,7,8;BYMINUTE=0,10,20"} {
		_, err := ParseRecurrence(text)
		require.Error(t, err, text)
	}
}

func TestDatesOfPeopleComeWhereTheyLive(t *testing.T) {
	t.Parallel()
	nine := &TimeOfDay{Hour: 9}
	before := &Offset{Duration: Duration{3, Days}, Direction: Before}
	for name, c := range map[string]struct {
		watch      DateWatch
		date       any
		zone, now  string
		want, then string
	}{
		"Once":              {DateWatch{At: nine}, "2026-05-14", "Europe/Warsaw", "2026-03-23T09:00:00Z", "2026-05-14T07:00:00Z", ""},
		"OnceBefore":        {DateWatch{At: nine, Offset: before}, "2026-05-14", "Europe/Warsaw", "2026-03-23T09:00:00Z", "2026-05-11T07:00:00Z", ""},
		"OncePast":          {DateWatch{At: nine}, "2020-05-14", "", "2026-03-23T09:00:00Z", "", ""},
		"AnInstant":         {DateWatch{Offset: &Offset{Duration: Duration{2, Hours}, Direction: After}}, "2026-05-14T10:00:00Z", "Asia/Tokyo", "2026-03-23T09:00:00Z", "2026-05-14T12:00:00Z", ""},
		"Birthday":          {DateWatch{At: nine, Yearly: true}, "1990-05-14", "America/New_York", "2026-05-14T13:00:00Z", "2027-05-14T13:00:00Z", "2028-05-14T13:00:00Z"},
		"BirthdayToCome":    {DateWatch{At: nine, Yearly: true}, "1990-05-14", "America/New_York", "2026-05-14T12:59:59Z", "2026-05-14T13:00:00Z", "2027-05-14T13:00:00Z"},
		"TheTwentyNinth":    {DateWatch{At: nine, Yearly: true}, "2024-02-29", "UTC", "2026-03-01T00:00:00Z", "2027-02-28T09:00:00Z", "2028-02-29T09:00:00Z"},
		"BeforeNewYear":     {DateWatch{At: nine, Yearly: true, Offset: before}, "1990-01-02", "UTC", "2026-12-30T08:00:00Z", "2026-12-30T09:00:00Z", "2027-12-30T09:00:00Z"},
		"NotBeforeItself":   {DateWatch{At: nine, Yearly: true}, "2030-05-14", "UTC", "2026-03-01T00:00:00Z", "2030-05-14T09:00:00Z", "2031-05-14T09:00:00Z"},
		"NoDate":            {DateWatch{At: nine, Yearly: true}, "soon", "UTC", "2026-03-01T00:00:00Z", "", ""},
		"ATimeTheZoneSkips": {DateWatch{At: &TimeOfDay{Hour: 2, Minute: 30}}, "2026-03-29", "Europe/Warsaw", "2026-03-01T00:00:00Z", "2026-03-29T01:00:00Z", ""},
	} {
		c.watch.Field = "date"
		person := &Contact{Zone: c.zone, Fields: map[string]any{"date": c.date}}
		got, ok := c.watch.Next(person, "UTC", at(c.now))
		require.Equal(t, c.want != "", ok, name)
		if !ok {
			continue
		}
		require.Equal(t, c.want, got.At.Format(time.RFC3339), name)
		if got, ok = c.watch.Next(person, "UTC", got.At); c.then != "" {
			require.Equal(t, c.then, got.At.Format(time.RFC3339), name)
		} else {
			require.False(t, ok, name)
		}
	}
}

func TestTheNextDateIsAlwaysToComeAndNoneIsSkipped(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		watch := DateWatch{Field: "date", Yearly: true}
		if rapid.Bool().Draw(t, "moved") {
			watch.Offset = &Offset{Duration: Duration{rapid.IntRange(0, 800).Draw(t, "amount"), Days}, Direction: rapid.SampledFrom([]string{Before, After}).Draw(t, "direction")}
		}
		if rapid.Bool().Draw(t, "timed") {
			watch.At = &TimeOfDay{Hour: rapid.IntRange(0, 23).Draw(t, "hour")}
		}
		day := Date{rapid.IntRange(1930, 2025).Draw(t, "year"), time.Month(rapid.IntRange(1, 12).Draw(t, "month")), rapid.IntRange(1, 28).Draw(t, "day")}
		person := &Contact{Zone: rapid.SampledFrom([]string{"Europe/Warsaw", "Pacific/Apia", "America/Sao_Paulo", ""}).Draw(t, "zone"), Fields: map[string]any{"date": day.String()}}
		now := noon.Add(time.Duration(rapid.IntRange(-9000, 9000).Draw(t, "hours")) * time.Hour)
		first, ok := watch.Next(person, "UTC", now)
		require.True(t, ok)
		require.True(t, first.At.After(now))
		second, ok := watch.Next(person, "UTC", first.At)
		require.True(t, ok)
		require.WithinDuration(t, first.At.AddDate(1, 0, 0), second.At, 36*time.Hour, "once a year")
		middle, ok := watch.Next(person, "UTC", now.Add(first.At.Sub(now)/2))
		require.True(t, ok)
		require.Equal(t, first, middle)
		require.NotEqual(t, first.Day, second.Day)
		person.Zone = rapid.SampledFrom([]string{"Asia/Tokyo", "America/Los_Angeles", "Pacific/Kiritimati"}).Draw(t, "moved to")
		moved, ok := watch.Follow(person, "UTC", first.At, first.Day, "")
		require.True(t, ok)
		require.Equal(t, second.Day, moved.Day, "nobody hears twice of a day because they move")
		awaited, ok := watch.Follow(person, "UTC", now, "", first.Day)
		require.True(t, ok)
		// West of here a day that nobody was told of may be to come still.
		require.LessOrEqual(t, awaited.Day, first.Day, "and nobody misses one")
		require.False(t, awaited.At.Before(now))
	})
}
