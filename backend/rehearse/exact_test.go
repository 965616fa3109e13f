package rehearse_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/backend/clock"
	"github.com/lejek/lejek/backend/events"
	"github.com/lejek/lejek/backend/people"
	"github.com/lejek/lejek/backend/rehearse"
	"github.com/lejek/lejek/backend/spinetest"
	"github.com/lejek/lejek/backend/store/storetest"
	"github.com/lejek/lejek/engine"
)

// moment is something a person does.
type moment struct {
	at   time.Time
	does func(w *spinetest.World)
}

// history draws lives and lets them happen in a world, to the last instant. Several people do things at one instant unless they are apart.
func history(t *testing.T, w *spinetest.World, seed uint64, crowd int, until time.Time, apart time.Duration) {
	t.Helper()
	chance := rand.New(rand.NewPCG(seed, 1))
	var story []moment
	for i := range crowd {
		email := fmt.Sprintf("p%d@example.com", i)
		id := w.Contact(email)
		if i%3 == 0 {
			_, err := w.People.Patch(t.Context(), w.Workspace, id, map[string]json.RawMessage{"zone": json.RawMessage(`"America/St_Johns"`)})
			require.NoError(t, err)
		}
		for range 1 + chance.IntN(8) {
			at := storetest.Now.Add(time.Duration(1+chance.IntN(26*96))*15*time.Minute + time.Duration(i)*apart)
			total := float64(chance.IntN(100))
			var does func(w *spinetest.World)
			switch chance.IntN(12) {
			case 0:
				does = func(w *spinetest.World) {
					require.NoError(t, w.People.Unsubscribe(t.Context(), w.Workspace, id, "email", "", "link"))
				}
			case 1:
				does = func(w *spinetest.World) {
					_, err := w.People.SetConsents(t.Context(), w.Workspace, id, []people.ConsentInput{{Channel: "email", State: people.Granted, Source: "form"}})
					require.NoError(t, err)
				}
			case 2:
				does = func(w *spinetest.World) {
					_, err := w.People.AddTag(t.Context(), w.Workspace, id, "vip")
					require.NoError(t, err)
				}
			case 3:
				does = func(w *spinetest.World) {
					_, err := w.People.RemoveTag(t.Context(), w.Workspace, id, "vip")
					require.NoError(t, err)
				}
			case 4, 5:
				does = func(w *spinetest.World) { w.Event(email, "order_placed", map[string]any{"total": total}) }
			default:
				does = func(w *spinetest.World) { w.Event(email, "cart_updated", map[string]any{"total": total}) }
			}
			story = append(story, moment{at, does})
		}
	}
	slices.SortStableFunc(story, func(a, b moment) int { return a.at.Compare(b.at) })
	play(t, w, story)
	w.To(clock.Micro(until))
	w.Audit()
}

// play lets the moments of a story come, in their order.
func play(t *testing.T, w *spinetest.World, story []moment) {
	t.Helper()
	for _, m := range story {
		if now, _, err := w.Clock.Read(t.Context(), w.Pool); err == nil && now.Before(m.at) {
			w.To(m.at.Add(-time.Microsecond))
			require.NoError(t, w.Clock.SetNow(t.Context(), m.at))
		}
		m.does(w)
	}
}

// happened is what the tables tell of a funnel, as a rehearsal would.
func happened(t *testing.T, w *spinetest.World, funnel uuid.UUID) rehearse.Result {
	t.Helper()
	r := rehearse.Result{Skipped: map[string]int{}}
	sent := map[string]map[string]int{}
	rows, err := w.Pool.Query(t.Context(), `SELECT to_char(sent_at AT TIME ZONE 'UTC', 'YYYY-MM-DD'), channel FROM messages WHERE funnel_id = $1 AND status = 'sent'`, funnel)
	require.NoError(t, err)
	for rows.Next() {
		var day, channel string
		require.NoError(t, rows.Scan(&day, &channel))
		if sent[day] == nil {
			sent[day] = map[string]int{}
		}
		sent[day][channel]++
		r.Sent++
	}
	require.NoError(t, rows.Err())
	for day, by := range sent {
		r.Days = append(r.Days, rehearse.Day{Date: day, Sent: by})
	}
	slices.SortFunc(r.Days, func(a, b rehearse.Day) int { return cmp.Compare(a.Date, b.Date) })
	rows, err = w.Pool.Query(t.Context(), `SELECT coalesce(reason, status) FROM messages WHERE funnel_id = $1 AND status IN ('skipped', 'expired')`, funnel)
	require.NoError(t, err)
	for rows.Next() {
		var reason string
		require.NoError(t, rows.Scan(&reason))
		r.Skipped[reason]++
	}
	require.NoError(t, rows.Err())
	r.Entries = w.Count("SELECT count(*) FROM runs WHERE funnel_id = $1", funnel)
	rows, err = w.Pool.Query(t.Context(), `SELECT j.node || '.' || j.port FROM journal j JOIN runs r ON r.id = j.run_id WHERE r.funnel_id = $1 AND j.port <> ''`, funnel)
	require.NoError(t, err)
	ports := map[string]int{}
	for rows.Next() {
		var port string
		require.NoError(t, rows.Scan(&port))
		ports[port]++
	}
	require.NoError(t, rows.Err())
	r.Steps = []rehearse.Step{{Ports: ports}}
	return r
}

