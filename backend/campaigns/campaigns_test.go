package campaigns_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/backend/campaigns"
	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/pump"
	"github.com/lejek/lejek/engine"
)

func TestTheAudienceIsFrozenOnceAndEverybodyReceivesItOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.join(0, 230, "")
	w.exec("UPDATE consents SET state = 'denied' WHERE contact_id = (SELECT id FROM contacts WHERE email = 'p00007@example.com')")
	id := w.start(document(nil))
	require.Equal(t, int64(230), *w.state(id).Total)
	w.join(230, 240, "") // too late

	_, _, err := w.Start(t.Context(), w.workspace, id, campaigns.Wish{Revision: 1})
	require.Equal(t, fault.Conflict, fault.CodeOf(err))
	var refused *fault.Error
	require.ErrorAs(t, err, &refused)
	require.Equal(t, campaigns.Frozen{Reason: "audience_frozen"}, refused.Details)

	require.NoError(t, w.settle(t.Context()))
	messages, persons := w.sentTo(id)
	require.Equal(t, []int{229, 229}, []int{messages, persons})
	done := w.state(id)
	require.Equal(t, campaigns.Done, done.State)
	progress, err := w.Progress(t.Context(), w.workspace, done)
	require.NoError(t, err)
	require.Equal(t, campaigns.Tally{Sent: 229, Skipped: 1, Delivered: 229}, progress.Tally)
	require.Equal(t, []campaigns.Reason{{State: "skipped", Reason: "unsubscribed", People: 1}}, progress.Reasons)
	require.Zero(t, w.count("SELECT count(*) FROM messages m JOIN contacts c ON c.id = m.contact_id WHERE c.email >= 'p00230'"))
	require.Equal(t, 229, w.count("SELECT count(*) FROM events WHERE name = 'message_sent' AND props->>'campaign' = 'sale'"), "events name the campaign")
	require.Equal(t, 229, w.count("SELECT count(*) FROM message_bodies WHERE subject = 'Sale' AND headers::text LIKE '%List-Unsubscribe%'"))

	list, err := w.Recipients(t.Context(), w.workspace, id, campaigns.Filter{State: "skipped", Limit: 10})
	require.NoError(t, err)
	require.Equal(t, "p00007@example.com", list[0].Email)
	w.audit()
}

func TestPausingStopsAtOnceAndResumingGoesOnWithWhoIsLeft(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.join(0, 120, "")
	id := w.start(document(nil))
	feed := w.Job()
	drained, err := feed.Drain(t.Context(), pump.Batch{Limit: 50})
	require.NoError(t, err)
	require.Equal(t, 50, drained.Rows)

	paused, err := w.Pause(t.Context(), w.workspace, id)
	require.NoError(t, err)
	require.Equal(t, campaigns.Paused, paused.State)
	require.NoError(t, w.settle(t.Context()))
	messages, _ := w.sentTo(id)
	require.Zero(t, messages, "nothing leaves while it is paused")
	_, err = w.Pause(t.Context(), w.workspace, id)
	require.NoError(t, err, "pausing twice is fine")

	_, err = w.Resume(t.Context(), w.workspace, id)
	require.NoError(t, err)
	require.NoError(t, w.settle(t.Context()))
	messages, persons := w.sentTo(id)
	require.Equal(t, []int{120, 120}, []int{messages, persons})
	w.audit()
}

func TestCancellingLeavesTheRestUnsent(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.join(0, 60, "")
	id := w.start(document(nil))
	_, err := w.Job().Drain(t.Context(), pump.Batch{Limit: 20})
	require.NoError(t, err)
	cancelled, err := w.Cancel(t.Context(), w.workspace, id)
	require.NoError(t, err)
	require.Equal(t, campaigns.Cancelled, cancelled.State)
	require.NoError(t, w.settle(t.Context()))
	progress, err := w.Progress(t.Context(), w.workspace, cancelled)
	require.NoError(t, err)
	require.Equal(t, campaigns.Tally{Skipped: 60}, progress.Tally, "nobody waits for what does not come")
	require.Equal(t, []campaigns.Reason{{State: "skipped", Reason: "campaign_cancelled", People: 60}}, progress.Reasons)
	for state, n := range map[string]int{"": 60, "skipped": 60, "waiting": 0} {
		list, err := w.Recipients(t.Context(), w.workspace, id, campaigns.Filter{State: state, Limit: 100})
		require.NoError(t, err)
		require.Len(t, list, n, state)
		for _, r := range list {
			require.Equal(t, []string{"skipped", "campaign_cancelled"}, []string{r.State, r.Reason})
		}
	}
	_, err = w.Resume(t.Context(), w.workspace, id)
	require.Equal(t, fault.Conflict, fault.CodeOf(err))
}

