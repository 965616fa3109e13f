package engine_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/engine"
	"github.com/lejek/lejek/engine/enginetest"
)

// monday is when tests begin: noon of a Monday in winter.
var monday = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

var anna = enginetest.Person("anna")

type c = enginetest.C

func event(name string, at time.Time, props ...c) engine.Event {
	e := engine.Event{Name: name, At: at}
	if len(props) > 0 {
		e.Props = props[0]
	}
	return e
}

func TestARunWaitsAndThenSends(t *testing.T) {
	t.Parallel()
	plan := enginetest.New(enginetest.Event("purchase")).Wait("wait-1", 90, "days").Mail("mail-1").Plan(t)
	w := enginetest.Start(t, plan, anna, event("purchase", monday))
	require.Equal(t, []string{"start.next", "wait-1"}, w.Path())
	due := monday.AddDate(0, 0, 90)
	require.Equal(t, due, w.Run.WakeAt)
	w.Advance(due)
	require.Equal(t, []string{"start.next", "wait-1", "wait-1.next", "mail-1.next"}, w.Path())
	require.Equal(t, engine.Done, w.Run.Status)
	require.Equal(t, engine.ReasonFinished, w.Run.Reason)
	require.True(t, w.Run.WakeAt.IsZero())
	require.Equal(t, []engine.SendMessage{{
		Seq: 4, Node: "mail-1", Channel: "email", Creative: "mail-1", Class: "marketing", Due: due, ExpiresAt: due.Add(24 * time.Hour),
	}}, w.Mails())
}

func TestTenWaitsInARowWithALateWorkerDriftByNothing(t *testing.T) {
	t.Parallel()
	f := enginetest.New()
	for _, id := range []string{"w-0", "w-1", "w-2", "w-3", "w-4", "w-5", "w-6", "w-7", "w-8", "w-9"} {
		f.Wait(id, 1, "hours")
	}
	plan := f.Mail("mail-1").Plan(t)

	w := enginetest.StartByHand(t, plan, anna, monday)
	for hour := 1; hour <= 10; hour++ {
		w.Advance(monday.Add(time.Duration(hour)*time.Hour + 17*time.Minute)) // always late
	}
	require.Equal(t, monday.Add(10*time.Hour), w.Mails()[0].Due)

	// A worker that was away for a day goes through all of them at once, and lands at the same instant.
	away := enginetest.StartByHand(t, plan, anna, monday).Advance(monday.Add(24 * time.Hour))
	require.Equal(t, monday.Add(10*time.Hour), away.Mails()[0].Due)
	require.Equal(t, engine.Done, away.Run.Status)
}

func TestWakingEarlyMakesNoVisit(t *testing.T) {
	t.Parallel()
	plan := enginetest.New().Wait("wait-1", 3, "days").Plan(t)
	w := enginetest.StartByHand(t, plan, anna, monday)
	before := w.Run
	w.Advance(monday.Add(time.Hour))
	require.Equal(t, before, w.Run)
	require.Len(t, w.Visits, 2)
}

