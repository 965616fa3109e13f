package kindtest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/backend/store/storetest"
)

// birthdays is a funnel that starts at an hour of every birthday, as often as it comes.
func (w *World) birthdays(at string, tag object) object {
	line := Line(object{"kind": "date_field", "field": "field:birthday", "at": at, "yearly": true}, tag)
	return reentry(line, "after_exit")
}

func (w *World) birthdayField() {
	w.Helper()
	w.Call(201, "POST", "/fields", object{"key": "birthday", "type": "date", "label": "Birthday"})
}

func (w *World) runs(funnel, contact string) int {
	w.Helper()
	items, _ := w.Call(200, "GET", "/runs?funnel="+funnel+"&contact="+contact, nil).Get("items").([]any)
	return len(items)
}

func TestABirthdayStartsOnceThoughThePersonMoves(t *testing.T) {
	t.Parallel()
	w := New(t)
	w.birthdayField()
	funnel := w.Funnel("Birthdays", w.birthdays("09:00", w.Tag("happy")))
	west := w.Contact("west@example.com", object{"zone": "Asia/Tokyo", "fields": object{"birthday": "1990-04-10"}})
	east := w.Contact("east@example.com", object{"zone": "America/New_York", "fields": object{"birthday": "1990-04-10"}})
	far := w.Contact("far@example.com", object{"zone": "Pacific/Honolulu", "fields": object{"birthday": "1990-04-09"}})
	corrected := w.Contact("corrected@example.com", object{"zone": "America/New_York", "fields": object{"birthday": "1990-04-10"}})
	w.To(time.Date(2026, 4, 10, 0, 0, 0, 0, time.UTC)) // nine in Tokyo
	require.Equal(t, 1, w.runs(funnel, west))
	w.To(time.Date(2026, 4, 10, 2, 0, 0, 0, time.UTC))
	w.Call(200, "PATCH", "/contacts/"+west, object{"zone": "Europe/Warsaw"})
	w.To(time.Date(2026, 4, 10, 12, 0, 0, 0, time.UTC)) // past nine in Warsaw, before nine in New York
	require.Equal(t, 1, w.runs(funnel, west), "the day has come once")
	require.Equal(t, 1, w.DBCount("SELECT count(*) FROM events WHERE name = 'date_reached' AND contact_id = $1", west), "and nobody speaks of it again")
	require.Zero(t, w.runs(funnel, east))
	w.Call(200, "PATCH", "/contacts/"+east, object{"zone": "Asia/Tokyo"}) // past nine in Tokyo, on the day itself
	w.Call(200, "PATCH", "/contacts/"+corrected, object{"fields": object{"birthday": "1990-04-01"}})
	w.Settle()
	require.Equal(t, 1, w.runs(funnel, east), "who moves past the hour does not wait for a year")
	require.Zero(t, w.runs(funnel, corrected), "but a date that was written down too late has passed")
	require.Equal(t, 1, w.runs(funnel, far))
	w.To(time.Date(2027, 4, 10, 7, 0, 0, 0, time.UTC))
	require.Equal(t, 2, w.runs(funnel, west), "the next year, at nine in Warsaw")
	require.Equal(t, 2, w.runs(funnel, east))
	require.Equal(t, 2, w.runs(funnel, far))
	w.Audit()
}

func TestADateThatComesOnceStartsOnceThoughThePersonMoves(t *testing.T) {
	t.Parallel()
	w := New(t)
	w.Call(201, "POST", "/fields", object{"key": "ends", "type": "date", "label": "Ends"})
	line := Line(object{"kind": "date_field", "field": "field:ends", "at": "09:00", "offset": object{"amount": 1, "unit": "weeks", "direction": "before"}}, w.Tag("soon"))
	funnel := w.Funnel("Ends", reentry(line, "after_exit"))
	west := w.Contact("west@example.com", object{"zone": "Asia/Tokyo", "fields": object{"ends": "2026-04-17"}})
	east := w.Contact("east@example.com", object{"zone": "America/New_York", "fields": object{"ends": "2026-04-17"}})
	w.To(time.Date(2026, 4, 10, 2, 0, 0, 0, time.UTC))
	require.Equal(t, 1, w.runs(funnel, west))
	w.Call(200, "PATCH", "/contacts/"+west, object{"zone": "America/New_York"})
	w.Call(200, "PATCH", "/contacts/"+east, object{"zone": "Asia/Tokyo"})
	w.To(time.Date(2026, 4, 20, 0, 0, 0, 0, time.UTC))
	require.Equal(t, 1, w.runs(funnel, west))
	require.Equal(t, 1, w.runs(funnel, east))
	w.Call(200, "PATCH", "/contacts/"+west, object{"fields": object{"ends": "2026-05-20"}})
	w.To(time.Date(2026, 5, 20, 0, 0, 0, 0, time.UTC))
	require.Equal(t, 2, w.runs(funnel, west), "another date is another occurrence")
	w.Audit()
}