func TestACampaignKeepsItsOwnLimit(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.join(0, 100, "")
	id := w.start(document(func(d *campaigns.Document) { d.Throttle = &campaigns.Throttle{Count: 60, Per: "minute"} }))
	require.NoError(t, w.settle(t.Context()))
	first, _ := w.sentTo(id)
	require.Equal(t, 10, first, "ten seconds' worth may leave together")
	w.advance(30 * time.Second)
	half, _ := w.sentTo(id)
	require.InDelta(t, 40, half, 5)
	w.advance(2 * time.Minute)
	all, persons := w.sentTo(id)
	require.Equal(t, []int{100, 100}, []int{all, persons})
	require.Equal(t, campaigns.Done, w.state(id).State)
	require.LessOrEqual(t, w.count(`SELECT max(n) FROM (SELECT count(*) AS n FROM messages WHERE campaign_id = $1 GROUP BY date_trunc('minute', sent_at)) AS x`, id), 70)
}

func TestEverybodyGetsItAtThatTimeWhereTheyLive(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.join(0, 3, "Asia/Tokyo")
	w.join(3, 6, "")
	w.join(6, 9, "America/New_York")
	day := w.clock.Now().AddDate(0, 0, 2).Format("2006-01-02")
	made := w.make(document(func(d *campaigns.Document) { d.When = campaigns.When{Mode: campaigns.ModeLocal, At: day + "T09:00"} }))
	scheduled, err := w.Schedule(t.Context(), w.workspace, made.ID, campaigns.Wish{Revision: 1, AcceptWarnings: true})
	require.NoError(t, err)
	require.Equal(t, day+" 00:00", scheduled.StartAt.Format("2006-01-02 15:04"), "nine o'clock in Tokyo")
	_, err = w.Update(t.Context(), w.workspace, made.ID, campaigns.Edit{Revision: 1, Document: []byte(`{"channel":"sms","audience":{"include":[]},"when":{"mode":"now"},"variants":[{"id":"a","weight":1,"creative":{"channel":"sms"}}]}`)})
	require.Equal(t, fault.Conflict, fault.CodeOf(err), "what is scheduled does not change unseen")

	w.advance(4 * 24 * time.Hour)
	require.Equal(t, campaigns.Done, w.state(made.ID).State)
	for zone, hour := range map[string]int{"Asia/Tokyo": 3, "": 3, "America/New_York": 3} {
		want := engine.ResolveLocal(dateOf(t, day), 9*time.Hour, engine.ZoneOf(zone, "UTC"))
		require.Equal(t, hour, w.count("SELECT count(*) FROM messages m JOIN contacts c ON c.id = m.contact_id WHERE m.campaign_id = $1 AND c.zone = $2 AND m.sent_at = $3", made.ID, zone, want), zone)
	}
}

func dateOf(t *testing.T, day string) engine.Date {
	t.Helper()
	date, err := engine.ParseDate(day)
	require.NoError(t, err)
	return date
}

func TestAWinnerByGoalGoesToThoseHeldBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.join(0, 100, "")
	id := w.start(document(func(d *campaigns.Document) {
		d.Variants = append(d.Variants, variant("b", "Last chance"))
		d.Goal = &campaigns.Goal{Event: "purchase", Within: engine.Duration{Amount: 7, Unit: engine.Days}}
		d.Experiment = &campaigns.Experiment{Share: 20, Metric: campaigns.MetricGoal, After: engine.Duration{Amount: 2, Unit: engine.Hours}}
	}))
	require.NoError(t, w.settle(t.Context()))
	require.Equal(t, 10, w.count("SELECT count(*) FROM messages WHERE campaign_id = $1 AND variant = 'a' AND status = 'sent'", id))
	require.Equal(t, 10, w.count("SELECT count(*) FROM messages WHERE campaign_id = $1 AND variant = 'b' AND status = 'sent'", id))
	// More open a, more buy after b.
	w.exec("UPDATE messages SET opened_at = sent_at WHERE campaign_id = $1 AND variant = 'a'", id)
	w.exec(`INSERT INTO events (workspace_id, contact_id, name, at, received_at, source) SELECT workspace_id, contact_id, 'purchase', sent_at, sent_at, 'api'
		FROM messages WHERE campaign_id = $1 AND variant = 'b' LIMIT 4`, id)
	w.advance(time.Hour)
	messages, _ := w.sentTo(id)
	require.Equal(t, 20, messages, "the others are still held back")
	w.advance(2 * time.Hour)
	done := w.state(id)
	require.Equal(t, "b", done.Winner)
	require.Equal(t, campaigns.Done, done.State)
	require.Equal(t, 90, w.count("SELECT count(*) FROM messages WHERE campaign_id = $1 AND variant = 'b' AND status = 'sent'", id))
	require.Equal(t, 90, w.count("SELECT count(*) FROM messages m JOIN message_bodies b ON b.message_id = m.id WHERE m.campaign_id = $1 AND b.subject = 'Last chance'", id))
	_, report, err := w.Report(t.Context(), w.workspace, id)
	require.NoError(t, err)
	require.Equal(t, map[string]int64{"a": 0, "b": 4}, report.Reached)
}

