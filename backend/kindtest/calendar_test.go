package kindtest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/backend/store/storetest"
)

// reentry sets how often one person may go through a line.
func reentry(line object, rule string) object {
	line["graph"].(object)["nodes"].([]any)[0].(object)["config"].(object)["reentry"] = object{"rule": rule}
	return line
}

func (w *World) segment(name string, rule object) string {
	w.Helper()
	slug := w.Call(201, "POST", "/segments", object{"name": name, "rule": rule}).Text("slug")
	w.Settle()
	return "segment:" + slug
}

func TestKind_segment_enter_Works(t *testing.T) {
	t.Parallel()
	w := New(t)
	anna, jan := w.Contact("anna@example.com"), w.Contact("jan@example.com")
	silent := w.segment("Silent", object{"event": object{"name": "purchase", "agg": "last", "op": "not_within_last", "value": days(90)}})
	w.Event("anna@example.com", "purchase", nil)
	w.Settle()
	tag := w.Tag("missed")
	funnel := w.Funnel("Win back", reentry(Line(object{"kind": "segment_enter", "segment": silent}, tag), "after_exit"))
	w.Settle()
	require.Empty(t, w.Tags(jan), "who is inside already does not enter")
	w.To(storetest.Now.AddDate(0, 0, 90).Add(-time.Microsecond))
	require.Empty(t, w.Tags(anna), "not early")
	w.To(storetest.Now.AddDate(0, 0, 90))
	require.Equal(t, []string{"missed"}, w.Tags(anna), "by time alone, to the microsecond")
	require.Empty(t, w.Tags(jan))
	require.Len(t, w.Call(200, "GET", "/runs?funnel="+funnel, nil).Get("items"), 1)
	require.Contains(t, w.Call(200, "GET", "/contacts/"+anna+"/timeline", nil).Body, "segment_entered")
	w.Audit()
}

func TestKind_segment_enter_Fails(t *testing.T) {
	t.Parallel()
	w := New(t)
	big := w.segment("Big", object{"event": object{"name": "purchase", "agg": "sum", "property": "total", "op": "gte", "value": 100}})
	tag := w.Tag("big")
	w.Funnel("Big buyers", Line(object{"kind": "segment_enter", "segment": big}, tag))
	anna, jan := w.Contact("anna@example.com"), w.Contact("jan@example.com")
	w.Event("anna@example.com", "purchase", object{"total": "a lot"})
	w.Call(200, "POST", "/events", object{"name": "purchase", "contact": object{"email": "jan@example.com"}, "properties": object{"total": 500}, "at": "2026-03-20T09:00:00Z"})
	w.Settle()
	require.Empty(t, w.Tags(anna), "what is no number adds nothing")
	require.Empty(t, w.Tags(jan), "what happened long ago moves people, and starts nothing")
	id := w.Call(200, "GET", "/segments", nil).Text("items.0.id")
	require.Equal(t, "jan@example.com", w.Call(200, "GET", "/segments/"+id+"/members", nil).Get("items.0.email"))
	w.Call(409, "DELETE", "/segments/"+id, nil)
	w.Event("anna@example.com", "purchase", object{"total": 100})
	w.Settle()
	require.Equal(t, []string{"big"}, w.Tags(anna))
	w.Audit()
}

func TestKind_segment_enter_Refused(t *testing.T) {
	t.Parallel()
	w := New(t)
	tag := w.Tag("x")
	w.Refused(Line(object{"kind": "segment_enter"}, tag), "FIELD_REQUIRED", "entry")
	w.Refused(Line(object{"kind": "segment_enter", "segment": "segment:nowhere"}, tag), "REF_MISSING", "entry")
}

