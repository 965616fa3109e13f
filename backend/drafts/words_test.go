package drafts_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/ai"
	"github.com/lejek/lejek/ai/aitest"
	"github.com/lejek/lejek/backend/config"
	"github.com/lejek/lejek/backend/drafts"
	"github.com/lejek/lejek/backend/fault"
)

const (
	thanks = `{"subject":"Thank you","preheader":"From us","body":"Hi {{ first_name | default(\"there\") }},\n\nthank you for your order. Tell us how you like it.","cta_label":null,"cta_url":null,"left_out":[]}`
	vips   = `{"name":"best people","match":"all","groups":[{"match":"all","conditions":[{"event":"payment_made","not":false,"agg":"count","property":null,"op":"gte","value":"2","within_n":90,"within_unit":"days","because":"bought twice in 90 days"}]}],"assumptions":[],"not_understood":[]}`
	buyers = "bought twice in 90 days"
)

func TestWordsAndRulesOfAModelAreReservedSettledAndKeptAccountOf(t *testing.T) {
	t.Parallel()
	dead, live := serve(t, aitest.Status(500)), serve(t, aitest.Says(thanks), aitest.Says(vips))
	d, workspace := setup(t, config.AI{Endpoint: at(dead, "first"), Reserve: at(live, "second")})
	words, err := d.Words(t.Context(), drafts.WordsRequest{Workspace: workspace, Prompt: "thank them for the order of anna@example.com", Channel: "email"})
	require.NoError(t, err)
	require.Equal(t, "second", words.Engine)
	require.Equal(t, "Thank you", words.Creative.Subject)
	rule, err := d.Rule(t.Context(), workspace, nil, buyers, "en")
	require.NoError(t, err)
	require.Equal(t, "second", rule.Engine)
	require.Contains(t, string(rule.Rule), "payment_made")
	require.Equal(t, "{message,rule}", row[string](t, d, "SELECT array_agg(op ORDER BY created_at)::text FROM ai_calls WHERE workspace_id = $1 AND model = 'second' AND task_id IS NULL", workspace))
	require.Equal(t, int64(300), row[int64](t, d, "SELECT sum(charged)::bigint FROM ai_ledger WHERE workspace_id = $1 AND task_id IS NULL AND settled_at IS NOT NULL", workspace))
	kept := row[string](t, d, "SELECT string_agg(c::text, '|') FROM ai_calls c WHERE workspace_id = $1", workspace)
	require.NotContains(t, kept, "very-secret")
	require.NotContains(t, kept, "anna", "the log holds nothing of the sentence")
}

func TestWordsThatAreNotDeliveredCostNothingAndABudgetOrAWorkspaceMayKeepModelsAway(t *testing.T) {
	t.Parallel()
	s := serve(t, aitest.Says("no words at all"))
	d, workspace := setup(t, config.AI{Endpoint: at(s, "first")})
	ask := func(prompt string) ai.Words {
		t.Helper()
		got, err := d.Words(t.Context(), drafts.WordsRequest{Workspace: workspace, Prompt: prompt, Channel: "sms", Language: "en"})
		require.NoError(t, err)
		return got
	}
	require.Equal(t, ai.Offline, ask("thank them for the order").Engine)
	require.Positive(t, row[int64](t, d, "SELECT used FROM ai_ledger WHERE workspace_id = $1", workspace))
	require.Zero(t, row[int64](t, d, "SELECT charged FROM ai_ledger WHERE workspace_id = $1", workspace))

	asked := len(s.Asked())
	require.NoError(t, d.SaveBudget(t.Context(), workspace, drafts.Budget{DayTokens: 100, MonthTokens: 1000, UserMinute: 9}))
	got := ask("tell them that the lift is broken")
	require.Equal(t, "quota", got.Why)
	require.Contains(t, got.Message, "budget for models is used up")
	rule, err := d.Rule(t.Context(), workspace, nil, buyers, "en")
	require.NoError(t, err)
	require.Equal(t, "quota", rule.Why)
	require.NotNil(t, rule.Rule)
	require.NoError(t, d.SaveBudget(t.Context(), workspace, drafts.Budget{ModelsOff: true, DayTokens: 1e6, MonthTokens: 1e6, UserMinute: 9}))
	require.Equal(t, "off", ask("thank them for the order").Why)
	require.Len(t, s.Asked(), asked, "nobody was asked")

	require.NoError(t, d.SaveBudget(t.Context(), workspace, drafts.Budget{DayTokens: 1e6, MonthTokens: 1e6, UserMinute: 4}))
	me := uuid.New()
	for range 4 {
		_, err = d.Rule(t.Context(), workspace, &me, buyers, "en")
		require.NoError(t, err)
	}
	_, err = d.Rule(t.Context(), workspace, &me, buyers, "en")
	require.Equal(t, fault.RateLimited, fault.CodeOf(err), "a person asks so often and no oftener")
}

func TestWithoutAModelWordsSayWhatToSetUp(t *testing.T) {
	t.Parallel()
	d, workspace := setup(t, config.AI{})
	got, err := d.Words(t.Context(), drafts.WordsRequest{Workspace: workspace, Prompt: "napisz, że winda nie działa", Channel: "email"})
	require.NoError(t, err)
	require.Nil(t, got.Creative)
	require.Equal(t, "no_key", got.Why)
	require.Contains(t, got.Message, "podłącz model w Ustawieniach")
	for _, bad := range []string{"", " \n", "a\x00b", "\xff"} {
		_, err = d.Words(t.Context(), drafts.WordsRequest{Workspace: workspace, Prompt: bad, Channel: "email"})
		require.Equal(t, fault.Invalid, fault.CodeOf(err), "%q", bad)
	}
}
