package drafts_test

import (
	"context"
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/ai/aitest"
	"github.com/lejek/lejek/backend/config"
	"github.com/lejek/lejek/backend/drafts"
	"github.com/lejek/lejek/backend/store/storetest"
	"github.com/lejek/lejek/backend/tasks"
	"github.com/lejek/lejek/backend/wording"
	"github.com/lejek/lejek/engine"
)

const cities = 37

// greeted is a graph whose one step greets people by their city, over everybody who is added to a list.
func greeted(trigger string) engine.Graph {
	return engine.Graph{Schema: 1, Nodes: []engine.Node{
		{ID: "in", Kind: "entry", Config: json.RawMessage(`{"triggers": [` + trigger + `]}`)},
		{ID: "ai", Kind: "ai_generate", Config: json.RawMessage(`{"variables": [{"name": "hi", "instruction": "Greet", "max": 60, "fallback": "Hello"}], "attributes": ["field:city"], "texts": "approved"}`)},
	}}
}

// greets writes a text from what it is told of the person.
func greets(w http.ResponseWriter, r *http.Request, asked aitest.Asked) {
	var told struct {
		Person map[string]string `json:"person"`
	}
	_ = json.Unmarshal([]byte(asked.User), &told) // a broken question gets an empty greeting
	aitest.Says(`{"hi": "Hello from `+told.Person["city"]+`"}`)(w, r, asked)
}

func TestTextsAreReckonedWrittenInAdvanceByTheWorkspacesOwnModelAndApproved(t *testing.T) {
	t.Parallel()
	model := aitest.Start(greets)
	t.Cleanup(model.Close)
	installation := aitest.Start(greets)
	t.Cleanup(installation.Close)
	ctx := t.Context()
	d, desk, workspace := setupDesk(t, config.AI{Endpoint: config.Endpoint{BaseURL: installation.URL, Model: "house"}})
	registry := prometheus.NewRegistry()
	d.Metrics = drafts.NewMetrics(registry, d.Drafter)
	funnel := uuid.New()
	desk.Draft = func(context.Context, uuid.UUID, uuid.UUID) (engine.Graph, error) {
		return greeted(`{"kind": "list_join", "list": "list:news"}`), nil
	}
	_, err := d.DB.Exec(ctx, `INSERT INTO contacts (workspace_id, id, external_id, first_name, last_name, name_folded, last_name_folded, zone, language, fields, tags, lists, source, created_at, updated_at)
		SELECT $1, gen_random_uuid(), 'p' || i, '', '', '', '', '', '', jsonb_build_object('city', CASE WHEN i % 2 = 0 THEN 'City ' ELSE ' City  ' END || i % $2), '{}',
			CASE WHEN i <= 1000 THEN ARRAY['news'] ELSE '{}' END, 'test', $3, $3 FROM generate_series(1, 2000) AS i`, workspace, cities, storetest.Now)
	require.NoError(t, err)

	steps, err := desk.Steps(ctx, workspace, funnel)
	require.NoError(t, err)
	require.Len(t, steps, 1)
	require.Equal(t, cities, steps[0].Total, "white space makes no other combination")
	require.Equal(t, 1000, steps[0].People, "only who can come in by the list counts")
	require.Equal(t, cities, steps[0].Calls)
	require.Nil(t, steps[0].Cost, "nobody entered a price")
	require.Equal(t, "city", steps[0].Widest)

	require.NoError(t, d.SaveEndpoint(ctx, workspace, drafts.Primary, drafts.EndpointInput{BaseURL: model.URL, Model: "own-model", PriceIn: new(1.0), PriceOut: new(2.0)}))
	steps, err = desk.Steps(ctx, workspace, funnel)
	require.NoError(t, err)
	require.InDelta(t, float64(steps[0].In)/1e6+2*float64(steps[0].Out)/1e6, *steps[0].Cost, 1e-9)

	task, err := desk.Start(ctx, workspace, funnel, "ai", nil)
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		task, err = d.Tasks.Get(ctx, workspace, task.ID)
		return err == nil && task.State == tasks.Done
	}, 20*time.Second, 10*time.Millisecond)
	require.JSONEq(t, `{"written": 37, "missing": 0}`, string(task.Result))
	require.Len(t, model.Asked(), cities, "one call for each combination")
	require.Empty(t, installation.Asked(), "the workspace's own model is asked, and no other")

	steps, err = desk.Steps(ctx, workspace, funnel)
	require.NoError(t, err)
	require.Equal(t, map[string]int{wording.Waiting: cities}, steps[0].States)
	require.Zero(t, steps[0].Calls)
	first, second := steps[0].Variants[0], steps[0].Variants[1]
	require.Equal(t, "Hello from "+first.Values["city"].(string), first.Texts["hi"])
	changed, err := desk.Judge(ctx, workspace, funnel, "ai", first.ID, wording.Judgement{State: wording.Approved, Texts: map[string]string{"hi": "Better by hand"}})
	require.NoError(t, err)
	require.Equal(t, "Better by hand", changed.Texts["hi"])
	_, err = desk.Judge(ctx, workspace, funnel, "ai", second.ID, wording.Judgement{State: wording.Refused})
	require.NoError(t, err)
	_, err = desk.Judge(ctx, workspace, funnel, "ai", second.ID, wording.Judgement{State: wording.Approved, Texts: map[string]string{"hi": "<b>bold</b>"}})
	require.ErrorContains(t, err, "no plain text")
	n, err := desk.ApproveAll(ctx, workspace, funnel, "ai", nil)
	require.NoError(t, err)
	require.Equal(t, cities-2, n)
	steps, err = desk.Steps(ctx, workspace, funnel)
	require.NoError(t, err)
	require.Equal(t, map[string]int{wording.Approved: cities - 1, wording.Refused: 1}, steps[0].States)

	usage, err := d.Usage(ctx, workspace)
	require.NoError(t, err)
	require.Len(t, usage, 1)
	require.Equal(t, cities, usage[0].Calls)
	require.Equal(t, "own-model", usage[0].Model)
	counted, err := registry.Gather()
	require.NoError(t, err)
	names := map[string]float64{}
	for _, family := range counted {
		if c := family.GetMetric()[0].GetCounter(); c != nil {
			names[family.GetName()] = c.GetValue()
		} else {
			names[family.GetName()] = family.GetMetric()[0].GetGauge().GetValue()
		}
	}
	require.InDelta(t, cities, names["lejek_ai_calls_total"], 0)
	require.Contains(t, names, "lejek_ai_breaker_open")
	require.Contains(t, names, "lejek_ai_tokens_total")
}

