package runner_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/backend/events"
	"github.com/lejek/lejek/backend/people"
	"github.com/lejek/lejek/backend/pump"
	"github.com/lejek/lejek/backend/spinetest"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/backend/store/storetest"
)

// line is a funnel of steps one after the other: "mail:NAME" or a wait's config.
func line(trigger, reentry string, steps ...string) string {
	nodes := []string{fmt.Sprintf(`{"id": "in", "kind": "entry", "config": {"triggers": [{"kind": "api_event", "name": %q}], "reentry": %s}}`, trigger, reentry)}
	var edges []string
	last := "in"
	for i, step := range steps {
		id := fmt.Sprintf("step-%d", i+1)
		if name, ok := strings.CutPrefix(step, "mail:"); ok {
			nodes = append(nodes, fmt.Sprintf(`{"id": %q, "kind": "send_email", "config": {"creative": "creative:%s"}}`, id, name))
		} else {
			nodes = append(nodes, fmt.Sprintf(`{"id": %q, "kind": "wait", "config": %s}`, id, step))
		}
		edges = append(edges, fmt.Sprintf(`{"from": %q, "port": "next", "to": %q}`, last, id))
		last = id
	}
	return fmt.Sprintf(`{"nodes": [%s], "edges": [%s]}`, strings.Join(nodes, ","), strings.Join(edges, ","))
}

const (
	once    = `{"rule": "once"}`
	restart = `{"rule": "restart"}`
	aDay    = `{"mode": "duration", "for": {"amount": 1, "unit": "days"}}`
	anHour  = `{"mode": "duration", "for": {"amount": 1, "unit": "hours"}}`
)

func TestFault_31_AFunnelLoopedIntoItself(t *testing.T) {
	t.Parallel()

	t.Run("ThroughAWaitItSendsOncePerVisit", func(t *testing.T) {
		t.Parallel()
		w := spinetest.New(t)
		w.Contact("jan@example.com")
		graph := line("go", once, "mail:again", aDay)
		w.Funnel("loop", strings.Replace(graph, `"edges": [`, `"edges": [{"from": "step-2", "port": "next", "to": "step-1"},`, 1))
		w.Event("jan@example.com", "go", nil)
		w.To(storetest.Now.AddDate(0, 0, 5))
		require.Len(t, w.Sent("jan@example.com"), 6)
		w.Audit()
	})

	t.Run("WithoutOneItParksAndCanBeEnded", func(t *testing.T) {
		t.Parallel()
		w := spinetest.New(t)
		w.Contact("jan@example.com")
		past := `{"mode": "date", "date": "2020-01-01T09:00"}`
		graph := line("go", once, past, past)
		w.Funnel("spin", strings.Replace(graph, `"edges": [`, `"edges": [{"from": "step-2", "port": "next", "to": "step-1"},`, 1))
		w.Event("jan@example.com", "go", nil)
		w.To(storetest.Now)
		require.Equal(t, 1, w.Count("SELECT count(*) FROM runs WHERE status = 'parked' AND end_reason = 'loop_limit'"))
		w.Audit()
	})
}

