package kindtest

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/backend/store/storetest"
)

func days(n int) object { return object{"amount": n, "unit": "days"} }

func TestKind_entry_Works(t *testing.T) {
	t.Parallel()
	w := New(t)
	line := Line(On("purchase"), w.Tag("met"))
	entry := line["graph"].(object)["nodes"].([]any)[0].(object)["config"].(object)
	entry["filter"] = object{"field": "first_name", "op": "is", "value": "Anna"}
	entry["reentry"] = object{"rule": "once"}
	funnel := w.Funnel("Annas", line)
	anna, jan := w.Contact("anna@example.com", object{"first_name": "Anna"}), w.Contact("jan@example.com", object{"first_name": "Jan"})
	for range 2 {
		w.Event("anna@example.com", "purchase", nil)
		w.Event("jan@example.com", "purchase", nil)
		w.Settle()
	}
	require.Equal(t, []string{"met"}, w.Tags(anna))
	require.Empty(t, w.Tags(jan))
	require.Len(t, w.Call(200, "GET", "/runs?funnel="+funnel, nil).Get("items"), 1, "once")
	w.Audit()
}

func TestKind_entry_Fails(t *testing.T) {
	t.Parallel()
	w := New(t)
	funnel := w.Funnel("Purchases", Line(On("purchase"), Step("wait", object{"mode": "duration", "for": days(1)}), w.Tag("met")))
	anna := w.Contact("anna@example.com")
	w.Event("anna@example.com", "purchase", nil)
	w.Settle()
	w.Call(200, "POST", "/funnels/"+funnel+"/stop", nil)
	require.Nil(t, w.Event("anna@example.com", "purchase", nil).Get("results.0.started.0"), "a stopped funnel lets nobody in")
	w.After(48 * time.Hour)
	require.Empty(t, w.Tags(anna))
	require.Equal(t, "exited", w.Run(funnel, anna).Get("run.state"))
	w.Audit()
}

func TestKind_entry_Refused(t *testing.T) {
	t.Parallel()
	w := New(t)
	line := Line(On("purchase"), w.Tag("met"))
	config := line["graph"].(object)["nodes"].([]any)[0].(object)["config"].(object)
	config["reentry"] = object{"rule": "each"}
	w.Refused(line, "FIELD_REQUIRED", "entry")
	config["reentry"], config["triggers"] = object{"rule": "once"}, []any{}
	w.Refused(line, "ENTRY_ONE", "")
}

