package runner_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/backend/people"
	"github.com/lejek/lejek/backend/spinetest"
	"github.com/lejek/lejek/backend/store/storetest"
)

// lives puts a person, who may get mail, into a zone.
func lives(w *spinetest.World, email, zone string) {
	w.Helper()
	_, err := w.People.Upsert(w.Context(), w.Workspace, people.Input{Email: email, Zone: &zone, Consents: []people.ConsentInput{
		{Channel: "email", State: people.Granted, Source: "test"},
	}}, "test")
	require.NoError(w, err)
}

// instant reads a time with its offset.
func instant(t *testing.T, text string) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339, text)
	require.NoError(t, err)
	return at
}

// mailed is how the mails of a world with one letter read that left at an instant.
func mailed(at time.Time) []string { return []string{"letter " + at.UTC().Format("01-02 15:04:05")} }

func TestFault_19_AZoneChangesWhileSomebodyWaits(t *testing.T) {
	t.Parallel()
	w := spinetest.New(t) // nine in the morning in UTC, the workspace's zone
	w.Funnel("nine", steps("go", "wait", `{"mode": "duration", "for": {"amount": 1, "unit": "days"}, "at": "09:00"}`, "send_email", letterStep))
	for who, zone := range map[string]string{"stays": "UTC", "east": "UTC", "west": "UTC", "back": "Asia/Tokyo", "visitor": "Asia/Tokyo"} {
		lives(w, who+"@example.com", zone)
		w.Event(who+"@example.com", "go", nil)
	}
	w.To(storetest.Now.Add(18 * time.Hour)) // three in the night in UTC, noon in Tokyo: nine there has been
	require.Equal(t, 2, w.Count("SELECT count(*) FROM messages"), "those in Tokyo have got theirs")
	lives(w, "east@example.com", "Asia/Tokyo") // nine of that day is over there
	lives(w, "west@example.com", "America/New_York")
	w.Settle()
	moved := mailed(storetest.Now.Add(18 * time.Hour))
	require.Equal(t, moved, w.Sent("east@example.com"), "what is past in the new zone goes on now, and never in a burst")
	w.To(storetest.Now.AddDate(0, 0, 3))
	require.Equal(t, mailed(storetest.Now.AddDate(0, 0, 1)), w.Sent("stays@example.com"))
	require.Equal(t, mailed(time.Date(2026, 3, 24, 13, 0, 0, 0, time.UTC)), w.Sent("west@example.com"))
	w.Audit()
}

func TestFault_19_AZoneNobodyKnowsIsTheWorkspaces(t *testing.T) {
	t.Parallel()
	w := spinetest.New(t)
	w.Exec("UPDATE workspaces SET zone = 'Europe/Warsaw' WHERE id = $1", w.Workspace)
	w.Funnel("nine", steps("go", "wait", `{"mode": "duration", "for": {"amount": 1, "unit": "days"}, "at": "09:00"}`, "send_email", letterStep))
	zone := "Mars/Olympus_Mons"
	_, err := w.People.Upsert(t.Context(), w.Workspace, people.Input{Email: "refused@example.com", Zone: &zone}, "test")
	require.Error(t, err, "it is refused where it is entered")
	for _, who := range []string{"none", "renamed", "while"} {
		lives(w, who+"@example.com", "")
	}
	lives(w, "while@example.com", "Asia/Tokyo")
	w.Exec("UPDATE contacts SET zone = $2 WHERE workspace_id = $1 AND email = 'renamed@example.com'", w.Workspace, zone) // of a list of zones that knew it
	for _, who := range []string{"none", "renamed", "while"} {
		w.Event(who+"@example.com", "go", nil)
	}
	w.To(storetest.Now)
	w.Exec("UPDATE contacts SET zone = $2 WHERE workspace_id = $1 AND email = 'while@example.com'", w.Workspace, zone)
	w.To(storetest.Now.AddDate(0, 0, 3))
	nine := mailed(time.Date(2026, 3, 24, 8, 0, 0, 0, time.UTC))
	require.Equal(t, nine, w.Sent("none@example.com"))
	require.Equal(t, nine, w.Sent("renamed@example.com"))
	require.Len(t, w.Sent("while@example.com"), 1, "a zone that is gone while somebody waits loses nobody")
	require.Zero(t, w.Count("SELECT count(*) FROM runs WHERE status = 'parked'"))
	w.Audit()
}