func TestKind_date_field_Works(t *testing.T) {
	t.Parallel()
	w := New(t)
	w.Call(201, "POST", "/fields", object{"key": "birthday", "type": "date", "label": "Birthday"})
	old := w.Contact("old@example.com", object{"zone": "America/New_York", "fields": object{"birthday": "1990-04-10"}})
	w.Settle()
	tag := w.Tag("soon")
	line := Line(object{"kind": "date_field", "field": "field:birthday",
		"offset": object{"amount": 3, "unit": "days", "direction": "before"}, "at": "09:00", "yearly": true}, tag)
	delete(line["graph"].(object)["nodes"].([]any)[0].(object)["config"].(object), "reentry")
	funnel := w.Funnel("Birthdays", line)
	w.Settle()
	leap := w.Contact("leap@example.com", object{"fields": object{"birthday": "2000-02-29"}})
	w.Settle()
	due := time.Date(2026, 4, 7, 13, 0, 0, 0, time.UTC) // nine in New York
	w.To(due.Add(-time.Microsecond))
	require.Empty(t, w.Tags(old))
	w.To(due)
	require.Equal(t, []string{"soon"}, w.Tags(old))
	w.To(time.Date(2027, 2, 25, 9, 0, 0, 0, time.UTC))
	require.Equal(t, []string{"soon"}, w.Tags(leap), "the 28th stands for the 29th")
	w.To(time.Date(2027, 4, 7, 13, 0, 0, 0, time.UTC))
	require.Len(t, w.Call(200, "GET", "/runs?funnel="+funnel+"&contact="+old, nil).Get("items"), 2, "every year, without saying that they may come again")
	require.Contains(t, w.Call(200, "GET", "/contacts/"+old+"/timeline", nil).Body, "date_reached")
	w.Audit()
}

func TestKind_date_field_Fails(t *testing.T) {
	t.Parallel()
	w := New(t)
	w.Call(201, "POST", "/fields", object{"key": "ends", "type": "date", "label": "Ends"})
	tag := w.Tag("over")
	w.Funnel("Ends", Line(object{"kind": "date_field", "field": "field:ends", "at": "09:00"}, tag))
	moved := w.Contact("moved@example.com", object{"fields": object{"ends": "2026-04-10"}})
	taken := w.Contact("taken@example.com", object{"fields": object{"ends": "2026-04-10"}})
	past := w.Contact("past@example.com", object{"fields": object{"ends": "2026-03-01"}})
	zone := w.Contact("zone@example.com", object{"fields": object{"ends": "2026-04-10"}})
	w.Settle()
	w.Call(200, "PATCH", "/contacts/"+moved, object{"fields": object{"ends": "2026-04-20"}})
	w.Call(200, "PATCH", "/contacts/"+taken, object{"fields": object{"ends": nil}})
	w.Call(200, "PATCH", "/contacts/"+zone, object{"zone": "Asia/Tokyo"})
	w.Settle()
	w.To(time.Date(2026, 4, 10, 0, 0, 0, 0, time.UTC))
	require.Equal(t, []string{"over"}, w.Tags(zone), "nine in Tokyo")
	w.To(time.Date(2026, 4, 19, 0, 0, 0, 0, time.UTC))
	for _, person := range []string{moved, taken, past} {
		require.Empty(t, w.Tags(person))
	}
	w.To(time.Date(2026, 4, 21, 0, 0, 0, 0, time.UTC))
	require.Equal(t, []string{"over"}, w.Tags(moved))
	require.Equal(t, 2, w.DBCount("SELECT count(*) FROM events WHERE name = 'date_reached'"))
	w.Audit()
}

func TestKind_date_field_Refused(t *testing.T) {
	t.Parallel()
	w := New(t)
	w.Call(201, "POST", "/fields", object{"key": "city", "type": "text", "label": "City"})
	tag := w.Tag("x")
	w.Refused(Line(object{"kind": "date_field", "at": "09:00"}, tag), "FIELD_REQUIRED", "entry")
	w.Refused(Line(object{"kind": "date_field", "field": "field:city"}, tag), "FIELD_INVALID", "entry")
	w.Refused(Line(object{"kind": "date_field", "field": "field:nowhere"}, tag), "REF_MISSING", "entry")
}

