package kindtest

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/backend/store/storetest"
)

// offers is a line of a step and one mail of a class.
func offers(step object, class string) object {
	line := Line(On("go"), step, Step("send_email", object{"creative": "creative:offer", "class": class}))
	line["creatives"] = object{"offer": Email("Offer", "Look at this")}
	return line
}

func TestKind_throttle_Works(t *testing.T) {
	t.Parallel()
	w := New(t)
	sink := w.SMTP()
	throttle := Step("throttle", object{"count": 2, "per": object{"amount": 1, "unit": "hours"}})
	w.Funnel("A few at a time", offers(throttle, "marketing"))
	for i := range 5 {
		w.Contact(fmt.Sprintf("p%d@example.com", i))
		w.Event(fmt.Sprintf("p%d@example.com", i), "go", nil)
		w.Settle()
	}
	for hour, left := range []int{2, 4, 5} {
		w.To(storetest.Now.Add(time.Duration(hour) * time.Hour))
		require.Len(t, sink.Ledger(), left, "after %d hours", hour)
		w.To(storetest.Now.Add(time.Duration(hour+1)*time.Hour - time.Microsecond))
		require.Len(t, sink.Ledger(), left, "nobody is early")
	}
	for i, letter := range sink.Ledger()[:4] {
		require.Contains(t, [][]string{{"p0@example.com", "p1@example.com"}, {"p2@example.com", "p3@example.com"}}[i/2], letter.To, "in order of arrival")
	}
	w.Audit()
}

func TestKind_throttle_Fails(t *testing.T) {
	t.Parallel()
	w := New(t)
	sink := w.SMTP()
	w.Funnel("One an hour", offers(Step("throttle", object{"count": 1, "per": object{"amount": 1, "unit": "hours"}}), "marketing"))
	for _, name := range []string{"anna", "jan", "ewa"} {
		w.Contact(name + "@example.com")
		w.Event(name+"@example.com", "go", nil)
		w.Settle()
	}
	jan := w.Call(200, "GET", "/contacts?q=jan@example.com", nil).Text("items.0.id")
	w.Call(204, "DELETE", "/contacts/"+jan, nil)
	w.Contact("ola@example.com")
	w.Event("ola@example.com", "go", nil)
	w.To(storetest.Now.Add(time.Hour))
	require.Len(t, sink.Ledger(), 2)
	require.Equal(t, "ola@example.com", sink.Ledger()[1].To, "a ticket dies with its run, and the next who comes gets its slot")
	w.To(storetest.Now.Add(2 * time.Hour))
	require.Equal(t, "ewa@example.com", sink.Ledger()[2].To)
	w.Audit()
}

func TestKind_throttle_Refused(t *testing.T) {
	t.Parallel()
	w := New(t)
	w.Refused(Line(On("go"), Step("throttle", object{"count": 0.5, "per": days(1)})), "FIELD_INVALID", "throttle-1")
	w.Refused(Line(On("go"), Step("throttle", object{"count": 5})), "FIELD_REQUIRED", "throttle-1")
}

func TestKind_quiet_hours_Works(t *testing.T) {
	t.Parallel()
	w := New(t)
	sink := w.SMTP()
	quiet := Step("quiet_hours", object{"from": "21:00", "to": "08:00"})
	w.Funnel("Not at night", offers(quiet, "marketing"))
	w.Contact("anna@example.com", object{"zone": "Europe/Warsaw"})
	w.Contact("ken@example.com", object{"zone": "Asia/Tokyo"})
	evening := time.Date(2026, 3, 23, 20, 30, 0, 0, time.UTC) // half past nine in Warsaw, half past five in Tokyo
	w.To(evening)
	w.Event("anna@example.com", "go", nil)
	w.Event("ken@example.com", "go", nil)
	w.To(time.Date(2026, 3, 23, 23, 0, 0, 0, time.UTC).Add(-time.Microsecond))
	require.Empty(t, sink.Ledger(), "where each of them lives")
	w.To(time.Date(2026, 3, 23, 23, 0, 0, 0, time.UTC))
	require.Len(t, sink.Ledger(), 1)
	require.Equal(t, "ken@example.com", sink.Ledger()[0].To)
	w.To(time.Date(2026, 3, 24, 7, 0, 0, 0, time.UTC).Add(-time.Microsecond))
	require.Len(t, sink.Ledger(), 1)
	w.To(time.Date(2026, 3, 24, 7, 0, 0, 0, time.UTC))
	require.Len(t, sink.Ledger(), 2)
	require.Equal(t, "anna@example.com", sink.Ledger()[1].To)
	w.Audit()
}