func TestOneBadRecipientStopsNobody(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.join(0, 30, "")
	w.exec("UPDATE contacts SET first_name = 'Ola' WHERE email <> 'p00003@example.com'")
	id := w.start(document(func(d *campaigns.Document) { d.Variants[0].Creative.Subject = "Hello {{ first_name }}" }))
	require.NoError(t, w.settle(t.Context()))
	messages, _ := w.sentTo(id)
	require.Equal(t, 29, messages)
	require.Equal(t, 1, w.count("SELECT count(*) FROM messages WHERE campaign_id = $1 AND status = 'failed' AND reason = 'variable: first_name'", id))
	require.Equal(t, campaigns.Done, w.state(id).State)
}

func TestAnEmptyAudienceGivesTheCampaignBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.start(document(nil))
	require.Equal(t, campaigns.Draft, w.state(id).State)
	task := w.count("SELECT count(*) FROM tasks WHERE kind = 'campaign_freeze' AND state = 'failed' AND error LIKE '%Nobody%'")
	require.Equal(t, 1, task)
}

func TestEachVariantIsTriedBySomebodyHoweverFewPeopleThereAre(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.join(0, 5, "")
	d := document(func(d *campaigns.Document) {
		d.Variants = append(d.Variants, variant("b", "B"), variant("c", "C"))
		d.Variants[0].Weight, d.Variants[1].Weight, d.Variants[2].Weight = 90, 9, 1
		d.Experiment = &campaigns.Experiment{Share: 10, Metric: campaigns.MetricClicked, After: engine.Duration{Amount: 1, Unit: engine.Hours}}
	})
	numbers, err := w.Preview(t.Context(), w.workspace, uuid.Nil, d)
	require.NoError(t, err)
	require.Equal(t, &campaigns.Trial{People: 3, Least: 1}, numbers.Trial)
	id := w.start(d)
	for _, v := range []string{"a", "b", "c"} {
		require.Equal(t, 1, w.count("SELECT count(*) FROM campaign_recipients WHERE campaign_id = $1 AND phase = 0 AND variant = $2", id, v), v)
	}
	require.Equal(t, 2, w.count("SELECT count(*) FROM campaign_recipients WHERE campaign_id = $1 AND phase = 1", id), "they wait for the winner")
	numbers, err = w.Preview(t.Context(), w.workspace, uuid.Nil, document(nil))
	require.NoError(t, err)
	require.Nil(t, numbers.Trial, "one message is no test")
}

func TestSharesAreKeptForFewPeopleToo(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.join(0, 20, "")
	id := w.start(document(func(d *campaigns.Document) {
		d.Variants = append(d.Variants, variant("b", "B"))
		d.Variants[0].Weight, d.Variants[1].Weight = 70, 30
	}))
	require.Equal(t, 14, w.count("SELECT count(*) FROM campaign_recipients WHERE campaign_id = $1 AND variant = 'a'", id))
	require.Equal(t, 20, w.count("SELECT max(n) FROM campaign_recipients WHERE campaign_id = $1", id))
	_, err := w.Choose(t.Context(), w.workspace, id, "a")
	require.Equal(t, fault.Conflict, fault.CodeOf(err), "nobody is held back")
	_, err = w.Get(t.Context(), uuid.New(), id)
	var refused *fault.Error
	require.True(t, errors.As(err, &refused) && refused.Code == fault.NotFound)
}