func TestANewHourStartsNobodyAgainForTheSameDay(t *testing.T) {
	t.Parallel()
	w := New(t)
	w.birthdayField()
	tag := w.Tag("happy")
	funnel := w.Funnel("Birthdays", w.birthdays("09:00", tag))
	anna := w.Contact("anna@example.com", object{"fields": object{"birthday": "1990-04-10"}})
	w.To(time.Date(2026, 4, 10, 9, 0, 0, 0, time.UTC))
	require.Equal(t, 1, w.runs(funnel, anna))
	draft := w.document(w.birthdays("18:00", tag))
	draft["revision"] = w.Call(200, "GET", "/funnels/"+funnel, nil).Get("revision")
	revision := w.Call(200, "PUT", "/funnels/"+funnel+"/draft", draft).Get("revision")
	w.Call(200, "POST", "/funnels/"+funnel+"/publish", object{"revision": revision, "start_matching": true})
	w.To(time.Date(2026, 4, 10, 20, 0, 0, 0, time.UTC))
	require.Equal(t, 1, w.runs(funnel, anna), "neither for the new hour nor as one who matches now")
	w.To(time.Date(2027, 4, 10, 18, 0, 0, 0, time.UTC))
	require.Equal(t, 2, w.runs(funnel, anna))
	w.Audit()
}

func TestPeopleOfOneBirthdayCanBeMerged(t *testing.T) {
	t.Parallel()
	w := New(t)
	w.birthdayField()
	funnel := w.Funnel("Birthdays", w.birthdays("09:00", w.Tag("happy")))
	winner := w.Contact("winner@example.com", object{"fields": object{"birthday": "1990-03-24"}})
	loser := w.Contact("loser@example.com", object{"fields": object{"birthday": "1990-03-24"}})
	w.To(storetest.Now.AddDate(0, 0, 2))
	w.Call(200, "POST", "/contacts/merge", object{"winner_id": winner, "loser_id": loser})
	w.Settle()
	require.Equal(t, 2, w.runs(funnel, winner))
	w.Audit()
}

func TestARecurringTimeComesOnceADayThoughTheWorkspaceMoves(t *testing.T) {
	t.Parallel()
	w := New(t)
	w.Call(201, "POST", "/lists", object{"slug": "news", "name": "News"})
	w.Contact("anna@example.com", object{"lists": []string{"news"}})
	w.Call(200, "PATCH", "/workspace", object{"zone": "Europe/Warsaw"})
	w.Settle()
	w.Funnel("Daily", Line(object{"kind": "schedule", "rrule": "FREQ=DAILY;BYHOUR=9", "audience": "list:news"}, w.Tag("daily")))
	w.Funnel("Hourly", Line(object{"kind": "schedule", "rrule": "FREQ=HOURLY;INTERVAL=6", "audience": "list:news"}, w.Tag("hourly")))
	w.Settle()
	came := func(rule string) int {
		return w.DBCount("SELECT count(*) FROM events WHERE name = 'schedule_due' AND props->>'schedule' = (SELECT key FROM schedules WHERE spec->>'rrule' = $1)", rule)
	}
	w.To(time.Date(2026, 4, 10, 8, 0, 0, 0, time.UTC)) // past nine in Warsaw, before nine in New York
	before, hours := came("FREQ=DAILY;BYHOUR=9"), came("FREQ=HOURLY;INTERVAL=6")
	w.Call(200, "PATCH", "/workspace", object{"zone": "America/New_York"})
	w.To(time.Date(2026, 4, 10, 16, 0, 0, 0, time.UTC)) // noon there
	require.Equal(t, before, came("FREQ=DAILY;BYHOUR=9"), "the day's time has come already")
	w.To(time.Date(2026, 4, 11, 12, 0, 0, 0, time.UTC))
	w.Call(200, "PATCH", "/workspace", object{"zone": "Europe/Warsaw"}) // where it is past nine
	w.Settle()
	require.Equal(t, before+1, came("FREQ=DAILY;BYHOUR=9"), "and no day is left out")
	w.To(time.Date(2026, 4, 12, 8, 0, 0, 0, time.UTC))
	require.Equal(t, before+2, came("FREQ=DAILY;BYHOUR=9"))
	require.Equal(t, hours+8, came("FREQ=HOURLY;INTERVAL=6"), "hours go on by the new clock")
	w.Audit()
}