func TestAnEventAndATimeoutTakeExactlyOneBranch(t *testing.T) {
	t.Parallel()
	plan := enginetest.New().
		Then("wait-1", "wait", c{"mode": "until_event", "event": c{"name": "paid"}, "timeout": c{"amount": 1, "unit": "hours"}}).
		Tag("tag-yes", "paid").From("wait-1", "timeout").Tag("tag-no", "late").Plan(t)
	require.Equal(t, []string{"paid"}, plan.Mentions())
	hour := monday.Add(time.Hour)
	tests := map[string]struct {
		now     time.Time
		signals []engine.Event
		path    []string
		at      time.Time
	}{
		"the event comes in time":                  {monday.Add(time.Minute), []engine.Event{event("paid", monday.Add(time.Minute))}, []string{"wait-1.next", "tag-yes.next"}, monday.Add(time.Minute)},
		"nothing comes":                            {hour, nil, []string{"wait-1.timeout", "tag-no.next"}, hour},
		"both at one instant":                      {hour, []engine.Event{event("paid", hour)}, []string{"wait-1.next", "tag-yes.next"}, hour},
		"a late worker finds the event first":      {hour.Add(time.Hour), []engine.Event{event("paid", hour.Add(time.Minute))}, []string{"wait-1.next", "tag-yes.next"}, hour.Add(time.Minute)},
		"another event":                            {monday.Add(time.Minute), []engine.Event{event("viewed", monday.Add(time.Minute))}, nil, time.Time{}},
		"an event stamped before the run was here": {monday.Add(time.Minute), []engine.Event{event("paid", monday.Add(-time.Hour))}, []string{"wait-1.next", "tag-yes.next"}, monday},
		"an event stamped in the future":           {monday.Add(time.Minute), []engine.Event{event("paid", monday.Add(4*time.Minute))}, []string{"wait-1.next", "tag-yes.next"}, monday.Add(time.Minute)},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := enginetest.StartByHand(t, plan, anna, monday).Advance(test.now, test.signals...)
			require.Equal(t, append([]string{"start.next", "wait-1"}, test.path...), w.Path())
			if test.path != nil {
				require.Equal(t, test.at, w.Visits[2].At)
				require.Equal(t, engine.Done, w.Run.Status)
			}
		})
	}
}

func TestAnEventCountsForAWaitOnlyAfterTheRunEnteredIt(t *testing.T) {
	t.Parallel()
	plan := enginetest.New().Wait("wait-1", 1, "hours").
		Then("wait-2", "wait", c{"mode": "until_event", "event": c{"name": "paid"}, "timeout": c{"amount": 1, "unit": "hours"}}).
		Tag("tag-yes", "paid").Plan(t)
	hour := monday.Add(time.Hour)
	before := enginetest.StartByHand(t, plan, anna, monday).Advance(hour, event("paid", hour))
	require.Equal(t, "wait-2", before.Last().Node, "it came while the run stood at wait-1")
	require.Empty(t, before.Last().Port)
	// A late worker hears of an event that came when the run was due at wait-2.
	late := enginetest.StartByHand(t, plan, anna, monday).Advance(hour.Add(10*time.Minute), event("paid", hour.Add(5*time.Minute)))
	require.Equal(t, []string{"start.next", "wait-1", "wait-1.next", "wait-2", "wait-2.next", "tag-yes.next"}, late.Path())
	require.Equal(t, hour.Add(5*time.Minute), late.Last().At)
}

func TestAGoalIsWatchedFromTheStartAndVoidsTheRest(t *testing.T) {
	t.Parallel()
	plan := enginetest.New().Mail("mail-1").Wait("wait-1", 1, "days").Mail("mail-2").
		Goal("goal-1", "paid").Mail("thanks").Wait("wait-2", 1, "days").Mail("survey").
		Goal("goal-2", "cancelled").Plan(t)
	w := enginetest.StartByHand(t, plan, anna, monday)
	noon := monday.Add(3 * time.Hour)
	w.Advance(noon, event("paid", noon), event("cancelled", noon))
	require.Equal(t, []string{"start.next", "mail-1.next", "wait-1", "goal-1.reached", "thanks.next", "wait-2"}, w.Path())
	require.Equal(t, 4, w.Void, "mail-1 has the seq 2 and is void, thanks the seq 5 and is not")
	require.Equal(t, "goal-1", w.Run.Goal)
	w.Advance(noon.Add(time.Hour), event("cancelled", noon.Add(time.Hour)))
	require.Equal(t, "wait-2", w.Last().Node, "whoever has reached a goal is not watched any more")
	w.Advance(noon.AddDate(0, 0, 1))
	require.Equal(t, engine.ReasonGoal, w.Run.Reason)
	require.Len(t, w.Mails(), 3)
}

func TestAGoalBeatsADeadlineThatHasPassed(t *testing.T) {
	t.Parallel()
	plan := enginetest.New().Wait("wait-1", 1, "hours").Mail("reminder").Goal("goal-1", "paid").Plan(t)
	w := enginetest.StartByHand(t, plan, anna, monday)
	w.Advance(monday.Add(3*time.Hour), event("paid", monday.Add(2*time.Hour)))
	require.Equal(t, []string{"start.next", "wait-1", "goal-1.reached"}, w.Path())
	require.Empty(t, w.Mails(), "nobody who has paid is reminded because a worker was away")
}

