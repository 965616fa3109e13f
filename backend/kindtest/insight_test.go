package kindtest

import (
	"fmt"
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/backend/reports"
)

// studied is a world in which forty people came to a split, some opened, clicked, bounced, bought or left.
func studied(t *testing.T) (w *World, funnel string) {
	t.Helper()
	w = New(t)
	line := Line(On("cart_updated"),
		Step("split", object{"arms": []any{object{"id": "a", "label": "Short", "weight": 50}, object{"id": "b", "label": "Long", "weight": 50}}}),
		Step("join", object{}),
		Step("send_email", object{"creative": "creative:hello", "class": "marketing"}),
		Step("wait", object{"mode": "duration", "for": object{"amount": 2, "unit": "days"}}),
		Step("send_email", object{"creative": "creative:hello", "class": "marketing"}),
	)
	line["creatives"] = object{"hello": Email("Hello", "Hello")}
	graph := line["graph"].(object)
	graph["nodes"] = append(graph["nodes"].([]any), object{"id": "goal-1", "kind": "goal", "name": "Ordered", "config": object{"mode": "event", "event": object{"name": "order_placed"}}})
	edges := []any{}
	for _, e := range graph["edges"].([]any) {
		edge := e.(object)
		if edge["from"] == "split-1" {
			edges = append(edges, object{"from": "split-1", "port": "a", "to": "join-2"}, object{"from": "split-1", "port": "b", "to": "join-2"})
			continue
		}
		edges = append(edges, edge)
	}
	graph["edges"] = edges
	funnel = w.Funnel("Carts", line)
	for i := range 40 {
		domain := "example.com"
		if i%4 == 0 {
			domain = "Example.ORG"
		}
		email := fmt.Sprintf("p%02d@%s", i, domain)
		w.Contact(email)
		w.Event(email, "cart_updated", object{"total": 20})
	}
	w.Settle()
	w.After(time.Hour)
	for i, item := range w.Call(200, "GET", "/messages?limit=200", nil).Get("items").([]any) {
		id := item.(object)["id"].(string)
		act := func(what string) { w.Call(200, "POST", "/messages/"+id+"/act", object{"act": what}) }
		switch i % 5 {
		case 0:
			act("open")
			act("open")
		case 1:
			act("click")
		case 2:
			act("bounce")
		}
		if i == 9 {
			act("unsubscribe")
		}
		w.Settle()
	}
	w.After(24 * time.Hour)
	for i := range 12 {
		domain := "example.com"
		if i%4 == 0 {
			domain = "Example.ORG"
		}
		w.Event(fmt.Sprintf("p%02d@%s", i, domain), "order_placed", object{"total": 10.5 + float64(i), "currency": "pln"})
	}
	w.Settle()
	return w, funnel
}

// TestACountFromTheMarksEqualsARecountFromTheEvents asks every question both ways.
func TestACountFromTheMarksEqualsARecountFromTheEvents(t *testing.T) {
	t.Parallel()
	w, funnel := studied(t)
	for _, by := range reports.Splits {
		for _, more := range []string{"", "&funnel=" + funnel, "&channel=email", "&channel=sms", "&days=1"} {
			path := "/reports?by=" + by + more
			count, recount := w.Call(200, "GET", path, nil), w.Call(200, "GET", path+"&recount=true", nil)
			require.JSONEq(t, recount.Body, count.Body, path)
		}
	}

	total := w.Call(200, "GET", "/reports", nil)
	for name, n := range map[string]int{"sent": 40, "delivered": 32, "undelivered": 8, "opened": 16, "clicked": 8, "bounced": 8, "unsubscribed": 1, "converted": 12, "recovered": 12} {
		require.EqualValues(t, n, total.Get("total."+name), name)
		people := w.Call(200, "GET", "/reports/people?limit=200&what="+name, nil)
		require.Len(t, people.Get("items"), n, "each number opens its people: %s", name)
	}
	money := 0.0
	for i := range 12 {
		money += 10.5 + float64(i)
	}
	require.InDelta(t, money, total.Get("total.revenue.PLN"), 0.001)
	require.InDelta(t, money, total.Get("total.saved.PLN"), 0.001)

	domains := w.Call(200, "GET", "/reports?by=domain", nil)
	require.Equal(t, "example.com", domains.Text("rows.0.key"))
	require.EqualValues(t, 30, domains.Get("rows.0.sent"))
	require.Equal(t, []any{"bounce", "delivered"}, domains.Get("rows.0.needs"))
	require.NotEmpty(t, domains.Text("rows.0.cause"))
	require.Empty(t, domains.Get("rows.1.needs"), "ten messages are too few to say so")
	require.Len(t, w.Call(200, "GET", "/reports/people?by=domain&key=example.org&limit=200", nil).Get("items"), 10, "however it was written")

	variants := w.Call(200, "GET", "/reports?by=variant", nil)
	require.Equal(t, "Carts · split-1: Short", variants.Text("rows.0.label"))
	require.Equal(t, "Carts · send-email-3", w.Call(200, "GET", "/reports?by=step", nil).Text("rows.0.label"))
	w.Call(422, "GET", "/reports?by=weather", nil)
}

