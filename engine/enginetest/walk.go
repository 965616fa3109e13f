package enginetest

import (
	"testing"
	"time"

	"github.com/lejek/lejek/engine"
)

// Walk drives one run the way a worker does.
type Walk struct {
	Plan    *engine.Plan
	Run     engine.Run
	Contact engine.Contact
	Zone    string // the workspace's
	Visits  []engine.Visit
	Effects []engine.Effect
	Void    int // VoidBefore of the last goal, 0 without one

	t testing.TB
}

// Person is a contact who agreed to everything.
func Person(id string) engine.Contact {
	return engine.Contact{
		ID:       id,
		Fields:   map[string]any{"email": id + "@example.com"},
		Consents: []engine.Consent{{Channel: engine.ChannelEmail, State: "granted"}},
	}
}

// Start lets a contact into a plan by an event, at the instant of the event, and advances as far as it goes.
func Start(t testing.TB, plan *engine.Plan, contact engine.Contact, event engine.Event) *Walk {
	t.Helper()
	w := &Walk{t: t, Plan: plan, Contact: contact}
	admission := plan.Admit(event, engine.Input{Now: event.At, Contact: contact})
	if !admission.Starts() {
		t.Fatalf("not let in: %+v", admission)
	}
	w.Run = engine.Start(plan, "run-1", admission, event, event.At)
	return w.Advance(event.At)
}

// StartByHand lets a contact in by the manual trigger.
func StartByHand(t testing.TB, plan *engine.Plan, contact engine.Contact, at time.Time) *Walk {
	t.Helper()
	return Start(t, plan, contact, engine.Event{Name: engine.EventManualStart, At: at})
}

// Advance moves the run at an instant, with signals, and gathers what it did.
func (w *Walk) Advance(now time.Time, signals ...engine.Event) *Walk {
	w.t.Helper()
	out, err := engine.Advance(w.Plan, w.Run, engine.Input{Now: now, Contact: w.Contact, Signals: signals, Zone: w.Zone})
	if err != nil {
		w.t.Fatal(err)
	}
	if out.Run.Seq != w.Run.Seq+len(out.Visits) {
		w.t.Fatalf("seq %d after %d visits from %d", out.Run.Seq, len(out.Visits), w.Run.Seq)
	}
	w.Run = out.Run
	w.Visits = append(w.Visits, out.Visits...)
	w.Effects = append(w.Effects, out.Effects...)
	if out.Void {
		w.Void = out.VoidBefore
	}
	return w
}

// Path says where the run has been: "start.next" left the step by a port, "wait-1" came to a step that holds it.
func (w *Walk) Path() []string {
	var path []string
	for _, v := range w.Visits {
		step := v.Node
		if v.Port != "" {
			step += "." + v.Port
		}
		path = append(path, step)
	}
	return path
}

// Mails lists the messages the run asked for.
func (w *Walk) Mails() []engine.SendMessage {
	var mails []engine.SendMessage
	for _, effect := range w.Effects {
		if mail, ok := effect.(engine.SendMessage); ok {
			mails = append(mails, mail)
		}
	}
	return mails
}

// Last is the newest line of the journal.
func (w *Walk) Last() engine.Visit { return w.Visits[len(w.Visits)-1] }
