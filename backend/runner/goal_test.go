package runner_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/backend/people"
	"github.com/lejek/lejek/backend/spinetest"
	"github.com/lejek/lejek/backend/store/storetest"
)

// withGoals is a line of two mails, an hour before each, with goals; each goal is a config and leads on to the steps named like it.
func withGoals(closing string, goals ...string) string {
	graph := line("go", once, anHour, "mail:one", anHour, "mail:two")
	var nodes, edges []string
	for i, config := range goals {
		id, mail := fmt.Sprintf("goal-%d", i+1), fmt.Sprintf("thanks-%d", i+1)
		nodes = append(nodes, fmt.Sprintf(`{"id": %q, "kind": "goal", "config": %s}`, id, config))
		switch closing {
		case "mail":
			nodes = append(nodes, fmt.Sprintf(`{"id": %q, "kind": "send_email", "config": {"creative": "creative:%s"}}`, mail, mail))
			edges = append(edges, fmt.Sprintf(`{"from": %q, "port": "reached", "to": %q}`, id, mail))
		case "wait":
			nodes = append(nodes, fmt.Sprintf(`{"id": "late-%d", "kind": "wait", "config": %s}`, i+1, anHour),
				fmt.Sprintf(`{"id": %q, "kind": "send_email", "config": {"creative": "creative:%s"}}`, mail, mail))
			edges = append(edges, fmt.Sprintf(`{"from": %q, "port": "reached", "to": "late-%d"}`, id, i+1),
				fmt.Sprintf(`{"from": "late-%d", "port": "next", "to": %q}`, i+1, mail))
		}
	}
	graph = strings.Replace(graph, `"nodes": [`, `"nodes": [`+strings.Join(nodes, ", ")+", ", 1)
	if len(edges) > 0 {
		graph = strings.Replace(graph, `"edges": [`, `"edges": [`+strings.Join(edges, ", ")+", ", 1)
	}
	return graph
}

func TestWhoeverReachesAGoalIsDone(t *testing.T) {
	t.Parallel()
	const (
		bought = `{"mode": "event", "event": {"name": "bought"}}`
		booked = `{"mode": "event", "event": {"name": "booked"}}`
		much   = `{"mode": "event", "event": {"name": "bought", "where": {"field": "total", "op": "gte", "value": 100}}}`
		named  = `{"mode": "rule", "rule": {"field": "first_name", "op": "is", "value": "Jan"}}`
	)
	event := func(name string, props map[string]any) func(*spinetest.World) {
		return func(w *spinetest.World) { w.Event("jan@example.com", name, props) }
	}
	name := func(w *spinetest.World) {
		_, err := w.People.Upsert(w.Context(), w.Workspace, people.Input{Email: "jan@example.com", FirstName: new("Jan")}, "test")
		require.NoError(w, err)
	}
	for what, c := range map[string]struct {
		graph   string
		happens map[int]func(*spinetest.World) // minutes after entry
		sent    []string
		reached string
	}{
		"by an event":                             {withGoals("mail", bought), map[int]func(*spinetest.World){30: event("bought", nil)}, []string{"thanks-1 03-23 09:30:00"}, "goal-1"},
		"by an event that matches only":           {withGoals("mail", much), map[int]func(*spinetest.World){30: event("bought", map[string]any{"total": 5}), 90: event("bought", map[string]any{"total": 100})}, []string{"one 03-23 10:00:00", "thanks-1 03-23 10:30:00"}, "goal-1"},
		"by a rule that becomes true":             {withGoals("mail", named), map[int]func(*spinetest.World){30: name}, []string{"thanks-1 03-23 09:30:00"}, "goal-1"},
		"the first of several wins":               {withGoals("mail", bought, booked), map[int]func(*spinetest.World){30: event("booked", nil), 40: event("bought", nil)}, []string{"thanks-2 03-23 09:30:00"}, "goal-2"},
		"a rule and an event side by side":        {withGoals("mail", named, bought), map[int]func(*spinetest.World){30: event("bought", nil), 40: name}, []string{"thanks-2 03-23 09:30:00"}, "goal-2"},
		"closing steps are not ended by another":  {withGoals("wait", bought, booked), map[int]func(*spinetest.World){30: event("bought", nil), 60: event("booked", nil)}, []string{"thanks-1 03-23 10:30:00"}, "goal-1"},
		"without closing steps the run just ends": {withGoals("", bought), map[int]func(*spinetest.World){90: event("bought", nil)}, []string{"one 03-23 10:00:00"}, "goal-1"},
		"after the end nothing is reached":        {withGoals("mail", bought), map[int]func(*spinetest.World){180: event("bought", nil)}, []string{"one 03-23 10:00:00", "two 03-23 11:00:00"}, ""},
		"another event is none":                   {withGoals("mail", bought), map[int]func(*spinetest.World){30: event("looked", nil)}, []string{"one 03-23 10:00:00", "two 03-23 11:00:00"}, ""},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			w := spinetest.New(t)
			w.Contact("jan@example.com")
			w.Funnel("letters", c.graph)
			w.Event("jan@example.com", "go", nil)
			for minute := 10; minute <= 300; minute += 10 {
				if happens := c.happens[minute]; happens != nil {
					w.To(storetest.Now.Add(time.Duration(minute) * time.Minute))
					happens(w)
					w.Settle()
				}
			}
			w.To(storetest.Now.AddDate(0, 0, 1))
			require.Equal(t, c.sent, w.Sent("jan@example.com"))
			require.Equal(t, 1, w.Count("SELECT count(*) FROM runs WHERE status = 'done' AND coalesce(goal, '') = $1", c.reached))
			w.Audit()
		})
	}
}

