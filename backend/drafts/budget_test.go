package drafts_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/ai"
	"github.com/lejek/lejek/ai/aitest"
	"github.com/lejek/lejek/backend/config"
	"github.com/lejek/lejek/backend/drafts"
	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/engine"
)

const plan = `{"status":"graph","lang":"en","plan":"two mails","assumptions":[],"questions":[],"reason":null,"trigger":{"kind":"api_event","ref":"cart_updated","when":null,"offset_days":null},"reentry":"restart","reentry_days":null,"blocks":[{"id":"main","steps":[{"wait":"hours","n":1,"id":"w1"},{"send":"send_email","message":"m1","id":"s1"},{"wait":"days","n":1,"id":"w2"},{"send":"send_email","message":"m2","id":"s2"}],"next":null}],"messages":[{"id":"m1","brief":"your cart","because":"cart"},{"id":"m2","brief":"last call","because":"cart"}]}`

func serve(t *testing.T, replies ...aitest.Reply) *aitest.Server {
	t.Helper()
	s := aitest.Start(replies...)
	t.Cleanup(s.Close)
	return s
}

func at(s *aitest.Server, model string) config.Endpoint {
	return config.Endpoint{BaseURL: s.URL, Key: "very-secret", Model: model}
}

func row[T any](t *testing.T, d *drafts.Drafts, sql string, args ...any) T {
	t.Helper()
	var v T
	require.NoError(t, d.DB.QueryRow(context.WithoutCancel(t.Context()), sql, args...).Scan(&v))
	return v
}

func TestTheLedgerHoldsWhatTheCallsUsedAndADeadPrimaryCostsNothing(t *testing.T) {
	t.Parallel()
	dead, live := serve(t, aitest.Status(500)), serve(t, aitest.Says(plan))
	d, workspace := setup(t, config.AI{Endpoint: at(dead, "first"), Reserve: at(live, "second")})
	id, got := asked(t, d, drafts.Request{Workspace: workspace, Prompt: "abandoned cart, two emails"})
	require.Equal(t, "second", got.Engine)
	require.Contains(t, got.Assumptions[0], "the reserve second did")
	used := row[int64](t, d, "SELECT used FROM ai_ledger WHERE workspace_id = $1 AND task_id = $2", workspace, id)
	require.Equal(t, int64(150*len(live.Asked())), used)
	require.Equal(t, used, row[int64](t, d, "SELECT sum(tokens_in + tokens_out) FROM ai_calls WHERE workspace_id = $1", workspace))
	require.Equal(t, used, row[int64](t, d, "SELECT charged FROM ai_ledger WHERE workspace_id = $1", workspace))
	require.Equal(t, int64(len(live.Asked())+len(dead.Asked())), row[int64](t, d, "SELECT count(*) FROM ai_calls WHERE workspace_id = $1", workspace))
	require.Equal(t, "server", row[string](t, d, "SELECT outcome FROM ai_calls WHERE workspace_id = $1 AND model = 'first' LIMIT 1", workspace))
	require.NotContains(t, row[string](t, d, "SELECT string_agg(c::text, '|') FROM ai_calls c WHERE workspace_id = $1", workspace), "very-secret")
	spent, err := d.Spent(t.Context(), workspace)
	require.NoError(t, err)
	require.Equal(t, used, spent.Day)
	news, err := d.News(t.Context(), workspace, id, 0)
	require.NoError(t, err)
	kinds := ""
	for _, n := range news {
		kinds += n.Kind + " "
	}
	require.Contains(t, kinds, "reset")
	require.Contains(t, kinds, "steps")
}

func TestWhatIsNotDeliveredIsNotCharged(t *testing.T) {
	t.Parallel()
	d, workspace := setup(t, config.AI{Endpoint: at(serve(t, aitest.Says("no plan at all")), "first")})
	_, got := asked(t, d, drafts.Request{Workspace: workspace, Prompt: "abandoned cart"})
	require.Equal(t, ai.Offline, got.Engine)
	require.Positive(t, row[int64](t, d, "SELECT used FROM ai_ledger WHERE workspace_id = $1", workspace))
	require.Zero(t, row[int64](t, d, "SELECT charged FROM ai_ledger WHERE workspace_id = $1", workspace))
}

func TestABudgetThatIsUsedUpLeavesThePlannerAndSaysSo(t *testing.T) {
	t.Parallel()
	s := serve(t, aitest.Says(plan))
	d, workspace := setup(t, config.AI{Endpoint: at(s, "first")})
	require.NoError(t, d.SaveBudget(t.Context(), workspace, drafts.Budget{DayTokens: 100, MonthTokens: 1000, UserMinute: 5}))
	status, err := d.Status(t.Context(), workspace)
	require.NoError(t, err)
	require.Equal(t, "quota", status.Why)
	_, got := asked(t, d, drafts.Request{Workspace: workspace, Prompt: "abandoned cart"})
	require.Equal(t, ai.Offline, got.Engine)
	require.Equal(t, "quota", got.Why)
	require.Contains(t, got.Assumptions[0], "budget")
	require.Empty(t, s.Asked())
	require.NoError(t, d.SaveBudget(t.Context(), workspace, drafts.Budget{ModelsOff: true, DayTokens: 1e6, MonthTokens: 1e6, UserMinute: 5}))
	_, got = asked(t, d, drafts.Request{Workspace: workspace, Prompt: "abandoned cart"})
	require.Equal(t, "off", got.Why)
	require.Empty(t, s.Asked())
}