func TestAGoalOnARuleIsLookedAtWhenItMayChange(t *testing.T) {
	t.Parallel()
	plan := enginetest.New().Wait("wait-1", 30, "days").Mail("mail-1").
		Add("goal-1", "goal", c{"mode": "rule", "rule": c{"tag": "tag:vip"}}).Plan(t)
	require.Equal(t, []string{"contact_updated", "tag_added", "tag_removed"}, plan.Mentions())
	w := enginetest.StartByHand(t, plan, anna, monday)
	w.Contact.Tags = []string{"vip"}
	w.Advance(monday.Add(time.Hour), event("tag_added", monday.Add(time.Hour), c{"tag": "vip"}))
	require.Equal(t, "goal-1", w.Last().Node)
	require.Equal(t, engine.Done, w.Run.Status)

	vip := anna
	vip.Tags = []string{"vip"}
	refused := plan.Admit(event("manual_start", monday), engine.Input{Now: monday, Contact: vip})
	require.Equal(t, engine.RefusedGoal, refused.Refused)
}

func TestAStepOfTheRunItselfMayReachItsGoal(t *testing.T) {
	t.Parallel()
	plan := enginetest.New().Mail("mail-1").Tag("tag-1", "other").Tag("tag-2", "vip").Mail("mail-2").
		Add("goal-1", "goal", c{"mode": "rule", "rule": c{"tag": "tag:vip"}}).Plan(t)
	w := enginetest.StartByHand(t, plan, anna, monday)
	require.Equal(t, []string{"start.next", "mail-1.next", "tag-1.next", "tag-2.next", "goal-1.reached"}, w.Path(), "whether a wait stands in between or not")
	require.Equal(t, engine.Done, w.Run.Status)
	require.Equal(t, engine.ReasonGoal, w.Run.Reason)
	require.Positive(t, w.Void, "what has not left is void")
}

func TestAWaitOnARuleLooksAgainWhenTimeMayTurnIt(t *testing.T) {
	t.Parallel()
	plan := enginetest.New().
		Then("wait-1", "wait", c{
			"mode": "until_rule", "timeout": c{"amount": 60, "unit": "days"},
			"rule": c{"not": c{"event": c{"name": "visit", "op": "gte", "agg": "count", "value": 1, "within": c{"amount": 7, "unit": "days"}}}},
		}).Mail("mail-1").Plan(t)
	require.Equal(t, []string{"visit"}, plan.EventNames())
	person := anna
	person.Events = []engine.Event{event("visit", monday.AddDate(0, 0, -1))}
	w := enginetest.StartByHand(t, plan, person, monday)
	turn := monday.AddDate(0, 0, 6)
	require.False(t, w.Run.WakeAt.After(turn), "a look may be early, never late")
	require.Equal(t, monday.AddDate(0, 0, 60), w.Run.Deadline)
	seq := w.Run.Seq
	for range 3 { // early looks change nothing
		if w.Run.WakeAt.Before(turn) {
			w.Advance(w.Run.WakeAt)
			require.Equal(t, seq, w.Run.Seq)
		}
	}
	w.Advance(turn)
	require.Equal(t, []string{"start.next", "wait-1", "wait-1.next", "mail-1.next"}, w.Path())
	require.Equal(t, turn, w.Mails()[0].Due)
}

func TestTheJournalCarriesWhatADecisionWasMadeOn(t *testing.T) {
	t.Parallel()
	plan := enginetest.New(enginetest.Event("purchase")).
		Then("if-1", "condition", c{"rule": c{"field": "event.total", "op": "gte", "value": 100}}).Plan(t)
	w := enginetest.Start(t, plan, anna, event("purchase", monday, c{"total": 42.0}))
	facts, ok := w.Last().Detail["because"].([]engine.Fact)
	require.True(t, ok)
	require.Equal(t, "no", w.Last().Port)
	require.InDelta(t, 42.0, facts[0].Got, 0)
}