func TestKind_wait_Works(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		config object
		ends   time.Time // the first instant at which it is over; the sixth of a second before it is not
	}{
		"Duration": {object{"mode": "duration", "for": object{"amount": 90, "unit": "minutes"}}, storetest.Now.Add(90 * time.Minute)},
		"DaysAt":   {object{"mode": "duration", "for": days(3), "at": "08:00"}, storetest.Now.AddDate(0, 0, 4).Add(-time.Hour)},
		"Date":     {object{"mode": "date", "date": "2026-04-01T12:00"}, time.Date(2026, 4, 1, 10, 0, 0, 0, time.UTC)},
		"Weekday":  {object{"mode": "weekday", "weekdays": []string{"thu"}, "at": "18:30"}, time.Date(2026, 3, 26, 17, 30, 0, 0, time.UTC)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := New(t)
			w.Funnel("Wait", Line(On("go"), Step("wait", c.config), w.Tag("over")))
			anna := w.Contact("anna@example.com", object{"zone": "Europe/Warsaw"})
			w.Event("anna@example.com", "go", nil)
			if name == "DaysAt" {
				c.ends = time.Date(2026, 3, 26, 7, 0, 0, 0, time.UTC) // local date + 3 at eight in Warsaw
			}
			w.To(c.ends.Add(-time.Microsecond))
			require.Empty(t, w.Tags(anna), "not early")
			w.To(c.ends)
			require.Equal(t, []string{"over"}, w.Tags(anna), "not late")
			w.Audit()
		})
	}
	t.Run("UntilAnEvent", func(t *testing.T) {
		t.Parallel()
		w := New(t)
		wait := Step("wait", object{"mode": "until_event", "event": object{"name": "answer"}, "timeout": days(2)})
		w.Funnel("Wait", Line(On("go"), wait, w.Tag("answered")))
		anna, jan := w.Contact("anna@example.com"), w.Contact("jan@example.com")
		w.Event("anna@example.com", "go", nil)
		w.Event("jan@example.com", "go", nil)
		w.After(time.Hour)
		require.Empty(t, w.Tags(anna))
		w.Event("anna@example.com", "answer", nil)
		w.Settle()
		require.Equal(t, []string{"answered"}, w.Tags(anna))
		w.After(72 * time.Hour)
		require.Empty(t, w.Tags(jan), "the time ran out, and that port leads nowhere")
		w.Audit()
	})
	t.Run("UntilARule", func(t *testing.T) {
		t.Parallel()
		w := New(t)
		wait := Step("wait", object{"mode": "until_rule", "rule": object{"field": "first_name", "op": "is", "value": "Anna"}, "timeout": days(2)})
		w.Funnel("Wait", Line(On("go"), wait, w.Tag("true")))
		anna := w.Contact("anna@example.com")
		w.Event("anna@example.com", "go", nil)
		w.After(time.Hour)
		require.Empty(t, w.Tags(anna))
		w.Call(200, "PATCH", "/contacts/"+anna, object{"first_name": "Anna"})
		w.Settle()
		require.Equal(t, []string{"true"}, w.Tags(anna))
		w.Audit()
	})
}

func TestKind_wait_Fails(t *testing.T) {
	t.Parallel()
	w := New(t)
	late := w.Tag("late")
	late["leave"] = "next"
	wait := Step("wait", object{"mode": "until_event", "event": object{"name": "answer"}, "timeout": days(2)})
	wait["leave"] = "timeout"
	funnel := w.Funnel("Wait", Line(On("go"), wait, late))
	anna, jan := w.Contact("anna@example.com"), w.Contact("jan@example.com")
	w.Event("anna@example.com", "go", nil)
	w.Event("jan@example.com", "go", nil)
	w.Settle()
	w.Call(204, "DELETE", "/contacts/"+jan, nil)
	w.To(storetest.Now.AddDate(0, 0, 2).Add(-time.Microsecond))
	require.Empty(t, w.Tags(anna))
	w.After(time.Microsecond)
	require.Equal(t, []string{"late"}, w.Tags(anna))
	require.Equal(t, 1, w.DBCount("SELECT count(*) FROM runs WHERE funnel_id = $1 AND status = 'exited'", funnel), "who is gone waits no longer")
	w.Audit()
}

func TestKind_wait_Refused(t *testing.T) {
	t.Parallel()
	w := New(t)
	over := w.Tag("over")
	for code, config := range map[string]object{
		"FIELD_REQUIRED": {"mode": "until_event", "event": object{"name": "answer"}},
		"FIELD_INVALID":  {"mode": "duration", "for": object{"amount": 1, "unit": "fortnights"}},
	} {
		w.Refused(Line(On("go"), Step("wait", config), over), code, "wait-1")
	}
}

func TestKind_condition_Works(t *testing.T) {
	t.Parallel()
	w := New(t)
	condition := Step("condition", object{"rule": object{"field": "event.total", "op": "gte", "value": 100}})
	big := Line(On("purchase"), condition, w.Tag("big"))
	graph := big["graph"].(object)
	small := w.Tag("small")
	small["id"], small["name"] = "small", "Small"
	graph["nodes"] = append(graph["nodes"].([]any), small)
	for _, edge := range graph["edges"].([]any) {
		if e := edge.(object); e["from"] == "condition-1" {
			e["port"] = "yes"
		}
	}
	graph["edges"] = append(graph["edges"].([]any), object{"from": "condition-1", "port": "no", "to": "small"})
	w.Funnel("Sizes", big)
	anna, jan := w.Contact("anna@example.com"), w.Contact("jan@example.com")
	w.Event("anna@example.com", "purchase", object{"total": 100})
	w.Event("jan@example.com", "purchase", object{"total": 99.99})
	w.Settle()
	require.Equal(t, []string{"big"}, w.Tags(anna))
	require.Equal(t, []string{"small"}, w.Tags(jan))
	w.Audit()
}

