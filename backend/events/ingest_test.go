package events_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/backend/events"
	"github.com/lejek/lejek/backend/people"
	"github.com/lejek/lejek/backend/spinetest"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/backend/store/storetest"
	"github.com/lejek/lejek/engine"
)

func funnel(entry string) string {
	return `{"nodes": [
		{"id": "in", "kind": "entry", "config": ` + entry + `},
		{"id": "wait-1", "kind": "wait", "config": {"mode": "duration", "for": {"amount": 1, "unit": "days"}}},
		{"id": "mail-1", "kind": "send_email", "config": {"creative": "creative:hello"}}],
		"edges": [{"from": "in", "port": "next", "to": "wait-1"}, {"from": "wait-1", "port": "next", "to": "mail-1"}]}`
}

var oneMail = funnel(`{"triggers": [{"kind": "api_event", "name": "purchase"}], "reentry": {"rule": "once"}}`)

func TestIngestRejects(t *testing.T) {
	t.Parallel()
	w := spinetest.New(t)
	jan := people.Input{Email: "jan@example.com"}
	deep := map[string]any{}
	for range 20 {
		deep = map[string]any{"in": deep}
	}
	for name, c := range map[string]struct {
		in   events.Incoming
		code string
	}{
		"ANameOfOurs":          {events.Incoming{Who: jan, Name: "message_opened"}, "name_reserved"},
		"AnOddName":            {events.Incoming{Who: jan, Name: "Kauf!"}, "name_invalid"},
		"TheFuture":            {events.Incoming{Who: jan, Name: "purchase", At: storetest.Now.Add(6 * time.Minute)}, "in_future"},
		"Nobody":               {events.Incoming{Name: "purchase"}, "invalid"},
		"AnAddressThatIsNone":  {events.Incoming{Who: people.Input{Email: "jan"}, Name: "purchase"}, "invalid"},
		"DeepProperties":       {events.Incoming{Who: jan, Name: "purchase", Props: deep}, "too_deep"},
		"HugeProperties":       {events.Incoming{Who: jan, Name: "purchase", Props: map[string]any{"x": strings.Repeat("x", 40_000)}}, "too_large"},
		"NUL":                  {events.Incoming{Who: jan, Name: "purchase", Props: map[string]any{"x": "a\x00b"}}, "props_invalid"},
		"AnIDOfManyCharacters": {events.Incoming{Who: jan, Name: "purchase", ID: strings.Repeat("x", 300)}, "id_too_long"},
	} {
		t.Run(name, func(t *testing.T) {
			out := w.Events(c.in, events.Incoming{Who: jan, Name: "visit"})
			require.Equal(t, events.Rejected, out[0].Status)
			require.Equal(t, c.code, out[0].Code)
			require.NotEmpty(t, out[0].Reason)
			require.Equal(t, events.Accepted, out[1].Status, "a rejected event stops no other")
		})
	}
	t.Run("AllOfATooLongBatch", func(t *testing.T) {
		err := store.InTx(t.Context(), w.Pool, w.Clock, func(tx store.Tx) error {
			_, err := w.Reactor.Ingest(t.Context(), tx, w.Workspace, make([]events.Incoming, events.MaxBatch+1))
			return err
		})
		require.ErrorContains(t, err, "at most 1000")
	})
	w.Audit()
}

func TestIngestAnswersPerEvent(t *testing.T) {
	t.Parallel()
	w := spinetest.New(t)
	w.Funnel("letters", oneMail)
	jan := people.Input{Email: "jan@example.com"}
	buy := func(id string, at time.Time) events.Incoming {
		return events.Incoming{Who: jan, Name: "purchase", ID: id, At: at}
	}
	old := w.Events(buy("a", storetest.Now.Add(-25*time.Hour)))[0]
	require.Equal(t, "late", old.Quiet)
	require.Empty(t, old.Started)

	out := w.Events(buy("b", time.Time{}), buy("b", time.Time{}), buy("a", time.Time{}), buy("c", time.Time{}))
	require.Equal(t, []events.Status{events.Accepted, events.Duplicate, events.Duplicate, events.Accepted},
		[]events.Status{out[0].Status, out[1].Status, out[2].Status, out[3].Status})
	require.Len(t, out[0].Started, 1)
	require.Equal(t, out[0].ID, out[1].ID)
	require.Equal(t, old.ID, out[2].ID)
	require.Equal(t, events.RefusedOnce, out[3].Refused[0].Why)
	require.Equal(t, 3, w.Count("SELECT count FROM event_rollups WHERE name = 'purchase'"))
	require.Equal(t, 1, w.Count("SELECT count(*) FROM event_names WHERE name = 'purchase'"))
	w.Settle()
	w.Audit()
}