func TestEveryNumberOfTheCanvasOpensAsManyPeople(t *testing.T) {
	t.Parallel()
	w, funnel := studied(t)
	for _, period := range []string{"", "24h", "7d", "30d", "version"} {
		query := "?" + url.Values{"period": {period}}.Encode()
		if period == "" {
			query = "?"
		}
		counts := w.Call(200, "GET", "/funnels/"+funnel+"/counts"+query, nil)
		people := func(node, what string) int {
			n, next := 0, ""
			for {
				page := w.Call(200, "GET", "/funnels/"+funnel+"/people"+query+"&limit=7&node="+node+"&what="+what+"&cursor="+next, nil)
				n += len(page.Get("items").([]any))
				if page.Get("next") == nil {
					return n
				}
				next = page.Text("next")
			}
		}
		for node, c := range counts.Get("nodes").(object) {
			count := c.(object)
			require.EqualValues(t, count["came"], people(node, "came"), "%s %s", period, node)
			require.EqualValues(t, count["here"], people(node, "here"), "%s %s", period, node)
			require.EqualValues(t, count["passed"], people(node, "went"), "%s %s", period, node)
			require.EqualValues(t, count["lost"], people(node, "lost"), "%s %s", period, node)
			if messages, sends := count["messages"].(object); sends {
				for what, n := range messages {
					require.EqualValues(t, n, people(node, what), "%s %s %s", period, node, what)
				}
			}
		}
		came := map[string]int{"": 40, "24h": 0, "7d": 40, "30d": 40, "version": 40}[period]
		require.EqualValues(t, came, people("entry", "came"), period)
	}
	counts := w.Call(200, "GET", "/funnels/"+funnel+"/counts", nil)
	require.EqualValues(t, 40, counts.Get("nodes.wait-4.came"), "a wait is come to once, though it writes two lines")
	require.EqualValues(t, 1, counts.Get("nodes.wait-4.lost"))
	require.EqualValues(t, 12, counts.Get("nodes.goal-1.came"))

	splits := w.Call(200, "GET", "/funnels/"+funnel+"/splits", nil)
	require.Equal(t, "split-1", splits.Text("items.0.node"))
	require.EqualValues(t, 40, splits.Get("items.0.arms.0.people").(float64)+splits.Get("items.0.arms.1.people").(float64))
	require.EqualValues(t, 12, splits.Get("items.0.arms.0.reached").(float64)+splits.Get("items.0.arms.1.reached").(float64))
	require.Equal(t, "early", splits.Get("items.0.verdict"), "twenty people are too few to say")
}

func TestAPathSaysHowFarPeopleCameAndHowLongTheyTook(t *testing.T) {
	t.Parallel()
	w := New(t)
	for i, email := range []string{"a@example.com", "b@example.com", "c@example.com", "d@example.com"} {
		w.Contact(email)
		w.Event(email, "signed_up", nil)
		w.After(time.Duration(i+1) * time.Hour)
		if i < 3 {
			w.Event(email, "viewed", nil)
		}
	}
	w.After(time.Hour)
	w.Event("a@example.com", "bought", nil)
	w.Event("d@example.com", "bought", nil) // without viewing
	w.After(time.Hour)
	w.Event("a@example.com", "bought", nil)
	w.Settle()
	path := func(events ...any) object { return object{"events": events} }
	got := w.Call(200, "POST", "/reports/paths", path("signed_up", "viewed", "bought", "bought"))
	for i, want := range []struct{ people, seconds float64 }{{4, 0}, {3, 2 * 3600}, {1, 10 * 3600}, {1, 3600}} {
		require.Equal(t, want.people, got.Get(fmt.Sprintf("steps.%d.people", i)), "%d", i)
		require.Equal(t, want.seconds, got.Get(fmt.Sprintf("steps.%d.median_seconds", i)), "%d", i)
	}
	ask := path("signed_up", "viewed", "bought")
	ask["step"], ask["dropped"] = 2, true
	dropped := w.Call(200, "POST", "/reports/paths/people", ask)
	require.Len(t, dropped.Get("items"), 2)
	w.Call(422, "POST", "/reports/paths", path("signed_up"))
}

func TestFirstStepsCountWhatThePersonDid(t *testing.T) {
	t.Parallel()
	w, funnel := studied(t)
	message := w.Call(200, "GET", "/messages?limit=1", nil).Text("items.0.id")
	steps := func() Answer { return w.Call(200, "GET", "/first-steps", nil) }
	require.Equal(t, true, steps().Get("published"), "this person published the funnel")
	require.Equal(t, false, steps().Get("simulated"))
	require.Equal(t, false, steps().Get("looked"))
	require.Equal(t, false, steps().Get("connected"))
	w.Call(200, "POST", "/funnels/"+funnel+"/simulate", object{})
	w.Call(200, "GET", "/messages/"+message, nil)
	require.Equal(t, true, steps().Get("simulated"))
	require.Equal(t, true, steps().Get("looked"))
}