func TestKind_condition_Fails(t *testing.T) {
	t.Parallel()
	w := New(t)
	condition := Step("condition", object{"rule": object{"field": "event.total", "op": "gte", "value": 100}})
	condition["leave"] = "no"
	funnel := w.Funnel("Sizes", Line(On("purchase"), condition, w.Tag("small")))
	anna := w.Contact("anna@example.com")
	w.Event("anna@example.com", "purchase", object{"price": "lots"})
	w.Settle()
	require.Equal(t, []string{"small"}, w.Tags(anna), "a comparison with what is missing is false, and the run goes on")
	require.Equal(t, "done", w.Run(funnel, anna).Get("run.state"))
	w.Audit()
}

func TestKind_condition_Refused(t *testing.T) {
	t.Parallel()
	w := New(t)
	w.Refused(Line(On("go"), Step("condition", object{})), "FIELD_REQUIRED", "condition-1")
	w.Refused(Line(On("go"), Step("condition", object{"rule": object{"field": "shoe_size", "op": "is", "value": 1}})), "FIELD_UNKNOWN", "condition-1")
}

// arms is a split of weights a and b whose arm b leads to a tag.
func arms(w *World, a, b float64) object {
	w.Helper()
	split := Step("split", object{"arms": []object{{"id": "a", "label": "A", "weight": a}, {"id": "b", "label": "B", "weight": b}}})
	split["leave"] = "b"
	return Line(On("go"), split, w.Tag("b"))
}

func TestKind_split_Works(t *testing.T) {
	t.Parallel()
	w := New(t)
	w.Funnel("Halves", arms(w, 70, 30))
	const crowd = 400
	var batch []object
	for i := range crowd {
		batch = append(batch, object{"name": "go", "contact": object{"email": fmt.Sprintf("p%d@example.com", i)}})
	}
	for range 2 { // the arm of a person stays theirs
		w.Call(200, "POST", "/events", object{"events": batch})
		w.Settle()
	}
	got := w.DBCount("SELECT count(*) FROM contacts WHERE 'b' = ANY(tags)")
	require.InDelta(t, 0.3*crowd, got, 40)
	require.Equal(t, 2*got, w.DBCount("SELECT count(*) FROM journal WHERE kind = 'split' AND port = 'b'"))
	w.Audit()
}

func TestKind_split_Fails(t *testing.T) {
	t.Parallel()
	w := New(t)
	w.Funnel("All", arms(w, 0, 100))
	anna := w.Contact("anna@example.com")
	w.Event("anna@example.com", "go", nil)
	w.Settle()
	require.Equal(t, []string{"b"}, w.Tags(anna), "an arm without weight takes nobody")
	w.Audit()
}

func TestKind_split_Refused(t *testing.T) {
	t.Parallel()
	w := New(t)
	w.Refused(arms(w, 50, 40), "SPLIT_WEIGHTS", "split-1")
}

func TestKind_join_Works(t *testing.T) {
	t.Parallel()
	w := New(t)
	line := Line(On("go"), Step("condition", object{"rule": object{"field": "event.yes", "op": "is_true"}}), Step("join", object{}), w.Tag("met"))
	graph := line["graph"].(object)
	graph["edges"].([]any)[1].(object)["port"] = "yes"
	graph["edges"] = append(graph["edges"].([]any), object{"from": "condition-1", "port": "no", "to": "join-2"})
	w.Funnel("Together", line)
	anna, jan := w.Contact("anna@example.com"), w.Contact("jan@example.com")
	w.Event("anna@example.com", "go", object{"yes": true})
	w.Event("jan@example.com", "go", object{"yes": false})
	w.Settle()
	require.Equal(t, []string{"met"}, w.Tags(anna))
	require.Equal(t, []string{"met"}, w.Tags(jan))
	w.Audit()
}

