package engine_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/engine"
	"github.com/lejek/lejek/engine/enginetest"
)

func at(t *testing.T, text string) time.Time {
	t.Helper()
	instant, err := time.Parse(time.RFC3339, text)
	require.NoError(t, err)
	return instant.UTC()
}

func TestAWaitEndsWhenItsWordsSay(t *testing.T) {
	t.Parallel()
	wait := func(mode string, more c) c {
		more["mode"] = mode
		return more
	}
	days := func(n int) c { return c{"amount": n, "unit": "days"} }
	tests := map[string]struct {
		config    c
		zone      string // the person's; the workspace is in Europe/Warsaw
		from, due string
	}{
		"minutes are exact":                          {wait("duration", c{"for": c{"amount": 90, "unit": "minutes"}}), "", "2026-03-29T00:30:00Z", "2026-03-29T02:00:00Z"},
		"hours are exact over a change of the clock": {wait("duration", c{"for": c{"amount": 24, "unit": "hours"}}), "", "2026-03-28T12:00:00Z", "2026-03-29T12:00:00Z"},
		"days are calendar days":                     {wait("duration", c{"for": days(1)}), "", "2026-03-28T12:00:00Z", "2026-03-29T11:00:00Z"},
		"weeks too":                                  {wait("duration", c{"for": c{"amount": 1, "unit": "weeks"}}), "", "2026-10-20T10:00:00Z", "2026-10-27T11:00:00Z"},
		"days at a time":                             {wait("duration", c{"for": days(3), "at": "09:00"}), "", "2026-11-30T12:00:00Z", "2026-12-03T08:00:00Z"},
		"today at a time":                            {wait("duration", c{"for": days(0), "at": "18:00"}), "", "2026-11-30T12:00:00Z", "2026-11-30T17:00:00Z"},
		"today at a time that has passed":            {wait("duration", c{"for": days(0), "at": "09:00"}), "", "2026-11-30T12:00:00Z", "2026-12-01T08:00:00Z"},
		"where the person lives":                     {wait("duration", c{"for": days(1), "at": "09:00"}), "America/New_York", "2026-11-30T12:00:00Z", "2026-12-01T14:00:00Z"},
		"a time the clocks skip":                     {wait("duration", c{"for": days(1), "at": "02:30"}), "", "2026-03-28T12:00:00Z", "2026-03-29T01:00:00Z"},
		"a time the clocks show twice":               {wait("duration", c{"for": days(1), "at": "02:30"}), "", "2026-10-24T12:00:00Z", "2026-10-25T00:30:00Z"},
		"a date":                                     {wait("date", c{"date": "2026-12-24T09:00"}), "", "2026-11-30T12:00:00Z", "2026-12-24T08:00:00Z"},
		"the next of the weekdays":                   {wait("weekday", c{"weekdays": []string{"mon", "thu"}, "at": "18:30"}), "", "2026-12-01T12:00:00Z", "2026-12-03T17:30:00Z"},
		"today, if it is still to come":              {wait("weekday", c{"weekdays": []string{"mon"}, "at": "18:30"}), "", "2026-11-30T12:00:00Z", "2026-11-30T17:30:00Z"},
		"strictly after now":                         {wait("weekday", c{"weekdays": []string{"mon"}, "at": "13:00"}), "", "2026-11-30T12:00:00Z", "2026-12-07T12:00:00Z"},
		"the timeout of an event":                    {wait("until_event", c{"event": c{"name": "paid"}, "timeout": days(2)}), "", "2026-03-28T12:00:00Z", "2026-03-30T11:00:00Z"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bundle := enginetest.New().Then("wait-1", "wait", test.config).Bundle()
			require.Empty(t, engine.Validate(bundle))
			plan, err := engine.Compile(bundle)
			require.NoError(t, err)
			person := anna
			person.Zone = test.zone
			from, due := at(t, test.from), at(t, test.due)
			run := engine.Start(plan, "r", plan.Admit(event("manual_start", from), engine.Input{Now: from, Contact: person}), event("manual_start", from), from)
			in := engine.Input{Now: from, Contact: person, Zone: "Europe/Warsaw"}
			out, err := engine.Advance(plan, run, in)
			require.NoError(t, err)
			require.Equal(t, due, out.Run.WakeAt)
			// However late the worker, the instant is the same.
			in.Now = from.AddDate(1, 0, 0)
			late, err := engine.Advance(plan, run, in)
			require.NoError(t, err)
			require.Equal(t, due, late.Run.At)
		})
	}
}

func TestADateThatHasPassedLetsGoAtOnceAndSaysSo(t *testing.T) {
	t.Parallel()
	plan := enginetest.New().Then("wait-1", "wait", c{"mode": "date", "date": "2026-11-01T09:00"}).Mail("mail-1").Plan(t)
	w := enginetest.StartByHand(t, plan, anna, monday)
	require.Equal(t, []string{"start.next", "wait-1.next", "mail-1.next"}, w.Path())
	require.Equal(t, true, w.Visits[1].Detail["passed"])
	require.Equal(t, monday, w.Mails()[0].Due, "a message is not due before the run was there")
}

func TestAChangeOfZoneMovesALocalWait(t *testing.T) {
	t.Parallel()
	plan := enginetest.New().Wait("wait-0", 30, "minutes").
		Then("wait-1", "wait", c{"mode": "duration", "for": c{"amount": 1, "unit": "days"}, "at": "09:00"}).Mail("mail-1").Plan(t)
	w := enginetest.StartByHand(t, plan, anna, monday).Advance(monday.Add(30 * time.Minute))
	require.Equal(t, at(t, "2026-12-01T09:00:00Z"), w.Run.WakeAt)
	moved := monday.Add(time.Hour)
	w.Contact.Zone = "America/New_York"
	visits := len(w.Visits)
	w.Advance(moved, event("contact_updated", moved))
	require.Equal(t, at(t, "2026-12-01T14:00:00Z"), w.Run.WakeAt)
	require.Len(t, w.Visits, visits, "a wait that moves makes no visit")

	// Further east nine o'clock has passed already: the wait ends now, not hours ago.
	again := at(t, "2026-12-01T06:00:00Z")
	w.Contact.Zone = "Asia/Tokyo"
	w.Advance(again, event("contact_updated", again))
	require.Equal(t, engine.Done, w.Run.Status)
	require.Equal(t, again, w.Mails()[0].Due)
}

func TestAMinuteIsNotMovedByAChangeOfZone(t *testing.T) {
	t.Parallel()
	plan := enginetest.New().Wait("wait-1", 26, "hours").Plan(t)
	require.Empty(t, plan.Mentions())
	w := enginetest.StartByHand(t, plan, anna, monday)
	w.Contact.Zone = "Asia/Tokyo"
	w.Advance(monday.Add(time.Hour))
	require.Equal(t, monday.Add(26*time.Hour), w.Run.WakeAt)
}
