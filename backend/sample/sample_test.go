package sample_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/backend/auditor"
	"github.com/lejek/lejek/backend/clock"
	"github.com/lejek/lejek/backend/creative"
	"github.com/lejek/lejek/backend/funnels"
	"github.com/lejek/lejek/backend/sample"
	"github.com/lejek/lejek/backend/store/storetest"
	"github.com/lejek/lejek/backend/worker"
	"github.com/lejek/lejek/engine"
)

func TestTheStudioIsAliveSoundAndSandboxed(t *testing.T) {
	t.Parallel()
	ctx, pool := t.Context(), storetest.DB(t)
	now := time.Date(2026, 11, 30, 9, 41, 0, 0, time.UTC)
	manual, err := clock.NewManual(ctx, pool, now)
	require.NoError(t, err)
	deps := sample.Deps{
		DB: pool, Clock: manual, Machine: clock.Machine{}, Secret: []byte("0123456789abcdef0123456789abcdef"), BaseURL: "http://127.0.0.1:8080",
		Compile: compile, Template: worker.ReadCreative, Logger: slog.New(slog.DiscardHandler),
	}
	seeded, err := sample.Seed(ctx, deps, "cork-mat-terra-42")
	require.NoError(t, err)
	require.True(t, seeded)
	require.Equal(t, now, manual.Now(), "the story ends now")

	found, err := auditor.Audit(ctx, pool, auditor.Options{Due: now, Machine: clock.Machine{}.Now()})
	require.NoError(t, err)
	require.Empty(t, found)

	count := func(sql string) (n int) {
		require.NoError(t, pool.QueryRow(ctx, sql).Scan(&n))
		return n
	}
	require.Equal(t, 240, count(`SELECT count(*) FROM contacts`))
	require.Equal(t, 4, count(`SELECT count(*) FROM funnels`))
	require.Greater(t, count(`SELECT count(*) FROM messages WHERE status = 'sent'`), 40)
	require.Positive(t, count(`SELECT count(*) FROM messages WHERE status = 'skipped'`), "people who did not agree are passed over")
	require.Zero(t, count(`SELECT count(*) FROM messages WHERE status = 'failed'`))
	require.Positive(t, count(`SELECT count(*) FROM runs WHERE status = 'active'`))
	require.Zero(t, count(`SELECT count(*) FROM runs WHERE status = 'parked'`))
	require.Zero(t, count(`SELECT count(*) FROM messages WHERE created_at > '2026-11-30 09:41+00'`))
	require.Greater(t, count(`SELECT count(DISTINCT created_at::date) FROM messages`), 15, "the story takes weeks")
	require.Positive(t, count(`SELECT count(*) FROM messages WHERE node = 'miss'`), "sixty days have passed for some")
	require.Positive(t, count(`SELECT count(*) FROM messages WHERE opened_at IS NOT NULL`))
	require.Positive(t, count(`SELECT count(*) FROM runs WHERE end_reason = 'goal'`))
	require.Equal(t, 1, count(`SELECT count(*) FROM campaigns WHERE state = 'draft'`))
	require.Equal(t, 1, count(`SELECT count(*) FROM campaigns WHERE state = 'done' AND winner <> '' AND total > 30`), "one was sent, and the better subject to the rest")
	require.Equal(t, 0, count(`SELECT count(*) FROM campaign_recipients WHERE NOT made`))
	require.Zero(t, count(`SELECT count(*) FROM messages m JOIN workspaces w ON w.id = m.workspace_id WHERE m.campaign_id IS NOT NULL
		AND date_part('hour', m.sent_at AT TIME ZONE w.zone) NOT BETWEEN 8 AND 20`), "a campaign leaves while people are up")
	for _, did := range []string{"delivered_at IS NOT NULL", "opened_at IS NOT NULL", "clicked_at IS NOT NULL"} {
		require.Greater(t, count(`SELECT count(*) FROM messages WHERE campaign_id IS NOT NULL AND `+did), 3, "its report has something to say")
	}
	require.Positive(t, count(`SELECT count(*) FROM events WHERE name = 'workshop_booked'`))
	require.Equal(t, 1, count(`SELECT count(*) FROM workspaces WHERE sending_mode = 'sandbox'`))

	again, err := sample.Seed(ctx, deps, "cork-mat-terra-42")
	require.NoError(t, err)
	require.False(t, again, "who has somebody gets no sample")
}

func compile(c engine.Creative) (funnels.Compiled, []engine.Problem, error) {
	artifact, problems, err := creative.Compile(context.Background(), c, creative.Options{})
	if err != nil {
		return funnels.Compiled{}, problems, err
	}
	raw, err := json.Marshal(artifact)
	return funnels.Compiled{Hash: artifact.Hash, Artifact: raw}, problems, err
}