func TestChangesAreSeenByTheNextStepsAtOnce(t *testing.T) {
	t.Parallel()
	plan := enginetest.New(enginetest.Event("purchase")).
		Tag("tag-1", "vip").
		Then("set-1", "set_field", c{"field": "field:points", "value": "{{ event.total }}"}).
		Then("if-1", "condition", c{"rule": c{"all": []c{{"tag": "tag:vip"}, {"field": "points", "op": "gt", "value": 40}}}}).
		Then("tag-2", "remove_tag", c{"tag": "tag:vip"}).
		Then("if-2", "condition", c{"rule": c{"tag": "tag:vip"}}).Plan(t)
	person := anna
	w := enginetest.Start(t, plan, person, event("purchase", monday, c{"total": 42.0}))
	require.Equal(t, []string{"start.next", "tag-1.next", "set-1.next", "if-1.yes", "tag-2.next", "if-2.no"}, w.Path())
	require.Equal(t, []engine.Effect{
		engine.ChangeContact{Seq: 2, Node: "tag-1", Op: engine.ChangeAddTag, Name: "vip"},
		engine.ChangeContact{Seq: 3, Node: "set-1", Op: engine.ChangeSetField, Name: "points", Value: 42.0},
		engine.ChangeContact{Seq: 5, Node: "tag-2", Op: engine.ChangeRemoveTag, Name: "vip"},
	}, w.Effects)
	require.NotContains(t, person.Fields, "points")
}

func TestAFieldIsLeftAloneWhenItsValueIsMissing(t *testing.T) {
	t.Parallel()
	plan := enginetest.New(enginetest.Event("purchase")).
		Then("set-1", "set_field", c{"field": "field:points", "value": "{{ event.points }}"}).Plan(t)
	w := enginetest.Start(t, plan, anna, event("purchase", monday))
	require.Empty(t, w.Effects)
	require.Contains(t, w.Last().Detail["skipped"], "event.points")
}

func TestAStepThatIsOffIsLeftByItsFirstPort(t *testing.T) {
	t.Parallel()
	plan := enginetest.New().Mail("mail-1").Off().
		Then("if-1", "condition", c{"rule": c{"tag": "tag:vip"}}).Off().
		Then("wait-1", "wait", c{"mode": "until_event", "event": c{"name": "paid"}, "timeout": c{"amount": 1, "unit": "days"}}).Off().
		Tag("tag-1", "done").Plan(t)
	w := enginetest.StartByHand(t, plan, anna, monday)
	require.Equal(t, []string{"start.next", "mail-1.next", "if-1.yes", "wait-1.next", "tag-1.next"}, w.Path())
	require.Empty(t, w.Mails())
	require.Equal(t, true, w.Visits[1].Detail["off"])
}

func TestASplitIsStickyAndFair(t *testing.T) {
	t.Parallel()
	arms := []c{{"id": "a", "label": "A", "weight": 70}, {"id": "b", "label": "B", "weight": 30}, {"id": "z", "label": "Z", "weight": 0}}
	plan := enginetest.New().Then("split-1", "split", c{"arms": arms}).Plan(t)
	turned := enginetest.New().Then("split-1", "split", c{"arms": []c{arms[1], arms[2], arms[0]}}).Plan(t)
	counts := map[string]int{}
	for i := range 4000 {
		person := enginetest.Person(string(rune('a'+i%26)) + time.Duration(i).String())
		first := enginetest.StartByHand(t, plan, person, monday).Last().Port
		again := enginetest.StartByHand(t, plan, person, monday.AddDate(1, 0, 0)).Last().Port
		require.Equal(t, first, again)
		require.Equal(t, first, enginetest.StartByHand(t, turned, person, monday).Last().Port, "the order in which the ways stand moves nobody")
		counts[first]++
	}
	require.InDelta(t, 2800, counts["a"], 120)
	require.InDelta(t, 1200, counts["b"], 120)
	require.Zero(t, counts["z"])
}