func TestKind_schedule_Works(t *testing.T) {
	t.Parallel()
	w := New(t)
	w.Call(201, "POST", "/lists", object{"slug": "news", "name": "News"})
	anna := w.Contact("anna@example.com", object{"lists": []string{"news"}})
	jan := w.Contact("jan@example.com")
	w.Settle()
	tag := w.Tag("weekly")
	funnel := w.Funnel("Weekly", Line(object{"kind": "schedule", "rrule": "FREQ=WEEKLY;BYDAY=TH;BYHOUR=9;BYMINUTE=0", "zone": "Europe/Warsaw", "audience": "list:news"}, tag))
	w.Settle()
	first := time.Date(2026, 3, 26, 8, 0, 0, 0, time.UTC)
	w.To(first.Add(-time.Microsecond))
	require.Empty(t, w.Tags(anna))
	w.To(first)
	require.Equal(t, []string{"weekly"}, w.Tags(anna))
	require.Empty(t, w.Tags(jan))
	w.To(time.Date(2026, 4, 2, 7, 0, 0, 0, time.UTC)) // the clocks have changed
	require.Len(t, w.Call(200, "GET", "/runs?funnel="+funnel, nil).Get("items"), 2, "again after they have left")
	require.Equal(t, 2, w.DBCount("SELECT count(*) FROM events WHERE name = 'schedule_due'"))
	w.Call(200, "POST", "/funnels/"+funnel+"/stop", nil)
	w.To(time.Date(2026, 4, 20, 0, 0, 0, 0, time.UTC))
	require.Equal(t, 2, w.DBCount("SELECT count(*) FROM events WHERE name = 'schedule_due'"), "nobody wants it any more")
	w.Audit()
}

func TestKind_schedule_Fails(t *testing.T) {
	t.Parallel()
	w := New(t)
	silent := w.segment("Silent", object{"not": object{"event": object{"name": "purchase", "within": days(2)}}})
	tag := w.Tag("daily")
	w.Funnel("Daily", Line(object{"kind": "schedule", "rrule": "FREQ=DAILY;COUNT=2;BYHOUR=12", "audience": silent}, tag))
	anna := w.Contact("anna@example.com")
	gone := w.Contact("gone@example.com")
	w.Settle()
	w.Event("anna@example.com", "purchase", nil)
	w.Call(204, "DELETE", "/contacts/"+gone, nil)
	w.Settle()
	w.To(storetest.Now.AddDate(0, 0, 1))
	require.Empty(t, w.Tags(anna), "not in the segment at that time")
	require.Zero(t, w.DBCount("SELECT count(*) FROM events WHERE name = 'schedule_due'"), "and nobody who is gone")
	w.To(storetest.Now.AddDate(0, 0, 10))
	require.Empty(t, w.Tags(anna), "the second and last time came a day too early")
	w.Audit()
}

func TestKind_schedule_Refused(t *testing.T) {
	t.Parallel()
	w := New(t)
	w.Call(201, "POST", "/lists", object{"slug": "news", "name": "News"})
	tag := w.Tag("x")
	w.Refused(Line(object{"kind": "schedule", "rrule": "FREQ=DAILY"}, tag), "FIELD_REQUIRED", "entry")
	w.Refused(Line(object{"kind": "schedule", "rrule": "every day", "audience": "list:news"}, tag), "FIELD_INVALID", "entry")
	w.Refused(Line(object{"kind": "schedule", "rrule": "FREQ=DAILY", "zone": "Nowhere", "audience": "list:news"}, tag), "FIELD_INVALID", "entry")
	w.Refused(Line(object{"kind": "schedule", "rrule": "FREQ=DAILY", "audience": "segment:nowhere"}, tag), "REF_MISSING", "entry")
	id, revision := w.Draft("Once", reentry(Line(object{"kind": "schedule", "rrule": "FREQ=DAILY", "audience": "list:news"}, tag), "once"))
	require.Equal(t, "REENTRY_ONCE_RECURRING", w.Call(422, "POST", "/funnels/"+id+"/publish", object{"revision": revision}).Get("problems.0.code"), "a warning")
}