func TestKind_join_Fails(t *testing.T) {
	t.Parallel()
	w := New(t)
	funnel := w.Funnel("Alone", Line(On("go"), Step("join", object{})))
	anna := w.Contact("anna@example.com")
	w.Event("anna@example.com", "go", nil)
	w.Settle()
	require.Equal(t, "done", w.Run(funnel, anna).Get("run.state"), "a port without an edge ends the run")
	w.Audit()
}

func TestKind_join_Refused(t *testing.T) {
	t.Parallel()
	w := New(t)
	line := Line(On("go"), Step("join", object{}))
	graph := line["graph"].(object)
	graph["edges"] = append(graph["edges"].([]any), object{"from": "join-1", "port": "next", "to": "join-1"})
	w.Refused(line, "CYCLE_NO_WAIT", "join-1")
}

// withGoal adds a goal whose port leads to a tag.
func withGoal(w *World, line, config object) object {
	w.Helper()
	thanks := w.Tag("reached")
	thanks["id"], thanks["name"] = "thanks", "Thanks"
	graph := line["graph"].(object)
	graph["nodes"] = append(graph["nodes"].([]any), object{"id": "goal", "kind": "goal", "name": "Goal", "config": config}, thanks)
	graph["edges"] = append(graph["edges"].([]any), object{"from": "goal", "port": "reached", "to": "thanks"})
	return line
}

func TestKind_goal_Works(t *testing.T) {
	t.Parallel()
	w := New(t)
	line := Line(On("go"), Step("wait", object{"mode": "duration", "for": days(2)}), w.Tag("nagged"))
	funnel := w.Funnel("Until they buy", withGoal(w, line, object{"mode": "event", "event": object{"name": "purchase"}}))
	anna, jan := w.Contact("anna@example.com"), w.Contact("jan@example.com")
	w.Event("anna@example.com", "go", nil)
	w.Event("jan@example.com", "go", nil)
	w.After(time.Hour)
	w.Event("anna@example.com", "purchase", nil)
	w.After(96 * time.Hour)
	require.Equal(t, []string{"reached"}, w.Tags(anna), "whoever reaches it is done")
	require.Equal(t, []string{"nagged"}, w.Tags(jan))
	require.Contains(t, w.Run(funnel, anna).Body, `"goal"`)
	w.Audit()
}

func TestKind_goal_Fails(t *testing.T) {
	t.Parallel()
	w := New(t)
	line := Line(On("go"), Step("wait", object{"mode": "duration", "for": days(2)}), w.Tag("nagged"))
	w.Tag("vip")
	w.Funnel("Until they are VIPs", withGoal(w, line, object{"mode": "rule", "rule": object{"tag": "tag:vip"}}))
	w.Contact("anna@example.com", object{"tags": []string{"vip"}})
	require.Nil(t, w.Event("anna@example.com", "go", nil).Get("results.0.started.0"), "a goal that is already true refuses entry")
	jan := w.Contact("jan@example.com")
	w.Event("jan@example.com", "go", nil)
	w.After(72 * time.Hour)
	w.Call(200, "POST", "/contacts/"+jan+"/tags", object{"tag": "vip"})
	w.Settle()
	require.Equal(t, []string{"nagged", "vip"}, w.Tags(jan), "a run that ended reaches nothing")
	w.Audit()
}

func TestKind_goal_Refused(t *testing.T) {
	t.Parallel()
	w := New(t)
	w.Refused(withGoal(w, Line(On("go")), object{"mode": "event"}), "FIELD_REQUIRED", "goal")
}