func TestAFunnelLoopedIntoItselfParks(t *testing.T) {
	t.Parallel()
	bundle := enginetest.New().Mail("mail-1").To("mail-1").Bundle()
	require.False(t, engine.Publishable(engine.Validate(bundle)), "the validator refuses it")
	plan, err := engine.Compile(bundle)
	require.NoError(t, err, "and the engine survives it")
	w := enginetest.StartByHand(t, plan, anna, monday)
	require.Equal(t, engine.Parked, w.Run.Status)
	require.Equal(t, engine.ReasonLoopLimit, w.Run.Reason)
	require.Len(t, w.Visits, 50)
	require.True(t, w.Run.WakeAt.IsZero())

	retried, err := engine.Retry(w.Run, monday.Add(time.Hour))
	require.NoError(t, err)
	w.Run = retried.Run
	w.Advance(monday.Add(time.Hour))
	require.Equal(t, engine.Parked, w.Run.Status)

	skipped, err := engine.Skip(plan, w.Run, monday.Add(2*time.Hour))
	require.NoError(t, err)
	require.Equal(t, engine.Active, skipped.Run.Status)
	require.Equal(t, monday.Add(2*time.Hour), skipped.Run.WakeAt)
	require.Equal(t, w.Run.Seq+1, skipped.Run.Seq)
}

func TestARunThatWasWokenVeryLateCatchesUpAndIsNotParked(t *testing.T) {
	t.Parallel()
	plan := enginetest.New().Mail("mail-1").Wait("wait-1", 1, "minutes").To("mail-1").Plan(t)
	w := enginetest.StartByHand(t, plan, anna, monday)
	late := monday.Add(3*time.Hour + time.Second)
	transitions := 0
	for ; w.Run.WakeAt.Before(late) || w.Run.WakeAt.Equal(late); transitions++ {
		w.Advance(late)
		require.Equal(t, engine.Active, w.Run.Status)
	}
	require.Greater(t, transitions, 1)
	require.Len(t, w.Mails(), 181)
	require.Equal(t, monday.Add(3*time.Hour), w.Mails()[180].Due)
	require.Equal(t, monday.Add(3*time.Hour+time.Minute), w.Run.WakeAt)
}

func TestALoopWithAWaitSendsOnEveryVisit(t *testing.T) {
	t.Parallel()
	plan := enginetest.New().Mail("mail-1").Wait("wait-1", 1, "weeks").To("mail-1").Plan(t)
	w := enginetest.StartByHand(t, plan, anna, monday)
	for week := 1; week <= 3; week++ {
		w.Advance(monday.AddDate(0, 0, 7*week))
	}
	var seqs []int
	for _, mail := range w.Mails() {
		seqs = append(seqs, mail.Seq)
	}
	require.Equal(t, []int{2, 5, 8, 11}, seqs)
}

func TestARunWithAKeyHearsOnlyEventsOfItsKey(t *testing.T) {
	t.Parallel()
	plan := enginetest.New(enginetest.Event("cart_updated")).Entry("reentry", c{"rule": "each", "key": "cart.id"}).
		Wait("wait-1", 1, "days").Mail("mail-1").Goal("goal-1", "order_placed").Plan(t)
	cart := func(id any) c { return c{"cart": c{"id": id}} }
	admission := plan.Admit(event("cart_updated", monday, cart(7.0)), engine.Input{Now: monday, Contact: anna})
	require.Equal(t, "7", admission.Key)
	require.Equal(t, "k:7", admission.Slot)
	none := plan.Admit(event("cart_updated", monday), engine.Input{Now: monday, Contact: anna})
	require.Equal(t, engine.RefusedKey, none.Refused)

	w := enginetest.Start(t, plan, anna, event("cart_updated", monday, cart("A")))
	w.Advance(monday.Add(time.Hour), event("order_placed", monday.Add(time.Hour), cart("B")))
	require.Empty(t, w.Run.Goal)
	w.Advance(monday.Add(2*time.Hour), event("order_placed", monday.Add(2*time.Hour), cart("A")))
	require.Equal(t, "goal-1", w.Run.Goal)
}