func TestReentry(t *testing.T) {
	t.Parallel()
	trigger := `{"triggers": [{"kind": "api_event", "name": "go"}], "reentry": `
	for name, c := range map[string]struct {
		reentry string
		steps   []func(w *spinetest.World)
		runs    int
		active  int
		mails   int
	}{
		"OnceIsForEver":                {`{"rule": "once"}`, steps(fire, days(2), fire, days(2)), 1, 0, 1},
		"AfterExitRefusesWhileInside":  {`{"rule": "after_exit"}`, steps(fire, hours(1), fire), 1, 1, 0},
		"AfterExitComesAgain":          {`{"rule": "after_exit"}`, steps(fire, days(2), fire), 2, 1, 1},
		"AfterExitKeepsItsPause":       {`{"rule": "after_exit", "pause": {"amount": 30, "unit": "days"}}`, steps(fire, days(2), fire, days(27), fire, days(5), fire), 2, 1, 1},
		"RestartBeginsAnew":            {`{"rule": "restart"}`, steps(fire, hours(20), fire, hours(20), fire, hours(23)), 3, 1, 0},
		"RestartWithoutAnActiveOne":    {`{"rule": "restart"}`, steps(fire, days(2), fire, days(2)), 2, 0, 2},
		"EachKeyOnceForEver":           {`{"rule": "each", "key": "cart.id"}`, steps(cart("a"), cart("b"), cart("a"), days(2), cart("a"), cart("c")), 3, 1, 2},
		"EachNeedsItsKey":              {`{"rule": "each", "key": "cart.id"}`, steps(fire), 0, 0, 0},
		"SeveralInOneBatchRestartLast": {`{"rule": "restart"}`, steps(burst, days(2)), 3, 0, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := spinetest.New(t)
			w.Contact("jan@example.com")
			w.Funnel("letters", funnel(trigger+c.reentry+"}"))
			for _, step := range c.steps {
				step(w)
			}
			require.Equal(t, c.runs, w.Count("SELECT count(*) FROM runs"))
			require.Equal(t, c.active, w.Count("SELECT count(*) FROM runs WHERE status = 'active'"))
			require.Len(t, w.Sent("jan@example.com"), c.mails)
			w.Settle()
			w.Audit()
		})
	}
}

// TestAnEventOfAnotherKeyIsNoNews keeps two carts of one person apart, in what is told of the event as well.
func TestAnEventOfAnotherKeyIsNoNews(t *testing.T) {
	t.Parallel()
	w := spinetest.New(t)
	w.Contact("jan@example.com")
	w.Funnel("cart", `{"nodes": [
		{"id": "in", "kind": "entry", "config": {"triggers": [{"kind": "api_event", "name": "go"}], "reentry": {"rule": "each", "key": "cart.id"}}},
		{"id": "wait-1", "kind": "wait", "config": {"mode": "until_event", "event": {"name": "paid"}, "timeout": {"amount": 9, "unit": "days"}}},
		{"id": "mail-1", "kind": "send_email", "config": {"creative": "creative:hello"}}],
		"edges": [{"from": "in", "port": "next", "to": "wait-1"}, {"from": "wait-1", "port": "next", "to": "mail-1"}]}`)
	cart("a")(w)
	cart("b")(w)
	w.Settle()
	paid := func(id string) events.Outcome {
		return w.Events(events.Incoming{Who: people.Input{Email: "jan@example.com"}, Name: "paid", Props: map[string]any{"cart": map[string]any{"id": id}}})[0]
	}
	require.Empty(t, paid("c").Woke)
	require.Len(t, paid("a").Woke, 1)
	w.Settle()
	require.Len(t, w.Sent("jan@example.com"), 1)
	require.Equal(t, 1, w.Count("SELECT count(*) FROM runs WHERE status = 'active' AND key = 'b'"))
	w.Audit()
}

