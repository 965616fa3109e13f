package drafts_test

import (
	"context"
	"log/slog"
	"net/netip"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/ai"
	"github.com/lejek/lejek/ai/aitest"
	"github.com/lejek/lejek/backend/clock"
	"github.com/lejek/lejek/backend/config"
	"github.com/lejek/lejek/backend/drafts"
	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/funnels"
	"github.com/lejek/lejek/backend/store/storetest"
	"github.com/lejek/lejek/backend/tasks"
	"github.com/lejek/lejek/backend/wording"
	"github.com/lejek/lejek/engine"
	"github.com/lejek/lejek/migrations"
)

func setup(t *testing.T, endpoint config.AI) (*drafts.Drafts, uuid.UUID) {
	t.Helper()
	d, _, workspace := setupDesk(t, endpoint)
	return d, workspace
}

func setupDesk(t *testing.T, endpoint config.AI) (*drafts.Drafts, *wording.Desk, uuid.UUID) {
	t.Helper()
	db := storetest.DB(t)
	log := slog.New(slog.DiscardHandler)
	all, err := tasks.New(db, storetest.Clock, log)
	require.NoError(t, err)
	d := drafts.New(drafts.Options{
		Tasks: all, DB: db, Clock: storetest.Clock, Machine: clock.Machine{}, Drafter: drafts.NewDrafter(endpoint), Secret: []byte("a secret of thirty-two bytes, more or less"),
		Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")},
		Names: func(ctx context.Context, workspace uuid.UUID) (*engine.Workspace, error) {
			return funnels.References(ctx, db, workspace)
		},
	})
	desk := &wording.Desk{Tasks: all, Price: d.Price, Wording: &wording.Wording{
		DB: db, Clock: storetest.Clock, Machine: clock.Machine{}, Writer: drafts.NewWriter(endpoint), Secret: []byte("a secret"), Daily: 1000, Own: d.Writer, Watch: d.WatchTexts,
	}}
	all.Register(desk.Task())
	workers := river.NewWorkers()
	all.AddTo(workers)
	client, err := river.NewClient(riverpgxv5.New(db), &river.Config{
		Schema: migrations.RiverSchema, Workers: workers, Logger: log,
		Queues: map[string]river.QueueConfig{tasks.Queue: {MaxWorkers: 2, FetchCooldown: 5 * time.Millisecond, FetchPollInterval: 20 * time.Millisecond}},
	})
	require.NoError(t, err)
	require.NoError(t, client.Start(t.Context()))
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		require.NoError(t, client.StopAndCancel(ctx))
	})
	return d, desk, storetest.Workspace(t, db)
}

func finished(t *testing.T, d *drafts.Drafts, workspace uuid.UUID, prompt string) *ai.Result {
	t.Helper()
	_, result := asked(t, d, drafts.Request{Workspace: workspace, Prompt: prompt})
	return result
}

func asked(t *testing.T, d *drafts.Drafts, r drafts.Request) (uuid.UUID, *ai.Result) {
	t.Helper()
	workspace := r.Workspace
	task, err := d.Start(t.Context(), r)
	require.NoError(t, err)
	var got drafts.Draft
	require.Eventually(t, func() bool {
		got, err = d.Get(t.Context(), workspace, task.ID)
		require.NoError(t, err)
		return got.Task.FinishedAt != nil
	}, 30*time.Second, 5*time.Millisecond)
	require.Equal(t, tasks.Done, got.Task.State)
	require.NotNil(t, got.Result)
	_, err = d.Get(t.Context(), uuid.New(), task.ID)
	require.Equal(t, fault.NotFound, fault.CodeOf(err))
	return task.ID, got.Result
}

func TestADraftIsTheResultOfATask(t *testing.T) {
	t.Parallel()
	d, workspace := setup(t, config.AI{})
	got := finished(t, d, workspace, "welcome series, 3 emails")
	require.Equal(t, ai.StatusGraph, got.Outcome)
	require.Equal(t, ai.Offline, got.Engine)
	require.Empty(t, ai.Errors(got.Problems))
	require.Len(t, got.Creatives, 3)
}

func TestADraftFollowsNoRedirectWithTheKey(t *testing.T) {
	t.Parallel()
	other := aitest.Start(aitest.Says(`{}`))
	defer other.Close()
	server := aitest.Start(aitest.Redirect(other.URL + "/chat/completions"))
	defer server.Close()
	d, workspace := setup(t, config.AI{Endpoint: config.Endpoint{BaseURL: server.URL, Key: "secret", Model: "fake"}})
	got := finished(t, d, workspace, "abandoned cart")
	require.Equal(t, ai.Offline, got.Engine)
	require.Empty(t, other.Asked())
	require.Len(t, server.Asked(), 1)
}

func TestAPromptThatIsNoRequestIsAFault(t *testing.T) {
	t.Parallel()
	d, workspace := setup(t, config.AI{})
	for _, prompt := range []string{"", "  \n", "a\x00b", "\xff\xfe", string(make([]byte, 5000))} {
		_, err := d.Start(t.Context(), drafts.Request{Workspace: workspace, Prompt: prompt})
		require.Equal(t, fault.Invalid, fault.CodeOf(err), "%q", prompt)
	}
}