func TestAGoalThatIsTrueAlreadyLetsNobodyIn(t *testing.T) {
	t.Parallel()
	w := spinetest.New(t)
	_, err := w.People.Upsert(t.Context(), w.Workspace, people.Input{Email: "jan@example.com", FirstName: new("Jan")}, "test")
	require.NoError(t, err)
	w.Funnel("letters", withGoals("mail", `{"mode": "rule", "rule": {"field": "first_name", "op": "is", "value": "Jan"}}`))
	require.Empty(t, w.Event("jan@example.com", "go", nil).Started)
	w.To(storetest.Now.AddDate(0, 0, 1))
	require.Zero(t, w.Count("SELECT count(*) FROM runs"))
	w.Audit()
}

func TestAFunnelMayKeepWhoUnsubscribes(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		keeps  bool
		ends   string
		tagged []string
	}{
		"ByDefaultTheyLeave": {false, "exited unsubscribed", []string{}},
		"KeptTheyGoTheRest":  {true, "done", []string{"through"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := spinetest.New(t)
			contact := w.Contact("jan@example.com")
			graph := steps("go", "send_email", `{"creative": "creative:letter"}`, "wait", anHour, "send_email", `{"creative": "creative:second"}`, "add_tag", `{"tag": "tag:through"}`)
			graph = strings.Replace(graph, `"name": "go"}]`, fmt.Sprintf(`"name": "go"}], "keep_on_unsubscribe": %t`, c.keeps), 1)
			w.Funnel("letters", graph)
			w.Event("jan@example.com", "go", nil)
			w.To(storetest.Now.Add(30 * time.Minute))
			require.Len(t, w.Sent("jan@example.com"), 1)
			require.NoError(t, w.People.Unsubscribe(t.Context(), w.Workspace, contact, "email", "", "link"))
			w.To(storetest.Now.AddDate(0, 0, 1))
			require.Len(t, w.Sent("jan@example.com"), 1, "marketing stays unsent either way")
			require.Equal(t, 1, w.Count("SELECT count(*) FROM runs WHERE trim(status || ' ' || CASE WHEN status = 'exited' THEN end_reason ELSE '' END) = $1", c.ends))
			require.ElementsMatch(t, c.tagged, tags(t, w, "jan@example.com"))
			w.Audit()
		})
	}
}

func TestARunEndsWhenTheLastChannelAheadIsLeft(t *testing.T) {
	t.Parallel()
	w := spinetest.New(t)
	contact := w.Contact("jan@example.com")
	w.Funnel("letters", steps("go", "wait", anHour, "send_email", `{"creative": "creative:letter"}`, "send_sms", `{"creative": "creative:text"}`))
	w.Event("jan@example.com", "go", nil)
	w.Settle()
	leave := func(channel string) {
		require.NoError(t, w.People.Unsubscribe(t.Context(), w.Workspace, contact, channel, "", "link"))
		w.To(w.Clock.Now().Add(time.Minute))
	}
	leave("email")
	require.Equal(t, 1, w.Count("SELECT count(*) FROM runs WHERE status = 'active'"), "a text message is still ahead")
	leave("sms")
	require.Equal(t, 1, w.Count("SELECT count(*) FROM runs WHERE status = 'exited' AND end_reason = 'unsubscribed'"))
	w.Audit()
}
