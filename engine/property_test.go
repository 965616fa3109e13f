package engine_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/lejek/lejek/engine"
	"github.com/lejek/lejek/engine/enginetest"
)

var eventNames = []string{"paid", "viewed", "tag_added", "contact_updated", "link_clicked"}

// worked are the configs of every kind in the worked bundles, so that a new kind takes part as soon as it has one, and their creatives.
var worked = sync.OnceValues(func() (map[string][]json.RawMessage, map[string]engine.Creative) {
	configs, creatives := map[string][]json.RawMessage{}, map[string]engine.Creative{}
	paths, _ := filepath.Glob("testdata/funnels/*.json")
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			panic(err)
		}
		bundle, err := engine.DecodeBundle(data)
		if err != nil {
			panic(err)
		}
		for _, node := range bundle.Graph.Nodes {
			if !bytes.Contains(node.Config, []byte(`"step"`)) { // names another step of its bundle
				configs[node.Kind] = append(configs[node.Kind], node.Config)
			}
		}
		maps.Copy(creatives, bundle.Creatives)
	}
	return configs, creatives
})

// anyKind draws a kind of the catalogue but entry; a third of all steps are waits.
func anyKind(t *rapid.T) string {
	if rapid.IntRange(0, 2).Draw(t, "waits") == 0 {
		return "wait"
	}
	configs, _ := worked()
	kinds := slices.Sorted(maps.Keys(configs))
	kinds = slices.DeleteFunc(kinds, func(kind string) bool { return kind == engine.KindEntry })
	return rapid.SampledFrom(kinds).Draw(t, "kind")
}

// anyFunnel draws a funnel of up to a dozen steps, linked at random: loops, islands and steps that are off included.
func anyFunnel(t *rapid.T) engine.Bundle {
	f := enginetest.New(enginetest.Event("paid"), enginetest.Manual()).
		Reentry(rapid.SampledFrom([]string{"once", "after_exit", "restart"}).Draw(t, "reentry"))
	count := rapid.IntRange(1, 12).Draw(t, "steps")
	ids := []string{"last"}
	for i := range count {
		id := fmt.Sprintf("n-%d", i)
		kind := anyKind(t)
		f.Add(id, kind, anyConfig(t, kind))
		if kind != "goal" {
			ids = append(ids, id)
		}
		if kind != "goal" && rapid.IntRange(0, 9).Draw(t, "off") == 0 {
			f.Off()
		}
	}
	bundle := f.Add("last", "join", c{}).Bundle()
	_, creatives := worked()
	maps.Copy(bundle.Creatives, creatives)
	bundle.Creatives["letter"] = enginetest.Letter("Hello")
	bundle.Graph.Edges = append(bundle.Graph.Edges, engine.Edge{From: "start", Port: "next", To: rapid.SampledFrom(ids).Draw(t, "first")})
	for _, node := range bundle.Graph.Nodes[1:] {
		kind, _ := engine.NodeKind(node.Kind)
		for _, port := range kind.PortsOf(node.Config) {
			if rapid.IntRange(0, 4).Draw(t, "open") > 0 {
				bundle.Graph.Edges = append(bundle.Graph.Edges, engine.Edge{From: node.ID, Port: port.ID, To: rapid.SampledFrom(ids).Draw(t, "to")})
			}
		}
	}
	return bundle
}

// anyWay draws a funnel in which every step leads to the next; branches lead anywhere, mostly ahead.
func anyWay(t *rapid.T) engine.Bundle {
	f := enginetest.New(enginetest.Event("paid"))
	count := rapid.IntRange(1, 10).Draw(t, "steps")
	for i := range count {
		kind := anyKind(t)
		for kind == engine.KindGoal {
			kind = anyKind(t)
		}
		f.Then(fmt.Sprintf("n-%d", i), kind, anyConfig(t, kind))
	}
	bundle := f.Bundle()
	bundle.Creatives["letter"] = enginetest.Letter("Hello")
	_, creatives := worked()
	maps.Copy(bundle.Creatives, creatives)
	for i, node := range bundle.Graph.Nodes[1:] {
		kind, _ := engine.NodeKind(node.Kind)
		ports := kind.PortsOf(node.Config)
		for _, port := range ports[min(1, len(ports)):] {
			to := rapid.IntRange(i, count-1).Draw(t, "ahead")
			if rapid.IntRange(0, 4).Draw(t, "back") == 0 {
				to = rapid.IntRange(0, i).Draw(t, "to")
			}
			bundle.Graph.Edges = append(bundle.Graph.Edges, engine.Edge{From: node.ID, Port: port.ID, To: fmt.Sprintf("n-%d", to)})
		}
	}
	return bundle
}

