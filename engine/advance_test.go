package engine

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// monday is when tests begin: a Monday in winter.
var monday = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// planOf compiles a funnel of the corpus.
func planOf(t testing.TB, name string) *Plan {
	t.Helper()
	plan, err := Compile(corpus(t, "funnels")[name])
	require.NoError(t, err)
	return plan
}

// walker drives one run in a test the way a worker does.
type walker struct {
	t       testing.TB
	plan    *Plan
	run     Run
	contact Contact
	visits  []Visit
	effects []Effect
	void    int
}

func start(t testing.TB, plan *Plan, event Event) *walker {
	t.Helper()
	w := &walker{t: t, plan: plan, contact: Contact{ID: "c1", Fields: map[string]any{"email": "anna@example.com"}}}
	a := plan.Admit(event, Input{Now: event.At, Contact: w.contact})
	require.True(t, a.Starts(), "%+v", a)
	w.run = Start(plan, "r1", a, event, event.At)
	return w.advance(event.At)
}

// advance moves the run at an instant, with signals.
func (w *walker) advance(now time.Time, signals ...Event) *walker {
	w.t.Helper()
	out, err := Advance(w.plan, w.run, Input{Now: now, Contact: w.contact, Signals: signals})
	require.NoError(w.t, err)
	require.Equal(w.t, w.run.Seq+len(out.Visits), out.Run.Seq)
	w.run = out.Run
	w.visits = append(w.visits, out.Visits...)
	w.effects = append(w.effects, out.Effects...)
	if out.Void {
		w.void = out.VoidBefore
	}
	return w
}

// path says where the run has been: "start.next wait-1 wait-1.next".
func (w *walker) path() []string {
	var path []string
	for _, v := range w.visits {
		step := v.Node
		if v.Port != "" {
			step += "." + v.Port
		}
		path = append(path, step)
	}
	return path
}

func (w *walker) mails() []SendMessage {
	var mails []SendMessage
	for _, effect := range w.effects {
		if mail, ok := effect.(SendMessage); ok {
			mails = append(mails, mail)
		}
	}
	return mails
}

func purchase(at time.Time) Event {
	return Event{Name: "purchase", At: at, Props: map[string]any{"total": 120.0}}
}

func TestARunWaitsAndThenSends(t *testing.T) {
	t.Parallel()
	w := start(t, planOf(t, "win-back"), purchase(monday))
	require.Equal(t, []string{"start.next", "wait-1"}, w.path())
	due := monday.AddDate(0, 0, 90)
	require.Equal(t, due, w.run.WakeAt)
	w.advance(due)
	require.Equal(t, []string{"start.next", "wait-1", "wait-1.next", "mail-1.next"}, w.path())
	require.Equal(t, Done, w.run.Status)
	require.Equal(t, ReasonFinished, w.run.Reason)
	require.Equal(t, []SendMessage{{
		Seq: 4, Node: "mail-1", Channel: "email", Creative: "win-back", Sender: "main", Class: "marketing",
		Due: due, ExpiresAt: due.Add(24 * time.Hour),
	}}, w.mails())
}
