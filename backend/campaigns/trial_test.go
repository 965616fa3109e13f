package campaigns_test

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/backend/campaigns"
	"github.com/lejek/lejek/engine"
)

// tried starts a campaign that tries two messages on 20 of 100 people for an hour, by clicks.
func (w *world) tried() uuid.UUID {
	w.Helper()
	w.join(0, 100, "")
	return w.start(document(func(d *campaigns.Document) {
		d.Variants = append(d.Variants, variant("b", "Last chance"))
		d.Experiment = &campaigns.Experiment{Share: 20, Metric: campaigns.MetricClicked, After: engine.Duration{Amount: 1, Unit: engine.Hours}}
	}))
}

func TestATrialDoesNotRunWhileTheCampaignIsPaused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.tried()
	_, err := w.Pause(t.Context(), w.workspace, id)
	require.NoError(t, err)
	w.advance(3 * time.Hour)
	_, err = w.Resume(t.Context(), w.workspace, id)
	require.NoError(t, err)
	require.NoError(t, w.settle(t.Context()))
	messages, _ := w.sentTo(id)
	require.Equal(t, 20, messages, "nobody can have clicked yet")
	require.Empty(t, w.state(id).Winner)
	w.exec("UPDATE messages SET clicked_at = sent_at WHERE campaign_id = $1 AND variant = 'b'", id)
	w.advance(61 * time.Minute)
	require.Equal(t, "b", w.state(id).Winner)
	messages, persons := w.sentTo(id)
	require.Equal(t, []int{100, 100}, []int{messages, persons})
	w.audit()
}

func TestNoWinnerIsChosenWhileTheTrialStillWaitsInTheOutbox(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.exec("UPDATE workspaces SET outbox_minutes = 90 WHERE id = $1", w.workspace)
	id := w.tried()
	w.advance(80 * time.Minute)
	require.Empty(t, w.state(id).Winner, "no message of the trial has left yet")
	w.advance(11 * time.Minute)
	messages, _ := w.sentTo(id)
	require.Equal(t, 20, messages)
	w.exec("UPDATE messages SET clicked_at = sent_at WHERE campaign_id = $1 AND variant = 'b'", id)
	w.advance(3 * time.Hour)
	require.Equal(t, "b", w.state(id).Winner)
	w.audit()
}