func TestKind_quiet_hours_Fails(t *testing.T) {
	t.Parallel()
	w := New(t)
	sink := w.SMTP()
	quiet := Step("quiet_hours", object{"from": "21:00", "to": "08:00"})
	w.Funnel("Receipts", offers(quiet, "transactional"))
	late := offers(quiet, "marketing")
	late["graph"].(object)["nodes"].([]any)[2].(object)["config"].(object)["expires"] = object{"amount": 2, "unit": "hours"}
	w.Funnel("Not later than two hours", late)
	w.Contact("anna@example.com")
	w.To(time.Date(2026, 3, 23, 22, 0, 0, 0, time.UTC))
	w.Event("anna@example.com", "go", nil)
	w.Settle()
	require.Len(t, sink.Ledger(), 1, "what somebody waits for leaves at night too")
	w.After(24 * time.Hour)
	require.Len(t, sink.Ledger(), 1)
	require.Equal(t, 1, w.DBCount("SELECT count(*) FROM messages WHERE status = 'expired'"), "what is of no use in the morning does not leave then")
	w.Audit()
}

func TestKind_quiet_hours_Refused(t *testing.T) {
	t.Parallel()
	w := New(t)
	w.Refused(Line(On("go"), Step("quiet_hours", object{"to": "08:00"})), "FIELD_REQUIRED", "quiet-hours-1")
	w.Refused(Line(On("go"), Step("quiet_hours", object{"from": "00:00", "to": "00:00"})), "FIELD_INVALID", "quiet-hours-1")
}

// trip is a wait until nine on the day two days before a person's trip.
func trip() object {
	return Step("wait", object{"mode": "date_field", "field": "field:trip", "offset": object{"amount": 2, "unit": "days", "direction": "before"}, "at": "09:00"})
}

func TestKind_wait_WorksForADateOfThePerson(t *testing.T) {
	t.Parallel()
	w := New(t)
	w.Call(201, "POST", "/fields", object{"key": "trip", "type": "date", "label": "Trip"})
	w.Funnel("Trips", Line(On("go"), trip(), w.Tag("packs")))
	anna := w.Contact("anna@example.com", object{"zone": "Europe/Warsaw", "fields": object{"trip": "2026-04-10"}})
	jan := w.Contact("jan@example.com", object{"zone": "Europe/Warsaw", "fields": object{"trip": "2026-04-10"}})
	w.Event("anna@example.com", "go", nil)
	w.Event("jan@example.com", "go", nil)
	w.After(time.Hour)
	w.Call(200, "PATCH", "/contacts/"+jan, object{"fields": object{"trip": "2026-04-02"}})
	for _, c := range []struct {
		who string
		at  time.Time
	}{{jan, time.Date(2026, 3, 31, 7, 0, 0, 0, time.UTC)}, {anna, time.Date(2026, 4, 8, 7, 0, 0, 0, time.UTC)}} {
		w.To(c.at.Add(-time.Microsecond))
		require.Empty(t, w.Tags(c.who), "not early")
		w.To(c.at)
		require.Equal(t, []string{"packs"}, w.Tags(c.who), "not late")
	}
	w.Audit()
}

func TestKind_wait_FailsWithoutTheDateOfThePerson(t *testing.T) {
	t.Parallel()
	w := New(t)
	w.Call(201, "POST", "/fields", object{"key": "trip", "type": "date", "label": "Trip"})
	funnel := w.Funnel("Trips", Line(On("go"), trip(), w.Tag("packs")))
	anna, jan := w.Contact("anna@example.com"), w.Contact("jan@example.com", object{"fields": object{"trip": "2026-01-01"}})
	w.Event("anna@example.com", "go", nil)
	w.Event("jan@example.com", "go", nil)
	w.Settle()
	require.Equal(t, []string{"packs"}, w.Tags(anna), "nobody waits for a date they do not have")
	require.Contains(t, w.Run(funnel, anna).Body, `"missing":true`, "and the journal says so")
	require.Equal(t, []string{"packs"}, w.Tags(jan), "nor for one that is past")
	w.Audit()
}