func TestCaseUnsubscribeInFlight(t *testing.T) {
	t.Parallel()

	t.Run("WhatIsQueuedStaysAndTheRunEnds", func(t *testing.T) {
		t.Parallel()
		w := spinetest.New(t)
		contact := w.Contact("jan@example.com")
		w.Funnel("letters", line("go", once, "mail:one", anHour, "mail:two"))
		w.Event("jan@example.com", "go", nil)
		_, err := w.Runner.Job().DrainAll(t.Context()) // not due yet: the clock still stands before the event's instant
		require.NoError(t, err)
		w.Jump(storetest.Now)
		_, err = w.Runner.Job().DrainAll(t.Context())
		require.NoError(t, err)
		require.Equal(t, 1, w.Count("SELECT count(*) FROM messages WHERE status = 'queued'"))

		require.NoError(t, w.People.Unsubscribe(t.Context(), w.Workspace, contact, "email", "", "link"))
		w.To(storetest.Now.AddDate(0, 0, 1))
		require.Empty(t, w.Sent("jan@example.com"))
		require.Equal(t, 1, w.Count("SELECT count(*) FROM runs WHERE status = 'exited' AND end_reason = 'unsubscribed'"))
		w.Audit()
	})

	t.Run("WhileAWorkerSends", func(t *testing.T) {
		t.Parallel()
		w := spinetest.New(t)
		w.Funnel("letters", line("go", once, "mail:one", anHour, "mail:two"))
		var contacts []uuid.UUID
		for i := range 60 {
			email := fmt.Sprintf("p%d@example.com", i)
			contacts = append(contacts, w.Contact(email))
			w.Event(email, "go", nil)
		}
		w.Jump(storetest.Now)
		var both sync.WaitGroup
		both.Go(func() {
			for _, contact := range contacts {
				if err := w.People.Unsubscribe(t.Context(), w.Workspace, contact, "email", "", "link"); err != nil {
					t.Error(err)
				}
			}
		})
		both.Go(func() {
			for range 40 {
				for _, job := range []pump.Job{w.Runner.Job(), w.Deliverer.Jobs()[0], w.Inbox.Job()} {
					for lane := range job.Lanes {
						if _, err := job.Drain(t.Context(), pump.Batch{Lane: lane, Limit: 7}); err != nil {
							t.Error(err)
						}
					}
				}
			}
		})
		both.Wait()
		w.Settle()
		w.To(storetest.Now.AddDate(0, 0, 1))
		require.Zero(t, w.Count("SELECT count(*) FROM messages WHERE creative = 'two' AND status = 'sent'"))
		require.Equal(t, 60, w.Count("SELECT count(*) FROM runs WHERE status = 'exited' AND end_reason = 'unsubscribed'"))
		require.Zero(t, w.Count("SELECT count(*) FROM messages WHERE status NOT IN ('sent', 'skipped')"))
		w.Audit()
	})

	t.Run("ATopicOnlySkipsThatTopic", func(t *testing.T) {
		t.Parallel()
		w := spinetest.New(t)
		contact := w.Contact("jan@example.com")
		w.Exec(`INSERT INTO topics (workspace_id, slug, name, description, created_at) VALUES ($1, 'news', 'News', '', $2)`, w.Workspace, storetest.Now)
		graph := line("go", once, "mail:one", anHour, "mail:two")
		w.Funnel("letters", strings.Replace(graph, `"creative:one"`, `"creative:one", "topic": "topic:news"`, 1))
		require.NoError(t, w.People.Unsubscribe(t.Context(), w.Workspace, contact, "email", "news", "link"))
		w.Event("jan@example.com", "go", nil)
		w.To(storetest.Now.AddDate(0, 0, 1))
		require.Equal(t, []string{"two 03-23 10:00:00"}, w.Sent("jan@example.com"))
		require.Equal(t, 1, w.Count("SELECT count(*) FROM messages WHERE status = 'skipped' AND reason = 'topic_left'"))
		w.Audit()
	})
}

func TestCaseFunnelChangedWithTenThousandInside(t *testing.T) {
	t.Parallel()
	w := spinetest.New(t)
	funnel := w.Funnel("letters", line("go", once, aDay, "mail:old"))
	const crowd = 10_000
	for from := 0; from < crowd; from += events.MaxBatch {
		batch := make([]events.Incoming, events.MaxBatch)
		for i := range batch {
			email := fmt.Sprintf("p%d@example.com", from+i)
			batch[i] = events.Incoming{Name: "go", Who: people.Input{Email: email, Consents: []people.ConsentInput{{Channel: "email", State: people.Granted, Source: "test"}}}}
		}
		for _, out := range w.Events(batch...) {
			require.Len(t, out.Started, 1)
		}
	}
	w.To(storetest.Now)
	require.Equal(t, crowd, w.Count("SELECT count(*) FROM runs WHERE node = 'step-1' AND status = 'active'"))

	w.Publish(funnel, line("go", once, "mail:new", aDay, "mail:newer"))
	w.Contact("late@example.com")
	w.Event("late@example.com", "go", nil)
	w.To(storetest.Now.AddDate(0, 0, 2))

	require.Equal(t, crowd, w.Count("SELECT count(*) FROM messages WHERE creative = 'old' AND status = 'sent'"))
	require.Equal(t, []string{"new 03-23 09:00:00", "newer 03-24 09:00:00"}, w.Sent("late@example.com"))
	require.Equal(t, crowd+2, w.Count("SELECT count(*) FROM messages"))
	require.Equal(t, crowd+1, w.Count("SELECT count(*) FROM runs WHERE status = 'done'"))
	w.Audit()
}