// TestWhatHappenedBeforeARunIsNoNewsToIt tells late of what happened before: it reaches no goal, and restarts nothing that is newer. What a slow
// clock dates a little too early counts, and a batch counts in the order in which things happened.
func TestWhatHappenedBeforeARunIsNoNewsToIt(t *testing.T) {
	t.Parallel()
	w := spinetest.New(t)
	w.Contact("jan@example.com")
	w.Funnel("cart", `{"nodes": [
		{"id": "in", "kind": "entry", "config": {"triggers": [{"kind": "api_event", "name": "go"}], "reentry": {"rule": "restart"}}},
		{"id": "wait-1", "kind": "wait", "config": {"mode": "duration", "for": {"amount": 1, "unit": "hours"}}},
		{"id": "mail-1", "kind": "send_email", "config": {"creative": "creative:hello"}},
		{"id": "goal", "kind": "goal", "config": {"mode": "event", "event": {"name": "paid"}}}],
		"edges": [{"from": "in", "port": "next", "to": "wait-1"}, {"from": "wait-1", "port": "next", "to": "mail-1"}]}`)
	tell := func(name string, ago time.Duration) events.Incoming {
		return events.Incoming{Who: people.Input{Email: "jan@example.com"}, Name: name, At: w.Clock.Now().Add(-ago)}
	}
	first := w.Events(tell("go", time.Hour))[0]
	require.Len(t, first.Started, 1)
	w.Settle()
	require.Empty(t, w.Events(tell("paid", 3*time.Hour))[0].Woke)
	older := w.Events(tell("go", 2*time.Hour))[0]
	require.Empty(t, older.Started)
	require.Equal(t, engine.RefusedOlder, older.Refused[0].Why)
	require.Len(t, w.Events(tell("go", time.Minute))[0].Started, 1)
	w.Settle()
	require.Len(t, w.Events(tell("paid", 4*time.Minute))[0].Woke, 1)
	w.Settle()
	require.Zero(t, w.Count("SELECT count(*) FROM runs WHERE status = 'active'"))
	out := w.Events(tell("paid", 0), tell("go", 30*time.Minute))
	require.Len(t, out[0].Woke, 1, "it happened after what began the run")
	w.To(w.Clock.Now().Add(2 * time.Hour))
	require.Empty(t, w.Sent("jan@example.com"))
	require.Equal(t, 2, w.Count("SELECT count(*) FROM runs WHERE end_reason = 'goal'"))
	w.Audit()
}

func steps(s ...func(*spinetest.World)) []func(*spinetest.World) { return s }

func fire(w *spinetest.World) { w.Event("jan@example.com", "go", nil) }

func burst(w *spinetest.World) {
	one := events.Incoming{Who: people.Input{Email: "jan@example.com"}, Name: "go"}
	w.Events(one, one, one)
}

func cart(id string) func(*spinetest.World) {
	return func(w *spinetest.World) {
		w.Event("jan@example.com", "go", map[string]any{"cart": map[string]any{"id": id}})
	}
}

func hours(n int) func(*spinetest.World) {
	return func(w *spinetest.World) { w.To(w.Clock.Now().Add(time.Duration(n) * time.Hour)) }
}

func days(n int) func(*spinetest.World) { return hours(24 * n) }

func TestTriggersBesidesEvents(t *testing.T) {
	t.Parallel()
	w := spinetest.New(t)
	entry := func(trigger string) string {
		return funnel(`{"triggers": [` + trigger + `], "reentry": {"rule": "once"}}`)
	}
	w.Exec("INSERT INTO lists (workspace_id, slug, name, description, created_at) VALUES ($1, 'news', 'News', '', $2)", w.Workspace, storetest.Now)
	created := w.Funnel("created", entry(`{"kind": "contact_created"}`))
	tagged := w.Funnel("tagged", entry(`{"kind": "tag_added", "tag": "tag:vip"}`))
	joined := w.Funnel("joined", entry(`{"kind": "list_join", "list": "list:news"}`))
	manual := w.Funnel("manual", entry(`{"kind": "manual"}`))
	contact := w.Contact("jan@example.com")
	_, err := w.People.AddTag(t.Context(), w.Workspace, contact, "other")
	require.NoError(t, err)
	w.Settle()
	require.Equal(t, 1, w.Count("SELECT count(*) FROM runs"))
	_, err = w.People.AddTag(t.Context(), w.Workspace, contact, "vip")
	require.NoError(t, err)
	_, err = w.People.JoinList(t.Context(), w.Workspace, contact, "news")
	require.NoError(t, err)
	w.Settle()
	w.Tx(func(tx store.Tx) error {
		out, err := w.Reactor.Start(t.Context(), tx, w.Workspace, contact, manual)
		require.Len(t, out.Started, 1)
		return err
	})
	for _, id := range []any{created, tagged, joined, manual} {
		require.Equal(t, 1, w.Count("SELECT count(*) FROM runs WHERE funnel_id = $1", id))
	}
	w.Audit()
}

func TestAFilterAndAGoalThatIsTrueAlreadyRefuse(t *testing.T) {
	t.Parallel()
	w := spinetest.New(t)
	w.Contact("jan@example.com")
	w.Funnel("filtered", funnel(`{"triggers": [{"kind": "api_event", "name": "go", "where": {"field": "total", "op": "gt", "value": 10}}],
		"filter": {"event": {"name": "go", "agg": "count", "op": "gte", "value": 3}}, "reentry": {"rule": "once"}}`))
	send := func(total int) events.Outcome {
		return w.Event("jan@example.com", "go", map[string]any{"total": total})
	}
	require.Empty(t, send(5).Refused, "the trigger does not fire at all")
	require.Equal(t, "filter", send(50).Refused[0].Why)
	require.Len(t, send(50).Started, 1, "the event itself counts")
	w.Audit()
}