func TestAWorkspaceThatSendsNothingToModelsHasNoTextsWritten(t *testing.T) {
	t.Parallel()
	model := aitest.Start(greets)
	t.Cleanup(model.Close)
	d, desk, workspace := setupDesk(t, config.AI{Endpoint: config.Endpoint{BaseURL: model.URL, Model: "house"}})
	desk.Draft = func(context.Context, uuid.UUID, uuid.UUID) (engine.Graph, error) {
		return greeted(`{"kind": "manual"}`), nil
	}
	budget := drafts.Usual
	budget.ModelsOff = true
	require.NoError(t, d.SaveBudget(t.Context(), workspace, budget))
	_, err := desk.Start(t.Context(), workspace, uuid.New(), "ai", nil)
	require.ErrorContains(t, err, "sends nothing to models")
	require.Empty(t, model.Asked())
}

func TestARuleIsReadWithTheNamesOfTheWorkspace(t *testing.T) {
	t.Parallel()
	d, workspace := setup(t, config.AI{})
	_, err := d.DB.Exec(t.Context(), "INSERT INTO tags (workspace_id, slug, name, created_at) VALUES ($1, 'stali-klienci', 'Stali klienci', $2)", workspace, storetest.Now)
	require.NoError(t, err)
	got, err := d.Rule(t.Context(), workspace, nil, "z tagiem stałych klientów i kupili w ciągu 30 dni", "pl")
	require.NoError(t, err)
	require.JSONEq(t, `{"all":[{"tag":"tag:stali-klienci"},{"event":{"name":"payment_made","agg":"count","op":"gte","value":1,"within":{"amount":30,"unit":"days"}}}]}`, string(got.Rule))
	require.Empty(t, got.Ignored)
	_, err = d.Rule(t.Context(), workspace, nil, "  ", "pl")
	require.ErrorContains(t, err, "Say in a sentence")
}