// comparableTo leaves of a rehearsal what happened tells.
func comparableTo(r *rehearse.Result) rehearse.Result {
	out := rehearse.Result{Sent: r.Sent, Entries: r.Entries, Skipped: r.Skipped, Steps: []rehearse.Step{{Ports: map[string]int{}}}}
	for _, day := range r.Days {
		if len(day.Sent) > 0 {
			out.Days = append(out.Days, rehearse.Day{Date: day.Date, Sent: day.Sent})
		}
	}
	for _, step := range r.Steps {
		for port, n := range step.Ports {
			out.Steps[0].Ports[step.Node+"."+port] += n
		}
	}
	return out
}

func bundleOf(t *testing.T, graph string) engine.Bundle {
	t.Helper()
	bundle := engine.Bundle{Creatives: map[string]engine.Creative{}}
	require.NoError(t, json.Unmarshal([]byte(graph), &bundle.Graph))
	bundle.Graph.Schema = engine.SchemaVersion
	for _, slug := range []string{"one", "two", "three"} {
		bundle.Creatives[slug] = engine.Creative{Channel: "email", Subject: slug}
	}
	return bundle
}

// carts is a funnel with a condition, a split, a goal and three mails.
const carts = `{"nodes": [
	{"id": "in", "kind": "entry", "config": {"triggers": [{"kind": "api_event", "name": "cart_updated", "where": {"field": "total", "op": "gte", "value": 10}}], "reentry": %s}},
	{"id": "wait-1", "kind": "wait", "config": {"mode": "duration", "for": {"amount": 9, "unit": "hours"}}},
	{"id": "if-1", "kind": "condition", "config": {"rule": {"any": [{"tag": "tag:vip"}, {"event": {"name": "cart_updated", "agg": "count", "op": "gte", "value": 2, "within": {"amount": 3, "unit": "days"}}}]}}},
	{"id": "mail-1", "kind": "send_email", "config": {"creative": "creative:one"}},
	{"id": "split-1", "kind": "split", "config": {"arms": [{"id": "a", "label": "A", "weight": 50}, {"id": "b", "label": "B", "weight": 50}]}},
	{"id": "wait-2", "kind": "wait", "config": {"mode": "duration", "for": {"amount": 1, "unit": "days"}, "at": "07:30"}},
	{"id": "mail-2", "kind": "send_email", "config": {"creative": "creative:two"}},
	{"id": "wait-3", "kind": "wait", "config": {"mode": "until_event", "event": {"name": "cart_updated"}, "timeout": {"amount": 2, "unit": "days"}}},
	{"id": "mail-3", "kind": "send_email", "config": {"creative": "creative:three", "class": "transactional"}},
	{"id": "goal", "kind": "goal", "config": {"mode": "event", "event": {"name": "order_placed", "where": {"field": "total", "op": "gte", "value": 20}}}}],
	"edges": [{"from": "in", "port": "next", "to": "wait-1"}, {"from": "wait-1", "port": "next", "to": "if-1"},
	{"from": "if-1", "port": "yes", "to": "mail-1"}, {"from": "if-1", "port": "no", "to": "split-1"}, {"from": "mail-1", "port": "next", "to": "split-1"},
	{"from": "split-1", "port": "a", "to": "wait-2"}, {"from": "split-1", "port": "b", "to": "wait-3"}, {"from": "wait-2", "port": "next", "to": "mail-2"},
	{"from": "mail-2", "port": "next", "to": "wait-3"}, {"from": "wait-3", "port": "next", "to": "mail-3"}]}`