func anyConfig(t *rapid.T, kind string) c {
	duration := func() c {
		return c{"amount": rapid.IntRange(1, 40).Draw(t, "amount"), "unit": rapid.SampledFrom([]string{"minutes", "hours", "days", "weeks"}).Draw(t, "unit")}
	}
	match := func() c { return c{"name": rapid.SampledFrom(eventNames).Draw(t, "event")} }
	rule := func() c {
		return rapid.SampledFrom([]c{
			{"tag": "tag:vip"},
			{"not": c{"tag": "tag:vip"}},
			{"field": "points", "op": "gte", "value": 10},
			{"event": c{"name": "paid", "agg": "count", "op": "gte", "value": 2, "within": c{"amount": 2, "unit": "days"}}},
		}).Draw(t, "rule")
	}
	if configs, _ := worked(); len(configs[kind]) > 0 && rapid.Bool().Draw(t, "worked") {
		var config c
		if err := json.Unmarshal(rapid.SampledFrom(configs[kind]).Draw(t, "config"), &config); err != nil {
			t.Fatal(err)
		}
		return config
	}
	switch kind {
	case "wait":
		switch rapid.IntRange(0, 4).Draw(t, "mode") {
		case 0:
			return c{"mode": "duration", "for": duration()}
		case 1:
			return c{"mode": "date", "date": "2026-12-06T09:00"}
		case 2:
			return c{"mode": "weekday", "weekdays": []string{"mon", "sat"}, "at": "09:30"}
		case 3:
			return c{"mode": "until_event", "event": match(), "timeout": duration()}
		default:
			return c{"mode": "until_rule", "rule": rule(), "timeout": duration()}
		}
	case "condition":
		return c{"rule": rule()}
	case "split":
		return c{"arms": []c{{"id": "a", "label": "A", "weight": 30}, {"id": "b", "label": "B", "weight": 70}}}
	case "goal":
		if rapid.Bool().Draw(t, "by rule") {
			return c{"mode": "rule", "rule": rule()}
		}
		return c{"mode": "event", "event": match()}
	case "send_email":
		return c{"creative": "creative:letter"}
	case "set_field":
		return c{"field": "field:city", "value": "{{ event.city }}"}
	case "join":
		return c{}
	case "add_tag", "remove_tag":
		return c{"tag": "tag:vip"}
	default:
		configs, _ := worked()
		var config c
		if err := json.Unmarshal(configs[kind][0], &config); err != nil {
			t.Fatal(err)
		}
		return config
	}
}

// anyAnswer draws an answer to a call that the run may have made.
func anyAnswer(t *rapid.T, at time.Time) engine.Event {
	var until time.Time
	if rapid.Bool().Draw(t, "later") {
		until = at.Add(time.Duration(rapid.Int64Range(-int64(time.Hour), int64(9*24*time.Hour)).Draw(t, "until")))
	}
	port := rapid.SampledFrom([]string{"next", "ok", "error", "booked", "full", "entered", "refused"}).Draw(t, "port")
	return engine.CallAnswer(rapid.IntRange(0, 12).Draw(t, "call"), port, map[string]any{"x": 1.0}, until, at, nil)
}

// anyStory draws instants, in order, each with the signals that have come until then.
func anyStory(t *rapid.T) (nows []time.Time, signals [][]engine.Event) {
	now := monday
	for range rapid.IntRange(1, 12).Draw(t, "wakes") {
		before := now
		now = now.Add(time.Duration(rapid.Int64Range(0, int64(10*24*time.Hour/time.Microsecond)).Draw(t, "later")) * time.Microsecond)
		var heard []engine.Event
		for range rapid.IntRange(0, 3).Draw(t, "signals") {
			span := now.Sub(before)/time.Microsecond + 1
			at := before.Add(time.Duration(rapid.Int64Range(0, int64(span)-1).Draw(t, "at")) * time.Microsecond)
			if rapid.IntRange(0, 2).Draw(t, "answer") == 0 {
				heard = append(heard, anyAnswer(t, at))
				continue
			}
			heard = append(heard, event(rapid.SampledFrom(eventNames).Draw(t, "name"), at))
		}
		nows, signals = append(nows, now), append(signals, heard)
	}
	return nows, signals
}

// toll plays a story and checks every transition.
func toll(t require.TestingT, plan *engine.Plan, nows []time.Time, signals [][]engine.Event) {
	a := plan.Admit(event("manual_start", monday), engine.Input{Now: monday, Contact: anna})
	if !a.Starts() {
		return
	}
	run := engine.Start(plan, "r", a, event("manual_start", monday), monday)
	for i, now := range nows {
		in := engine.Input{Now: now, Contact: anna, Signals: signals[i], Zone: "Europe/Warsaw"}
		out, err := engine.Advance(plan, run, in)
		require.NoError(t, err)
		again, err := engine.Advance(plan, run, in)
		require.NoError(t, err)
		require.Equal(t, out, again, "the same arguments give the same answer")
		checkTransition(t, run, out, in)
		if out.Run.Status != engine.Active {
			return
		}
		// What is stored is what is read: a run survives its row.
		raw, err := json.Marshal(out.Run)
		require.NoError(t, err)
		run = engine.Run{}
		require.NoError(t, json.Unmarshal(raw, &run))
	}
}