func TestKind_wait_RefusesWhatIsNoDate(t *testing.T) {
	t.Parallel()
	w := New(t)
	w.Call(201, "POST", "/fields", object{"key": "trip", "type": "text", "label": "Trip"})
	w.Refused(Line(On("go"), trip()), "FIELD_INVALID", "wait-1")
	w.Refused(Line(On("go"), Step("wait", object{"mode": "date_field", "field": "field:nothing"})), "REF_MISSING", "wait-1")
	w.Refused(Line(On("go"), Step("wait", object{"mode": "date_field"})), "FIELD_REQUIRED", "wait-1")
}

// heldBack is a split whose arm "hold" is the hold-out; the other leads to a mail.
func heldBack(hold int) object {
	split := Step("split", object{"arms": []object{
		{"id": "offer", "label": "Offer", "weight": 100 - hold}, {"id": "hold", "label": "Nothing", "weight": hold, "hold_out": true},
	}})
	split["leave"] = "offer"
	return offers(split, "marketing")
}

func TestKind_split_WorksWithAHoldOut(t *testing.T) {
	t.Parallel()
	w := New(t)
	funnel := w.Funnel("With a control", heldBack(50))
	const crowd = 40
	var batch []object
	for i := range crowd {
		w.Contact(fmt.Sprintf("p%d@example.com", i))
		batch = append(batch, object{"name": "go", "contact": object{"email": fmt.Sprintf("p%d@example.com", i)}})
	}
	w.Call(200, "POST", "/events", object{"events": batch})
	w.Settle()
	held := w.DBCount("SELECT count(*) FROM journal WHERE kind = 'split' AND port = 'hold' AND detail ->> 'hold_out' = 'true'")
	require.InDelta(t, crowd/2, held, 12)
	require.Equal(t, crowd-held, w.DBCount("SELECT count(*) FROM messages"), "everybody else gets the mail, and they get nothing")
	require.Equal(t, held, w.DBCount("SELECT count(*) FROM runs WHERE funnel_id = $1 AND status = 'done' AND id NOT IN (SELECT run_id FROM messages)", funnel))
	w.Audit()
}

func TestKind_split_RefusesTwoHoldOuts(t *testing.T) {
	t.Parallel()
	w := New(t)
	two := Step("split", object{"arms": []object{
		{"id": "a", "label": "A", "weight": 50, "hold_out": true}, {"id": "b", "label": "B", "weight": 50, "hold_out": true},
	}})
	w.Refused(Line(On("go"), two), "FIELD_INVALID", "split-1")
}

func TestFault_19_TheWorkspacesZoneChangesWhileSomebodyWaits(t *testing.T) {
	t.Parallel()
	w := New(t)
	w.Funnel("Nine", Line(On("go"), Step("wait", object{"mode": "duration", "for": days(1), "at": "09:00"}), w.Tag("over")))
	anna, ken := w.Contact("anna@example.com"), w.Contact("ken@example.com", object{"zone": "UTC"})
	w.Event("anna@example.com", "go", nil)
	w.Event("ken@example.com", "go", nil)
	w.After(time.Hour)
	w.Call(200, "PATCH", "/workspace", object{"zone": "America/New_York"})
	w.To(time.Date(2026, 3, 24, 13, 0, 0, 0, time.UTC).Add(-time.Microsecond))
	require.Equal(t, []string{"over"}, w.Tags(ken), "a zone of one's own counts")
	require.Empty(t, w.Tags(anna), "not early")
	w.To(time.Date(2026, 3, 24, 13, 0, 0, 0, time.UTC))
	require.Equal(t, []string{"over"}, w.Tags(anna))
	w.Call(422, "PATCH", "/workspace", object{"zone": "Mars/Olympus_Mons"})
	w.Audit()
}