// TestARehearsalTellsWhatHappened lets drawn lives meet a funnel, and then rehearses the same funnel over what was recorded of them: entries,
// messages by day, those that stayed, and the traffic of every way must be the same, whatever the portions.
func TestARehearsalTellsWhatHappened(t *testing.T) {
	t.Parallel()
	for i, reentry := range []string{`{"rule": "once"}`, `{"rule": "restart"}`, `{"rule": "after_exit", "pause": {"amount": 2, "unit": "days"}}`, `{"rule": "each", "key": "total"}`} {
		t.Run(reentry, func(t *testing.T) {
			t.Parallel()
			w := spinetest.New(t)
			graph := fmt.Sprintf(carts, reentry)
			funnel := w.Funnel("carts", graph)
			until := storetest.Now.AddDate(0, 0, 30)
			history(t, w, uint64(i), 60, until, 0)

			options := rehearse.Options{Workspace: w.Workspace, Funnel: funnel, Bundle: bundleOf(t, graph), From: storetest.Now, To: until, Chunk: 7}
			got, err := rehearse.Run(t.Context(), w.Pool, options, nil, nil)
			require.NoError(t, err)
			require.Equal(t, happened(t, w, funnel), comparableTo(got))
			require.NotZero(t, got.Sent)
			require.Equal(t, got.People, got.LookedAt)
		})
	}
}

// TestARehearsalKeepsQuietHoursAndTheCap does the same with quiet hours of the workspace and of the run, and a cap that holds people back.
func TestARehearsalKeepsQuietHoursAndTheCap(t *testing.T) {
	t.Parallel()
	w := spinetest.New(t)
	w.Exec(`UPDATE workspaces SET quiet_hours = '[{"from": "22:00", "to": "06:30"}, {"from": "00:00", "to": "00:00", "days": ["sun"]}]',
		frequency_caps = '{"email": {"count": 2, "per": 60}}' WHERE id = $1`, w.Workspace)
	graph := strings.Replace(fmt.Sprintf(carts, `{"rule": "restart"}`), `{"from": "in", "port": "next", "to": "wait-1"}`,
		`{"from": "in", "port": "next", "to": "quiet"}, {"from": "quiet", "port": "next", "to": "wait-1"}`, 1)
	graph = strings.Replace(graph, `{"id": "wait-1",`, `{"id": "quiet", "kind": "quiet_hours", "config": {"from": "12:00", "to": "13:15", "days": ["mon", "tue", "wed", "thu", "fri"]}}, {"id": "wait-1",`, 1)
	graph = strings.ReplaceAll(graph, `, "class": "transactional"`, ``)
	graph = strings.ReplaceAll(graph, `{"amount": 9, "unit": "hours"}`, `{"amount": 20, "unit": "minutes"}`)
	funnel := w.Funnel("carts", graph)
	until := storetest.Now.AddDate(0, 0, 30)
	history(t, w, 12, 60, until, 0)
	got, err := rehearse.Run(t.Context(), w.Pool, rehearse.Options{
		Workspace: w.Workspace, Funnel: funnel, Bundle: bundleOf(t, graph), From: storetest.Now, To: until,
	}, nil, nil)
	require.NoError(t, err)
	require.Equal(t, happened(t, w, funnel), comparableTo(got))
	require.NotZero(t, got.OverCap)
	require.NotZero(t, got.Held[engine.GateQuiet])
	require.NotZero(t, got.Held[engine.GateCap]+got.Skipped[engine.GateCap])
}