func checkTransition(t require.TestingT, before engine.Run, out engine.Transition, in engine.Input) {
	require.Equal(t, before.Seq+len(out.Visits), out.Run.Seq)
	for i, visit := range out.Visits {
		require.Equal(t, before.Seq+i+1, visit.Seq, "seq numbers visits")
		require.False(t, visit.At.After(in.Now), "nothing happens before its time")
	}
	switch out.Run.Status {
	case engine.Active:
		if out.Run.Deadline.IsZero() {
			require.GreaterOrEqual(t, len(out.Visits), 50, "only a run with much to catch up on is due at once: %v", out.Run)
			require.Equal(t, in.Now, out.Run.WakeAt)
			break
		}
		require.True(t, out.Run.WakeAt.After(in.Now), "an active run wants to be woken later: %v", out.Run)
		require.False(t, out.Run.WakeAt.After(out.Run.Deadline))
	case engine.Done:
		require.NotEmpty(t, out.Run.Reason)
		require.True(t, out.Run.WakeAt.IsZero())
	case engine.Parked:
		require.Equal(t, engine.ReasonLoopLimit, out.Run.Reason)
	default:
		require.Fail(t, "no other status", "%v", out.Run.Status)
	}
	for _, effect := range out.Effects {
		if mail, ok := effect.(engine.SendMessage); ok {
			require.Equal(t, mail.Node, out.Visits[mail.Seq-before.Seq-1].Node, "a message belongs to its visit")
		}
	}
	if out.Void {
		require.Equal(t, engine.KindGoal, out.Visits[out.VoidBefore-before.Seq-1].Kind)
	}
}

func TestAdvanceIsTotalAndDeterministic(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		plan, err := engine.Compile(anyFunnel(t))
		require.NoError(t, err)
		nows, signals := anyStory(t)
		toll(t, plan, nows, signals)
	})
}

func TestAFunnelWithoutProblemsNeverParks(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		bundle := rapid.Custom(anyWay).Filter(func(b engine.Bundle) bool { return engine.Publishable(engine.Validate(b)) }).Draw(t, "a funnel without problems")
		timeline, err := engine.Simulate(bundle, engine.SimInput{Contact: anna, Start: monday, Until: monday.AddDate(0, 3, 0)})
		require.NoError(t, err)
		require.NotEqual(t, engine.Parked, timeline.Status)
	})
}

func TestWhenAWorkerIsLateOnlyTheClockOfItsVisitsIsTheSame(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		// Only waits by time: a chain of them ends at one instant, however often and late it is woken.
		f := enginetest.New()
		for i := range rapid.IntRange(1, 8).Draw(t, "waits") {
			config := anyConfig(t, "wait")
			for config["mode"] == "until_event" || config["mode"] == "until_rule" {
				config = anyConfig(t, "wait")
			}
			f.Then(fmt.Sprintf("w-%d", i), "wait", config)
		}
		plan, err := engine.Compile(f.Mail("mail-1").Bundle())
		require.NoError(t, err)
		finish := func(late func() time.Duration) time.Time {
			a := plan.Admit(event("manual_start", monday), engine.Input{Now: monday, Contact: anna})
			run := engine.Start(plan, "r", a, event("manual_start", monday), monday)
			for run.Status == engine.Active {
				out, err := engine.Advance(plan, run, engine.Input{Now: run.WakeAt.Add(late()), Contact: anna})
				require.NoError(t, err)
				run = out.Run
			}
			return run.At
		}
		inTime := finish(func() time.Duration { return 0 })
		late := finish(func() time.Duration {
			return time.Duration(rapid.Int64Range(0, int64(40*24*time.Hour)).Draw(t, "late"))
		})
		require.Equal(t, inTime, late)
	})
}

func FuzzDecodeBundle(f *testing.F) {
	for _, bundle := range enginetest.Corpus(f, "funnels") {
		raw, err := json.Marshal(bundle)
		require.NoError(f, err)
		f.Add(raw)
	}
	f.Add([]byte(`{"graph":{"schema":1,"nodes":[{"id":"a","kind":"split","name":"","config":{"arms":[{"id":"a","weight":1e9}]}}],"edges":[]}}`))
	f.Add([]byte(`{"graph":`))
	f.Fuzz(func(t *testing.T, data []byte) {
		bundle, err := engine.DecodeBundle(data)
		if err != nil {
			var unreadable *engine.DecodeError
			require.ErrorAs(t, err, &unreadable)
			require.NotEmpty(t, unreadable.Problem().Message)
			return
		}
		problems := engine.Validate(bundle)
		plan, err := engine.Compile(bundle)
		if engine.Publishable(problems) {
			require.NoError(t, err, "what may be published can run")
		}
		if err != nil {
			return
		}
		if _, err := engine.Simulate(bundle, engine.SimInput{Contact: anna, Start: monday, Until: monday.AddDate(0, 1, 0)}); err != nil {
			t.Fatal(err)
		}
		require.NotEmpty(t, plan.Starts())
	})
}