func TestCaseSameTriggerTwiceInOneSecond(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		reentry string
		ids     [2]string
		alive   int
		ended   int
	}{
		"OfOneEventOneIsADuplicate":          {once, [2]string{"order-7", "order-7"}, 1, 0},
		"OfTwoEventsOneStartsUnderOnce":      {once, [2]string{"order-7", "order-8"}, 1, 0},
		"OfTwoEventsTheLaterReplacesRestart": {restart, [2]string{"order-7", "order-8"}, 1, 1},
		"OfTwoEventsOneStartsUnderAfterExit": {`{"rule": "after_exit"}`, [2]string{"order-7", "order-8"}, 1, 0},
		"OfTwoEventsOfOneKeyOneStarts":       {`{"rule": "each", "key": "cart"}`, [2]string{"order-7", "order-8"}, 1, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := spinetest.New(t)
			w.Funnel("letters", line("go", c.reentry, aDay, "mail:one"))
			const rounds = 20
			for round := range rounds {
				email := fmt.Sprintf("p%d@example.com", round)
				w.Contact(email)
				var both sync.WaitGroup
				for _, id := range c.ids {
					both.Go(func() {
						err := store.InTx(t.Context(), w.Pool, w.Clock, func(tx store.Tx) error {
							_, err := w.Reactor.Ingest(t.Context(), tx, w.Workspace, []events.Incoming{{
								Who: people.Input{Email: email}, Name: "go", ID: fmt.Sprintf("%s-%d", id, round), Props: map[string]any{"cart": "c1"},
							}})
							return err
						})
						if err != nil {
							t.Error(err)
						}
					})
				}
				both.Wait()
			}
			require.Equal(t, rounds*c.alive, w.Count("SELECT count(*) FROM runs WHERE status = 'active'"))
			require.Equal(t, rounds*c.ended, w.Count("SELECT count(*) FROM runs WHERE status = 'exited' AND end_reason = 'replaced'"))
			w.To(storetest.Now.AddDate(0, 0, 2))
			require.Equal(t, rounds, w.Count("SELECT count(*) FROM messages WHERE status = 'sent'"))
			w.Audit()
		})
	}
}

func TestCaseContactErasedMidRun(t *testing.T) {
	t.Parallel()
	w := spinetest.New(t)
	contact := w.Contact("jan@example.com")
	other := w.Contact("eva@example.com")
	_ = other
	w.Funnel("letters", line("go", once, "mail:one", aDay, "mail:two"))
	w.Event("jan@example.com", "go", nil)
	w.Event("eva@example.com", "go", nil)
	w.To(storetest.Now)
	require.Len(t, w.Sent("jan@example.com"), 1)

	w.Jump(storetest.Now.AddDate(0, 0, 1))
	_, err := w.Runner.Job().DrainAll(t.Context())
	require.NoError(t, err)
	require.Equal(t, 2, w.Count("SELECT count(*) FROM messages WHERE status = 'queued'"))
	require.NoError(t, w.People.Erase(t.Context(), w.Workspace, contact))
	w.Settle()

	require.Empty(t, w.Sent("jan@example.com"), "the address is gone from what was sent, too")
	require.Len(t, w.Sent("eva@example.com"), 2)
	require.Equal(t, 1, w.Count("SELECT count(*) FROM messages WHERE status = 'skipped'"))
	require.Zero(t, w.Count("SELECT count(*) FROM message_bodies b JOIN messages m ON m.id = b.message_id WHERE m.contact_id = $1", contact))
	w.Audit()
}

func TestCaseWaitOverAClockChange(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		zone, start, wait, end string
	}{
		"ADayInWarsawInSpringIs23Hours":      {"Europe/Warsaw", "2026-03-28T09:00:00Z", aDay, "2026-03-29T08:00:00Z"},
		"ADayInWarsawInAutumnIs25Hours":      {"Europe/Warsaw", "2026-10-24T08:00:00Z", aDay, "2026-10-25T09:00:00Z"},
		"TwentyFourHoursAreTwentyFourHours":  {"Europe/Warsaw", "2026-03-28T09:00:00Z", `{"mode": "duration", "for": {"amount": 24, "unit": "hours"}}`, "2026-03-29T09:00:00Z"},
		"AnHourThatDoesNotExistIsTheNextOne": {"Europe/Warsaw", "2026-03-28T01:30:00Z", aDay, "2026-03-29T01:00:00Z"},
		"AnHourThatComesTwiceIsTheFirst":     {"America/New_York", "2026-10-31T05:30:00Z", aDay, "2026-11-01T05:30:00Z"},
		"ATimeOfDayInNewYork":                {"America/New_York", "2026-03-07T20:00:00Z", `{"mode": "duration", "for": {"amount": 1, "unit": "days"}, "at": "09:00"}`, "2026-03-08T13:00:00Z"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			start, err := time.Parse(time.RFC3339, c.start)
			require.NoError(t, err)
			w := spinetest.On(t, storetest.DB(t), start)
			_, err = w.People.Upsert(t.Context(), w.Workspace, people.Input{
				Email: "jan@example.com", Zone: &c.zone, Consents: []people.ConsentInput{{Channel: "email", State: people.Granted, Source: "test"}},
			}, "test")
			require.NoError(t, err)
			w.Funnel("letters", line("go", once, c.wait, "mail:one"))
			w.Event("jan@example.com", "go", nil)
			w.To(start.AddDate(0, 0, 3))
			end, err := time.Parse(time.RFC3339, c.end)
			require.NoError(t, err)
			require.Equal(t, []string{"one " + end.Format("01-02 15:04:05")}, w.Sent("jan@example.com"))
			w.Audit()
		})
	}
}