func TestAPersonAsksOnlySoOften(t *testing.T) {
	t.Parallel()
	d, workspace := setup(t, config.AI{})
	require.NoError(t, d.SaveBudget(t.Context(), workspace, drafts.Budget{DayTokens: 1, MonthTokens: 1, UserMinute: 2}))
	anna, boris := uuid.New(), uuid.New()
	for range 2 {
		_, err := d.Start(t.Context(), drafts.Request{Workspace: workspace, Prompt: "welcome", By: &anna})
		require.NoError(t, err)
	}
	_, err := d.Start(t.Context(), drafts.Request{Workspace: workspace, Prompt: "welcome", By: &anna})
	require.Equal(t, fault.RateLimited, fault.CodeOf(err))
	_, err = d.Start(t.Context(), drafts.Request{Workspace: workspace, Prompt: "welcome", By: &boris})
	require.NoError(t, err)
	history, err := d.History(t.Context(), workspace, &anna, nil)
	require.NoError(t, err)
	require.Len(t, history, 2)
	require.Equal(t, "welcome", history[0].Prompt)
}

func TestAnEndpointOfTheWorkspaceIsTestedAndItsKeySealed(t *testing.T) {
	t.Parallel()
	s := serve(t, aitest.Says(`{"answer":{"zq":"zq7"}}`), aitest.Says(`{"answer":{"zq":"zq7"}}`), aitest.Says(plan))
	d, workspace := setup(t, config.AI{})
	key := "very-secret"
	require.NoError(t, d.SaveEndpoint(t.Context(), workspace, drafts.Primary, drafts.EndpointInput{BaseURL: s.URL, Model: "own", Key: &key}))
	require.NotContains(t, row[string](t, d, "SELECT encode(key, 'escape') FROM ai_endpoints WHERE workspace_id = $1", workspace), key)
	found, err := d.Test(t.Context(), workspace, drafts.Primary, "en")
	require.NoError(t, err)
	require.True(t, found.Reached && found.Enforced && found.Streams, "%+v", found)
	require.Equal(t, "Bearer very-secret", s.Asked()[0].Authorization)
	all, err := d.Endpoints(t.Context(), workspace)
	require.NoError(t, err)
	require.True(t, all[0].HasKey)
	require.Equal(t, "strict", all[0].Profile.Mode)
	_, got := asked(t, d, drafts.Request{Workspace: workspace, Prompt: "abandoned cart, two emails"})
	require.Equal(t, "own", got.Engine)
	// Another address does not get the key.
	require.NoError(t, d.SaveEndpoint(t.Context(), workspace, drafts.Primary, drafts.EndpointInput{BaseURL: "https://elsewhere.example/v1", Model: "own"}))
	all, err = d.Endpoints(t.Context(), workspace)
	require.NoError(t, err)
	require.False(t, all[0].HasKey)
	require.NoError(t, d.DropEndpoint(t.Context(), workspace, drafts.Primary))
	_, err = d.Test(t.Context(), workspace, drafts.Primary, "en")
	require.Equal(t, fault.NotFound, fault.CodeOf(err))
	for _, bad := range []string{"", "ftp://x", "https://u:p@host/v1", "https://host/v1?x=1"} {
		err := d.SaveEndpoint(t.Context(), workspace, drafts.Primary, drafts.EndpointInput{BaseURL: bad, Model: "m"})
		require.Equal(t, fault.Invalid, fault.CodeOf(err), bad)
	}
}

func TestAnEndpointInsideTheNetworkIsNotReached(t *testing.T) {
	t.Parallel()
	s := serve(t, aitest.Says(plan))
	d, workspace := setup(t, config.AI{})
	d.Allow = nil
	require.NoError(t, d.SaveEndpoint(t.Context(), workspace, drafts.Primary, drafts.EndpointInput{BaseURL: s.URL, Model: "own"}))
	found, err := d.Test(t.Context(), workspace, drafts.Primary, "en")
	require.NoError(t, err)
	require.False(t, found.Reached)
	require.Empty(t, s.Asked())
}

func TestPartsOfAChangeAreTakenAndAChangedFunnelIsAConflict(t *testing.T) {
	t.Parallel()
	d, workspace := setup(t, config.AI{})
	drawn := ai.DraftOffline(ai.Request{Prompt: "When tag vip is added send an email, wait 2 days, send another email"}, drafts.Kinds())
	base := drawn.Bundle()
	id, got := asked(t, d, drafts.Request{Workspace: workspace, Prompt: "make the wait 3 days and add an SMS", Base: &base})
	require.Equal(t, ai.StatusGraph, got.Outcome)
	require.Len(t, got.Change.Groups, 2)
	chosen, err := d.Select(t.Context(), workspace, id, []int{1}, &base)
	require.NoError(t, err)
	require.Contains(t, kindsOf(chosen.Graph), "send_sms")
	require.Equal(t, int64(1), row[int64](t, d, "SELECT rejected FROM ai_verdicts WHERE workspace_id = $1", workspace))
	changed := base
	changed.Graph.Nodes = append([]engine.Node{}, base.Graph.Nodes...)
	changed.Graph.Nodes[1].Name = "Changed meanwhile"
	_, err = d.Select(t.Context(), workspace, id, []int{1}, &changed)
	require.Equal(t, fault.Conflict, fault.CodeOf(err))
	_, err = d.Select(t.Context(), uuid.New(), id, nil, nil)
	require.Equal(t, fault.NotFound, fault.CodeOf(err))
}

func kindsOf(g engine.Graph) string {
	var kinds []string
	for _, n := range g.Nodes {
		kinds = append(kinds, n.Kind)
	}
	return strings.Join(kinds, " ")
}