// TestARehearsalTakesBackWhatIsHeldAtTheEnd does the same with a funnel that ends with its mail, which long quiet hours hold: goals and
// restarts still reach it, and closing steps go on from there.
func TestARehearsalTakesBackWhatIsHeldAtTheEnd(t *testing.T) {
	t.Parallel()
	w := spinetest.New(t)
	w.Exec(`UPDATE workspaces SET quiet_hours = '[{"from": "09:00", "to": "06:30"}]' WHERE id = $1`, w.Workspace)
	var compare []func()
	var void int
	for i, reentry := range []string{`{"rule": "restart"}`, `{"rule": "once"}`, `{"rule": "after_exit"}`} {
		graph := fmt.Sprintf(`{"nodes": [
			{"id": "in", "kind": "entry", "config": {"triggers": [{"kind": "api_event", "name": "cart_updated"}], "reentry": %s}},
			{"id": "mail", "kind": "send_email", "config": {"creative": "creative:one"}},
			{"id": "goal", "kind": "goal", "config": {"mode": "event", "event": {"name": "order_placed", "where": {"field": "total", "op": "gte", "value": 20}}}},
			{"id": "vip", "kind": "goal", "config": {"mode": "rule", "rule": {"tag": "tag:vip"}}},
			{"id": "wait", "kind": "wait", "config": {"mode": "until_event", "event": {"name": "cart_updated"}, "timeout": {"amount": 2, "unit": "days"}}},
			{"id": "thanks", "kind": "send_email", "config": {"creative": "creative:two"}}],
			"edges": [{"from": "in", "port": "next", "to": "mail"}, {"from": "goal", "port": "reached", "to": "wait"}, {"from": "wait", "port": "next", "to": "thanks"}]}`, reentry)
		funnel := w.Funnel(fmt.Sprintf("carts-%d", i), graph)
		compare = append(compare, func() {
			options := rehearse.Options{Workspace: w.Workspace, Funnel: funnel, Bundle: bundleOf(t, graph), From: storetest.Now, To: storetest.Now.AddDate(0, 0, 30)}
			got, err := rehearse.Run(t.Context(), w.Pool, options, nil, nil)
			require.NoError(t, err)
			require.Equal(t, happened(t, w, funnel), comparableTo(got), reentry)
			void += got.Skipped[engine.GateVoid]
			require.NotZero(t, got.Sent)
		})
	}
	for _, who := range []string{"buys", "returns", "joins", "looks"} {
		id := w.Contact(who + "@example.com")
		w.To(w.Clock.Now().Add(time.Minute))
		w.Event(who+"@example.com", "cart_updated", map[string]any{"total": 15.0})
		w.To(w.Clock.Now().Add(time.Minute))
		switch who {
		case "buys":
			w.Event(who+"@example.com", "order_placed", map[string]any{"total": 30.0})
		case "returns":
			w.Event(who+"@example.com", "cart_updated", map[string]any{"total": 16.0})
		case "joins":
			_, err := w.People.AddTag(t.Context(), w.Workspace, id, "vip")
			require.NoError(t, err)
		case "looks":
			w.Event(who+"@example.com", "order_placed", map[string]any{"total": 3.0})
		}
	}
	history(t, w, 31, 12, storetest.Now.AddDate(0, 0, 30), time.Second)
	for _, check := range compare {
		check()
	}
	require.GreaterOrEqual(t, void, 3+2+2, "a purchase and a tag end each run, a second cart only where it starts anew")
}

// TestARehearsalLetsPeopleWaitForEachOther puts throttles into the same funnel, one behind the other: whom a goal or a restart takes out of
// the line leaves their place to the next who comes.
func TestARehearsalLetsPeopleWaitForEachOther(t *testing.T) {
	t.Parallel()
	for i, reentry := range []string{`{"rule": "once"}`, `{"rule": "restart"}`} {
		t.Run(reentry, func(t *testing.T) {
			t.Parallel()
			w := spinetest.New(t)
			graph := strings.Replace(fmt.Sprintf(carts, reentry), `{"from": "in", "port": "next", "to": "wait-1"}`,
				`{"from": "in", "port": "next", "to": "line-1"}, {"from": "line-1", "port": "next", "to": "line-2"}, {"from": "line-2", "port": "next", "to": "wait-1"}`, 1)
			graph = strings.Replace(graph, `{"id": "wait-1",`, `{"id": "line-1", "kind": "throttle", "config": {"count": 2, "per": {"amount": 30, "unit": "hours"}}},
				{"id": "line-2", "kind": "throttle", "config": {"count": 3, "per": {"amount": 2, "unit": "days"}}}, {"id": "wait-1",`, 1)
			funnel := w.Funnel("carts", graph)
			until := storetest.Now.AddDate(0, 0, 30)
			history(t, w, uint64(20+i), 40, until, time.Second)
			var told []int64
			got, err := rehearse.Run(t.Context(), w.Pool, rehearse.Options{
				Workspace: w.Workspace, Funnel: funnel, Bundle: bundleOf(t, graph), From: storetest.Now, To: until, Chunk: 11,
			}, nil, func(_ *rehearse.Result, done, of int64) error {
				require.LessOrEqual(t, done, of)
				told = append(told, done)
				return nil
			})
			require.NoError(t, err)
			require.Equal(t, happened(t, w, funnel), comparableTo(got))
			require.NotZero(t, got.Sent)
			require.Empty(t, got.Assumed)
			require.Greater(t, len(told), 6, "everybody is looked at more than once")
		})
	}
}