func TestTenWaitsInARowWithALateWorkerDriftByNothing(t *testing.T) {
	t.Parallel()
	w := spinetest.New(t)
	w.Contact("jan@example.com")
	steps := make([]string, 0, 11)
	for range 10 {
		steps = append(steps, anHour)
	}
	w.Funnel("letters", line("go", once, append(steps, "mail:end")...))
	w.Event("jan@example.com", "go", nil)
	for hour := range 11 {
		w.Jump(storetest.Now.Add(time.Duration(hour)*time.Hour + 17*time.Minute + time.Duration(hour)*time.Second))
		w.Settle()
	}
	require.Equal(t, 1, w.Count("SELECT count(*) FROM messages WHERE due_at = $1", storetest.Now.Add(10*time.Hour)))
	require.Equal(t, 10, w.Count("SELECT count(*) FROM journal WHERE kind = 'wait' AND port = 'next' AND date_trunc('hour', at AT TIME ZONE 'UTC') = at AT TIME ZONE 'UTC'"))
	w.Audit()
}

// until is a wait for an event with two ways on.
const until = `{"nodes": [
	{"id": "in", "kind": "entry", "config": {"triggers": [{"kind": "api_event", "name": "go"}], "reentry": {"rule": "once"}}},
	{"id": "wait-1", "kind": "wait", "config": {"mode": "until_event", "event": {"name": "answer"}, "timeout": {"amount": 1, "unit": "hours"}}},
	{"id": "mail-1", "kind": "send_email", "config": {"creative": "creative:answered"}},
	{"id": "mail-2", "kind": "send_email", "config": {"creative": "creative:silent"}}],
	"edges": [{"from": "in", "port": "next", "to": "wait-1"}, {"from": "wait-1", "port": "next", "to": "mail-1"}, {"from": "wait-1", "port": "timeout", "to": "mail-2"}]}`

func TestFault_52_AnEventAndATimeoutAtOneInstantTakeExactlyOneBranch(t *testing.T) {
	t.Parallel()
	w := spinetest.New(t)
	w.Funnel("race", until)
	const crowd = 1000
	batch := make([]events.Incoming, crowd)
	for i := range batch {
		batch[i] = events.Incoming{Name: "go", Who: people.Input{
			Email: fmt.Sprintf("p%d@example.com", i), Consents: []people.ConsentInput{{Channel: "email", State: people.Granted, Source: "test"}},
		}}
	}
	w.Events(batch...)
	w.To(storetest.Now)
	w.Jump(storetest.Now.Add(time.Hour))

	var race sync.WaitGroup
	race.Go(func() {
		for range 300 {
			for lane := range 3 {
				if _, err := w.Runner.Drain(t.Context(), pump.Batch{Lane: lane, Limit: 5}); err != nil {
					t.Error(err)
				}
			}
		}
	})
	for part := range 3 {
		race.Go(func() {
			for i := part; i < crowd; i += 3 {
				err := store.InTx(t.Context(), w.Pool, w.Clock, func(tx store.Tx) error {
					_, err := w.Reactor.Ingest(t.Context(), tx, w.Workspace, []events.Incoming{{Name: "answer", Who: people.Input{Email: fmt.Sprintf("p%d@example.com", i)}}})
					return err
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	race.Wait()
	w.Settle()
	require.Equal(t, crowd, w.Count("SELECT count(*) FROM messages"))
	require.Equal(t, crowd, w.Count("SELECT count(DISTINCT contact_id) FROM messages WHERE status = 'sent'"))
	t.Logf("answered %d", w.Count("SELECT count(*) FROM messages WHERE creative = 'answered'"))
	w.Audit()
}