func TestAdvanceRefusesWhatDoesNotBelongTogether(t *testing.T) {
	t.Parallel()
	plan := enginetest.New().Wait("wait-1", 1, "days").Plan(t)
	w := enginetest.StartByHand(t, plan, anna, monday)
	ended := engine.Exit(w.Run, engine.ReasonReplaced)
	require.Equal(t, engine.Exited, ended.Run.Status)
	require.True(t, ended.Void)
	require.Equal(t, w.Run.Seq+1, ended.VoidBefore)
	_, err := engine.Advance(plan, ended.Run, engine.Input{Now: monday, Contact: anna})
	require.ErrorContains(t, err, "exited")
	lost := w.Run
	lost.Node = "gone"
	_, err = engine.Advance(plan, lost, engine.Input{Now: monday, Contact: anna})
	require.ErrorContains(t, err, "gone")
}

func TestUnsubscribingEndsRunsWithOnlyMarketingAhead(t *testing.T) {
	t.Parallel()
	f := enginetest.New().Mail("mail-1").Wait("wait-1", 1, "days").Mail("mail-2").Wait("wait-2", 1, "days").
		Then("receipt", "send_email", c{"creative": "creative:mail-1", "class": "transactional"}).
		Wait("wait-3", 1, "days").Mail("mail-3").Wait("wait-4", 1, "days").Tag("tag-1", "done")
	plan := f.Plan(t)
	ends := func(node string) bool { return plan.Leaves(engine.Event{Name: "unsubscribed"}, node, nil) }
	require.False(t, ends("wait-1"), "the receipt is still to come")
	require.True(t, ends("wait-3"))
	require.False(t, ends("wait-4"), "no message is left: nothing keeps it from finishing")
	require.False(t, ends("nowhere"))
}

func TestARunEndsOnlyWhenEveryChannelAheadIsLeft(t *testing.T) {
	t.Parallel()
	plan := enginetest.New().Wait("wait-1", 1, "days").Mail("mail-1").Wait("wait-2", 1, "days").
		Then("sms-1", "send_sms", c{"creative": "creative:sms-1"}).Wait("wait-3", 1, "days").Mail("mail-2").Plan(t)
	left := func(channel string) engine.Event {
		return engine.Event{Name: "unsubscribed", Props: map[string]any{"channel": channel}}
	}
	without := func(channel string) *engine.Contact {
		return &engine.Contact{Consents: []engine.Consent{{Channel: channel, State: "denied"}}}
	}
	require.False(t, plan.Leaves(left("email"), "wait-1", without("email")), "a text message is still wanted")
	require.False(t, plan.Leaves(left("sms"), "wait-1", without("sms")), "mails are still wanted")
	require.True(t, plan.Leaves(left("sms"), "wait-1", without("email")), "the mails were left before")
	require.True(t, plan.Leaves(left("email"), "wait-1", without("sms")))
	require.True(t, plan.Leaves(left("email"), "wait-3", nil), "only a mail is ahead")
	require.False(t, plan.Leaves(left("push"), "wait-3", nil))
}

func TestMentionsAreOnlyWhatMayMoveARun(t *testing.T) {
	t.Parallel()
	plan := enginetest.New(enginetest.Event("purchase")).Entry("filter", c{"event": c{"name": "signup", "agg": "count", "op": "gte", "value": 1}}).
		Wait("wait-1", 2, "hours").
		Then("if-1", "condition", c{"rule": c{"any": []c{{"tag": "tag:vip"}, {"message": c{"step": "mail-1", "did": "opened"}}}}}).
		Mail("mail-1").
		Then("wait-2", "wait", c{"mode": "until_event", "event": c{"name": "link_clicked", "step": "mail-1"}, "timeout": c{"amount": 2, "unit": "hours"}}).Plan(t)
	require.Equal(t, []string{"purchase"}, plan.Starts())
	require.Equal(t, []string{"link_clicked"}, plan.Mentions(), "a condition is asked once; exact waits know no zone")
	require.Equal(t, []string{"signup"}, plan.EventNames())
	require.Equal(t, []string{"mail-1"}, plan.MessageSteps())
	local := enginetest.New().Wait("wait-1", 2, "days").Plan(t)
	require.True(t, slices.Contains(local.Mentions(), "contact_updated"))
}
