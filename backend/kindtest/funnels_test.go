package kindtest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// byHand is the trigger of a funnel that other funnels can call.
func byHand() object { return object{"kind": "manual"} }

// calling is a line that calls a funnel and goes on by a port.
func calling(config object, port string, then object) object {
	call := Step("enter_funnel", config)
	call["leave"] = port
	return Line(On("go"), call, then)
}

func TestKind_enter_funnel_Works(t *testing.T) {
	t.Parallel()
	w := New(t)
	sink := w.SMTP()
	welcome := Line(byHand(), Step("send_email", object{"creative": "creative:hello", "class": "marketing"}),
		Step("wait", object{"mode": "duration", "for": days(1)}), w.Tag("welcomed"))
	welcome["creatives"] = object{"hello": Email("Welcome", "Your plan: {{ vars.plan | default(\"none\") }}")}
	called := w.Funnel("Welcome", welcome)
	vars := []object{{"name": "plan", "value": "{{ event.plan }}"}}
	w.Funnel("Waits", calling(object{"funnel": "funnel:welcome", "vars": vars, "wait": true}, "entered", w.Tag("after")))
	anna := w.Contact("anna@example.com")
	w.Event("anna@example.com", "go", object{"plan": "gold"})
	w.Settle()
	require.Len(t, sink.Ledger(), 1)
	require.Contains(t, sink.Ledger()[0].Raw, "gold", "what the caller passes is known there")
	require.Empty(t, w.Tags(anna), "the caller waits")
	w.After(24 * time.Hour)
	require.Equal(t, []string{"after", "welcomed"}, w.Tags(anna))
	require.Equal(t, "done", w.Run(called, anna).Get("run.state"))

	quick := Step("enter_funnel", object{"funnel": "funnel:welcome"})
	quick["leave"] = "entered"
	w.Funnel("Goes on", Line(On("quick"), quick, Step("remove_tag", object{"tag": "tag:after"})))
	w.Event("anna@example.com", "quick", nil)
	w.Settle()
	require.Len(t, sink.Ledger(), 2)
	require.Equal(t, []string{"welcomed"}, w.Tags(anna), "it goes on at once")
	w.Audit()
}

func TestKind_enter_funnel_Fails(t *testing.T) {
	t.Parallel()
	w := New(t)
	welcome := w.Funnel("Welcome", Line(byHand(), Step("wait", object{"mode": "duration", "for": days(30)}), w.Tag("welcomed")))
	w.Funnel("Calls", calling(object{"funnel": "funnel:welcome"}, "refused", w.Tag("refused")))
	anna, jan := w.Contact("anna@example.com"), w.Contact("jan@example.com")
	for range 2 {
		w.Event("anna@example.com", "go", nil)
		w.Settle()
	}
	require.Equal(t, []string{"refused"}, w.Tags(anna), "who is inside is not let in again")
	w.Call(200, "POST", "/funnels/"+welcome+"/stop", nil)
	w.Event("jan@example.com", "go", nil)
	w.Settle()
	require.Equal(t, []string{"refused"}, w.Tags(jan), "a funnel that does not run lets nobody in")
	w.Audit()
}

func TestKind_enter_funnel_Refused(t *testing.T) {
	t.Parallel()
	w := New(t)
	call := func(funnel string) object { return Step("enter_funnel", object{"funnel": funnel}) }
	w.Refused(Line(On("go"), Step("enter_funnel", object{})), "FIELD_REQUIRED", "enter-funnel-1")
	w.Refused(Line(On("go"), call("funnel:nowhere")), "REF_MISSING", "enter-funnel-1")
	w.Funnel("Closed", Line(On("elsewhere"), w.Tag("met")))
	w.Refused(Line(On("go"), call("funnel:closed")), "FIELD_INVALID", "enter-funnel-1")

	t.Run("ARingOfCallers", func(t *testing.T) {
		first, revision := w.Draft("First", Line(byHand(), w.Tag("first")))
		w.Call(200, "POST", "/funnels/"+first+"/publish", object{"revision": revision, "accept_warnings": true})
		w.Funnel("Second", Line(byHand(), call("funnel:first")))
		draft := Line(byHand(), call("funnel:second"))
		draft["revision"] = w.Call(200, "GET", "/funnels/"+first, nil).Get("revision")
		saved := w.Call(200, "PUT", "/funnels/"+first+"/draft", draft)
		got := w.Call(422, "POST", "/funnels/"+first+"/publish", object{"revision": saved.Get("revision"), "accept_warnings": true})
		require.Contains(t, got.Body, "CYCLE_NO_WAIT")
	})
}