// TestARehearsalKnowsWhatWasToldLate tells of things hours after they happened: an order from before the cart reaches no goal, an older cart
// restarts no newer one, and both do what they should once they are the newer ones.
func TestARehearsalKnowsWhatWasToldLate(t *testing.T) {
	t.Parallel()
	w := spinetest.New(t)
	graph := fmt.Sprintf(carts, `{"rule": "restart"}`)
	funnel := w.Funnel("carts", graph)
	start := storetest.Now.Add(24 * time.Hour)
	told := func(email, name string, at, ago time.Duration) moment {
		return moment{start.Add(at), func(w *spinetest.World) {
			w.Events(events.Incoming{Who: people.Input{Email: email}, Name: name, At: w.Clock.Now().Add(-ago), Props: map[string]any{"total": 50.0}})
		}}
	}
	var story []moment
	for i, ago := range []time.Duration{0, 3 * time.Hour} {
		order, cart := fmt.Sprintf("order%d@example.com", i), fmt.Sprintf("cart%d@example.com", i)
		w.Contact(order)
		w.Contact(cart)
		story = append(story, told(order, "cart_updated", 0, 0), told(order, "order_placed", time.Hour, ago), told(cart, "cart_updated", 0, 0), told(cart, "cart_updated", 2*time.Hour, ago))
	}
	slices.SortStableFunc(story, func(a, b moment) int { return a.at.Compare(b.at) })
	play(t, w, story)
	until := storetest.Now.AddDate(0, 0, 30)
	w.To(until)
	w.Audit()
	got, err := rehearse.Run(t.Context(), w.Pool, rehearse.Options{
		Workspace: w.Workspace, Funnel: funnel, Bundle: bundleOf(t, graph), From: storetest.Now, To: until,
	}, nil, nil)
	require.NoError(t, err)
	require.Equal(t, happened(t, w, funnel), comparableTo(got))
	require.Equal(t, 1, got.Refused[engine.RefusedOlder])
	require.Equal(t, 5, got.Entries)
}

// TestARehearsalWritesNothing compares the contents of every table before and after, those of River aside.
func TestARehearsalWritesNothing(t *testing.T) {
	t.Parallel()
	w := spinetest.New(t)
	graph := fmt.Sprintf(carts, `{"rule": "restart"}`)
	history(t, w, 99, 20, storetest.Now.AddDate(0, 0, 30), 0)
	before := contents(t, w)
	got, err := rehearse.Run(t.Context(), w.Pool, rehearse.Options{
		Workspace: w.Workspace, Bundle: bundleOf(t, graph), From: storetest.Now, To: storetest.Now.AddDate(0, 0, 30),
	}, nil, nil)
	require.NoError(t, err)
	require.NotZero(t, got.Sent)
	require.Equal(t, before, contents(t, w))
}

// contents is every row of every table of ours, as text, and where the numbers of events stand.
func contents(t *testing.T, w *spinetest.World) map[string]string {
	t.Helper()
	rows, err := w.Pool.Query(t.Context(), `SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
		WHERE n.nspname = 'public' AND c.relkind IN ('r', 'p') ORDER BY 1`)
	require.NoError(t, err)
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	require.Greater(t, len(names), 20)
	all := map[string]string{}
	for _, name := range names {
		var text string
		require.NoError(t, w.Pool.QueryRow(t.Context(), fmt.Sprintf(`SELECT coalesce(string_agg(t::text, E'\n' ORDER BY t::text), '') FROM %s t`, pgx.Identifier{name}.Sanitize())).Scan(&text))
		all[name] = text
	}
	all["event_ids"] = strconv.Itoa(w.Count("SELECT last_value FROM event_ids"))
	return all
}