func TestFault_20_LocalTimesOverClockChanges(t *testing.T) {
	t.Parallel()
	date := func(local string) string { return fmt.Sprintf(`{"mode": "date", "date": %q}`, local) }
	in := func(amount int, unit, at string) string {
		if at != "" {
			at = fmt.Sprintf(`, "at": %q`, at)
		}
		return fmt.Sprintf(`{"mode": "duration", "for": {"amount": %d, "unit": %q}%s}`, amount, unit, at)
	}
	for name, c := range map[string]struct{ zone, start, wait, end string }{
		"BerlinGap":             {"Europe/Berlin", "2027-03-27T12:00:00+01:00", date("2027-03-28T02:30"), "2027-03-28T03:00:00+02:00"},
		"BerlinGapByDays":       {"Europe/Berlin", "2027-03-27T02:30:00+01:00", in(1, "days", ""), "2027-03-28T03:00:00+02:00"},
		"BerlinGapByHours":      {"Europe/Berlin", "2027-03-27T12:00:00+01:00", in(24, "hours", ""), "2027-03-28T13:00:00+02:00"},
		"BerlinFold":            {"Europe/Berlin", "2027-10-30T12:00:00+02:00", date("2027-10-31T02:30"), "2027-10-31T02:30:00+02:00"},
		"BerlinFoldFromInside":  {"Europe/Berlin", "2027-10-31T02:15:00+02:00", in(60, "minutes", ""), "2027-10-31T02:15:00+01:00"},
		"NewYorkGap":            {"America/New_York", "2027-03-13T12:00:00-05:00", in(1, "days", "02:30"), "2027-03-14T03:00:00-04:00"},
		"NewYorkFold":           {"America/New_York", "2027-11-06T12:00:00-04:00", in(1, "days", "01:30"), "2027-11-07T01:30:00-04:00"},
		"NewYorkOffsetAtTarget": {"America/New_York", "2027-11-01T12:00:00-04:00", in(2, "weeks", "09:00"), "2027-11-15T09:00:00-05:00"},
		"CairoGapAtMidnight":    {"Africa/Cairo", "2027-04-29T12:00:00+02:00", date("2027-04-30T00:15"), "2027-04-30T01:00:00+03:00"},
		"CairoFoldAtMidnight":   {"Africa/Cairo", "2027-10-28T12:00:00+03:00", date("2027-10-28T23:30"), "2027-10-28T23:30:00+03:00"},
		"LordHoweGapOfHalf":     {"Australia/Lord_Howe", "2027-10-02T12:00:00+10:30", date("2027-10-03T02:10"), "2027-10-03T02:30:00+11:00"},
		"LordHoweFoldOfHalf":    {"Australia/Lord_Howe", "2027-04-03T12:00:00+11:00", date("2027-04-04T01:45"), "2027-04-04T01:45:00+11:00"},
		"KolkataNeverChanges":   {"Asia/Kolkata", "2027-03-27T12:00:00+05:30", in(1, "days", "09:15"), "2027-03-28T09:15:00+05:30"},
		"LeapDay":               {"Asia/Kolkata", "2028-02-28T12:00:00+05:30", in(1, "days", ""), "2028-02-29T12:00:00+05:30"},
		"AfterLeapDay":          {"Europe/Berlin", "2028-02-29T12:00:00+01:00", in(1, "days", "09:00"), "2028-03-01T09:00:00+01:00"},
		"YearEnd":               {"America/New_York", "2027-12-31T23:30:00-05:00", in(1, "days", "00:15"), "2028-01-01T00:15:00-05:00"},
		"YearEndByMinutes":      {"Australia/Lord_Howe", "2027-12-31T23:30:00+11:00", in(45, "minutes", ""), "2028-01-01T00:15:00+11:00"},
		"WeekdayInTheGap":       {"Europe/Berlin", "2027-03-26T12:00:00+01:00", `{"mode": "weekday", "weekdays": ["sun"], "at": "02:30"}`, "2027-03-28T03:00:00+02:00"},
		"WeekdayInTheFold":      {"Europe/Berlin", "2027-10-31T02:30:00+02:00", `{"mode": "weekday", "weekdays": ["sun"], "at": "02:30"}`, "2027-11-07T02:30:00+01:00"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			start, end := instant(t, c.start), instant(t, c.end)
			w := spinetest.On(t, storetest.DB(t), start)
			lives(w, "jan@example.com", c.zone)
			w.Funnel("letters", steps("go", "wait", c.wait, "send_email", letterStep))
			w.Event("jan@example.com", "go", nil)
			w.To(end.Add(-time.Microsecond))
			require.Empty(t, w.Sent("jan@example.com"), "not early")
			w.To(end)
			require.Equal(t, mailed(end), w.Sent("jan@example.com"), "not late")
			w.Audit()
		})
	}
}