func TestKind_exit_funnel_Works(t *testing.T) {
	t.Parallel()
	w := New(t)
	sink := w.SMTP()
	nagging := func(name string) string {
		line := Line(On("go"), Step("wait", object{"mode": "duration", "for": days(1)}), Step("send_email", object{"creative": "creative:nag", "class": "marketing"}))
		line["creatives"] = object{"nag": Email(name, "Again")}
		return w.Funnel(name, line)
	}
	one, two := nagging("One"), nagging("Two")
	w.Funnel("Out of one", Line(On("bought"), Step("exit_funnel", object{"which": "named", "funnel": "funnel:one"}), w.Tag("stays")))
	out := w.Funnel("Out of all", Line(On("enough"), Step("exit_funnel", object{"which": "all"})))
	this := w.Funnel("Out of this", Line(On("go"), Step("exit_funnel", object{"which": "this"})))
	anna, jan := w.Contact("anna@example.com"), w.Contact("jan@example.com")
	for _, who := range []string{"anna@example.com", "jan@example.com"} {
		w.Event(who, "go", nil)
	}
	w.Settle()
	require.Equal(t, "done", w.Run(this, anna).Get("run.state"))
	w.Event("anna@example.com", "bought", nil)
	w.Event("jan@example.com", "enough", nil)
	w.Settle()
	require.Equal(t, []string{"stays"}, w.Tags(anna))
	require.Equal(t, []any{"exited", "active"}, []any{w.Run(one, anna).Get("run.state"), w.Run(two, anna).Get("run.state")})
	require.Equal(t, []any{"exited", "exited", "done"}, []any{w.Run(one, jan).Get("run.state"), w.Run(two, jan).Get("run.state"), w.Run(out, jan).Get("run.state")})
	w.After(48 * time.Hour)
	require.Len(t, sink.Ledger(), 1)
	require.Equal(t, "anna@example.com", sink.Ledger()[0].To)
	require.Equal(t, "Two", sink.Ledger()[0].Header.Get("Subject"))
	w.Audit()
}

func TestKind_exit_funnel_Fails(t *testing.T) {
	t.Parallel()
	w := New(t)
	w.Funnel("One", Line(On("elsewhere"), w.Tag("met")))
	out := w.Funnel("Out of one", Line(On("bought"), Step("exit_funnel", object{"which": "named", "funnel": "funnel:one"}), w.Tag("stays")))
	anna := w.Contact("anna@example.com")
	w.Event("anna@example.com", "bought", nil)
	w.Settle()
	require.Equal(t, []string{"stays"}, w.Tags(anna), "who is not in the other funnel goes on")
	require.Equal(t, "done", w.Run(out, anna).Get("run.state"))
	w.Audit()
}

func TestKind_exit_funnel_Refused(t *testing.T) {
	t.Parallel()
	w := New(t)
	w.Refused(Line(On("go"), Step("exit_funnel", object{"which": "named"})), "FIELD_REQUIRED", "exit-funnel-1")
	w.Refused(Line(On("go"), Step("exit_funnel", object{"which": "named", "funnel": "funnel:nowhere"})), "REF_MISSING", "exit-funnel-1")
	w.Refused(Line(On("go"), Step("exit_funnel", object{"which": "this"}), w.Tag("never")), "UNREACHABLE", "add-tag-2")
}
