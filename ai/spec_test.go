package ai_test

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/lejek/lejek/ai"
	"github.com/lejek/lejek/engine"
	"github.com/stretchr/testify/require"
)

func compile(t *testing.T, plan string) ai.Draft {
	t.Helper()
	spec, err := ai.DecodeSpec([]byte(plan))
	require.NoError(t, err)
	return ai.Compile(spec, ai.Setting{Kinds: catalogue()})
}

// plan wraps blocks into a plan that starts by hand.
func plan(blocks string) string {
	return `{"status":"graph","lang":"en","plan":"","assumptions":[],"questions":[],"reason":null,"trigger":{"kind":"manual","ref":null,"when":null,"offset_days":null},"reentry":"never","reentry_days":null,"blocks":[` + blocks + `],"messages":[]}`
}

func kinds(d ai.Draft) string {
	var out []string
	for _, n := range d.Bundle.Graph.Nodes {
		out = append(out, n.ID)
	}
	return strings.Join(out, " ")
}

func codes(problems []engine.Problem) []string {
	out := []string{}
	for _, p := range problems {
		out = append(out, p.Code)
	}
	return out
}

func TestTheSchemaFollowsTheCatalogue(t *testing.T) {
	t.Parallel()
	schema := catalogue().Schema()
	require.True(t, json.Valid(schema))
	golden := "testdata/flowspec.schema.golden.json"
	if os.Getenv("UPDATE_GOLDEN") != "" {
		require.NoError(t, os.WriteFile(golden, append(schema, '\n'), 0o600))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	require.Equal(t, strings.TrimSpace(string(want)), string(schema), "the schema changed with the catalogue: look at it, then UPDATE_GOLDEN=1 go test ./ai")

	c := engine.Catalogue()
	more := ai.NewKinds(append(c.Nodes,
		engine.Kind{Kind: "sluice", Ports: []engine.PortSpec{{ID: "next"}}, Fields: []engine.Field{
			{Key: "max", Type: engine.TypeNumber, Required: true}, {Key: "per", Type: engine.TypeSelect, Options: []engine.Option{{Value: "hour"}, {Value: "day"}}, Default: "hour"}}},
	), append(c.Triggers, engine.Kind{Kind: "segment_enter", Fields: []engine.Field{{Key: "segment", Type: engine.TypeRef, Of: "segment"}}}))
	schema = more.Schema()
	require.Contains(t, string(schema), `"send":{"type":"string","enum":["send_email","send_sms","send_push","send_letter"]}`)
	require.Contains(t, string(schema), `{"sluice":{"type":"string","enum":["sluice"]},"max":{"type":"number"},"per":{"type":"string","enum":["hour","day"]}`)
	require.Contains(t, string(schema), `"segment_enter"`)

	spec, err := ai.DecodeSpec([]byte(strings.Replace(plan(`{"id":"main","steps":[{"sluice":"sluice","max":500,"per":"day","id":"t"}],"next":null}`), `"manual","ref":null`, `"segment_enter","ref":"Silent"`, 1)))
	require.NoError(t, err)
	d := ai.Compile(spec, ai.Setting{Kinds: more})
	require.Equal(t, "entry sluice-1", kinds(d))
	require.JSONEq(t, `{"max":500,"per":"day"}`, string(d.Bundle.Graph.Nodes[1].Config))
	require.Contains(t, string(d.Bundle.Graph.Nodes[0].Config), `"segment":"segment:silent"`)
}

func TestAStepThatCannotBeDrawnIsSaidAndNeverABrokenNode(t *testing.T) {
	t.Parallel()
	d := compile(t, plan(`{"id":"main","steps":[{"send":"send_sms","message":"m1","id":"s1"},{"notify":"notify_team","to":"sales@acme.example","text":"hot","id":"n1"},{"limit":"quiet_hours","max":null,"per":"none","frm":"21:00","to":"08:00","id":"q"},{"call":"http_request","url":"https://crm.example/leads","id":"h"},{"wait":"days","n":1,"id":"w"},{"tag":"add_tag","name":"VIP клиент","id":"t"}],"next":null}`))
	require.Equal(t, "entry sms-1 notify-team-1 quiet-hours-1 http-request-1 wait-1 tag-1", kinds(d))
	require.JSONEq(t, `{"from":"21:00","to":"08:00"}`, string(d.Bundle.Graph.Nodes[3].Config))
	require.Empty(t, d.Problems)

	few := ai.NewKinds(slices.DeleteFunc(slices.Clone(engine.Catalogue().Nodes), func(k engine.Kind) bool {
		return k.Kind == "send_sms" || k.Kind == "notify_team"
	}), engine.Catalogue().Triggers)
	spec, err := ai.DecodeSpec([]byte(plan(`{"id":"main","steps":[{"send":"send_sms","message":"m1","id":"s1"},{"notify":"notify_team","to":"sales@acme.example","text":"hot","id":"n1"}],"next":null}`)))
	require.NoError(t, err)
	d = ai.Compile(spec, ai.Setting{Kinds: few})
	require.Equal(t, "entry mail-1", kinds(d), "what stands in for it, and what is left out")
	require.Contains(t, strings.Join(d.Notes, "\n"), "send an SMS")
	require.Contains(t, strings.Join(d.Notes, "\n"), "notify the team")
	require.Empty(t, d.Problems)
}

func TestPlansAreMended(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		blocks string
		nodes  string
		codes  []string
	}{
		"a wait of nothing goes":                 {`{"id":"a","steps":[{"wait":"days","n":0,"id":"w"},{"send":"send_email","message":"m","id":"s"}],"next":null}`, "entry mail-1", nil},
		"ids are given":                          {`{"id":"","steps":[{"send":"send_email","message":"m","id":""},{"send":"send_email","message":"n","id":""}],"next":null}`, "entry mail-1 mail-2", nil},
		"a way to nowhere ends the run":          {`{"id":"a","steps":[{"send":"send_email","message":"m","id":"s"}],"next":"nowhere"}`, "entry mail-1", []string{"EDGE_BROKEN"}},
		"end is the end":                         {`{"id":"a","steps":[{"send":"send_email","message":"m","id":"s"}],"next":"end"}`, "entry mail-1", nil},
		"two blocks of one id":                   {`{"id":"a","steps":[{"send":"send_email","message":"m","id":"s"}],"next":null},{"id":"a","steps":[],"next":null}`, "entry mail-1", []string{"ID_TWICE"}},
		"steps after a branch":                   {`{"id":"a","steps":[{"if":"tag","ref":"vip","op":"is","value":null,"yes":"end","no":"b","id":"c"},{"wait":"days","n":1,"id":"w"}],"next":null},{"id":"b","steps":[{"send":"send_email","message":"m","id":"s"}],"next":null}`, "entry check-1 mail-1", []string{"UNREACHABLE"}},
		"a block nothing leads to goes":          {`{"id":"a","steps":[{"send":"send_email","message":"m","id":"s"}],"next":null},{"id":"b","steps":[{"send":"send_email","message":"n","id":"t"}],"next":null}`, "entry mail-1", nil},
		"branches meet in a join":                {`{"id":"a","steps":[{"if":"tag","ref":"vip","op":"is","value":null,"yes":"b","no":"c","id":"i"}],"next":null},{"id":"b","steps":[{"wait":"days","n":1,"id":"w"}],"next":"c"},{"id":"c","steps":[{"send":"send_email","message":"m","id":"s"}],"next":null}`, "entry check-1 wait-1 mail-1 join-1", nil},
		"a loop leads back to its step, no join": {`{"id":"a","steps":[{"send":"send_email","message":"m","id":"s"},{"wait":"days","n":7,"id":"w"}],"next":"a"}`, "entry mail-1 wait-1", nil},
		"goals are lifted out, once":             {`{"id":"a","steps":[{"goal":"payment_made","ref":null,"id":"g"},{"send":"send_email","message":"m","id":"s"},{"goal":"payment_made","ref":null,"id":"h"}],"next":null}`, "entry mail-1 goal-1", nil},
		"a wait for an answer branches itself":   {`{"id":"a","steps":[{"send":"send_email","message":"m","id":"s"},{"wait_until":"link_clicked","ref":null,"timeout_h":48,"id":"w"},{"if":"link_clicked","ref":null,"op":"is","value":null,"yes":"end","no":"b","id":"i"}],"next":null},{"id":"b","steps":[{"send":"send_email","message":"n","id":"t"}],"next":null}`, "entry mail-1 wait-1 mail-2", nil},
		"one arm":                                {`{"id":"a","steps":[{"split":"split","arms":[{"label":"A","pct":30,"to":"b"}],"id":"x"}],"next":null},{"id":"b","steps":[{"send":"send_email","message":"m","id":"s"}],"next":null}`, "entry split-1 mail-1", []string{"SPLIT_WEIGHTS"}},
		"shares are scaled":                      {`{"id":"a","steps":[{"split":"split","arms":[{"label":"A","pct":33,"to":"b"},{"label":"B","pct":33,"to":"b"},{"label":"C","pct":33,"to":"b"}],"id":"x"}],"next":null},{"id":"b","steps":[{"send":"send_email","message":"m","id":"s"}],"next":null}`, "entry split-1 mail-1", nil},
		"tags need a name":                       {`{"id":"a","steps":[{"tag":"add_tag","name":" ","id":"t"},{"send":"send_email","message":"m","id":"s"}],"next":null}`, "entry mail-1", []string{"FIELD_REQUIRED"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := compile(t, plan(c.blocks))
			require.Equal(t, c.nodes, kinds(d))
			if c.codes == nil {
				c.codes = []string{}
			}
			require.Equal(t, c.codes, codes(d.Problems))
			for _, p := range engine.Validate(d.Bundle) {
				if p.Severity == engine.Error {
					require.Contains(t, []string{"SUBJECT_EMPTY", "BODY_EMPTY", "UNSUBSCRIBE_MISSING"}, p.Code, p.Message)
				}
			}
		})
	}
}

func TestReentryFollowsTheSemantics(t *testing.T) {
	t.Parallel()
	for reentry, want := range map[string]string{
		`"never","reentry_days":null`:                        `{"rule":"once"}`,
		`"always","reentry_days":null`:                       `{"rule":"after_exit"}`,
		`"after_days","reentry_days":90`:                     `{"rule":"after_exit","pause":{"amount":90,"unit":"days"}}`,
		`"restart","reentry_days":null`:                      `{"rule":"restart"}`,
		`"each","reentry_days":null,"reentry_key":"cart_id"`: `{"rule":"each","key":"cart_id"}`,
	} {
		body := strings.NewReplacer(`"never","reentry_days":null`, reentry, `"manual","ref":null`, `"api_event","ref":"cart_updated"`).Replace(plan(`{"id":"a","steps":[{"send":"send_email","message":"m","id":"s"}],"next":null}`))
		var config struct {
			Reentry json.RawMessage `json:"reentry"`
		}
		require.NoError(t, json.Unmarshal(compile(t, body).Bundle.Graph.Nodes[0].Config, &config))
		require.JSONEq(t, want, string(config.Reentry))
	}
}

func TestTheExampleOfTheFirstSchemaIsDrawnWhole(t *testing.T) {
	t.Parallel()
	example, err := os.ReadFile("testdata/flowspec.example.json")
	require.NoError(t, err)
	d := compile(t, string(example))
	require.Empty(t, d.Problems)
	require.Empty(t, d.Notes)
	require.Contains(t, string(d.Bundle.Graph.Nodes[0].Config), `"segment":"segment:inactive-90-days"`)
	require.Contains(t, kinds(d), "sms-1")
	require.Len(t, d.Bundle.Creatives, 5)
}

func TestWrongFormsAreNamed(t *testing.T) {
	t.Parallel()
	for reply, says := range map[string]string{
		``:                           "no JSON object",
		`[1,2]`:                      "no JSON object",
		`{"status":"maybe"}`:         "graph, clarify or refuse",
		`{"status":7}`:               "status",
		`{"status":"graph","blocks"`: "breaks off",
		plan(`{"id":"a","steps":[{"wait":"days","n":9e56,"id":"w"}],"next":null}`):                                                       "9e56",
		plan(`{"id":"a","steps":[{"wait":"days","n":1.5,"id":"w"}],"next":null}`):                                                        "1.5",
		plan(`{"id":"a","steps":[{"wait":"days","n":"two","id":"w"}],"next":null}`):                                                      "blocks[0].steps[0]",
		plan(`{"id":"a","steps":["wait"],"next":null}`):                                                                                  "must be an object",
		plan(`{"id":"a","steps":[{"id":"w"}],"next":null}`):                                                                              "none of the known first members",
		plan(`{"id":"a","steps":[` + strings.TrimSuffix(strings.Repeat(`{"wait":"days","n":1,"id":"w"},`, 200), ",") + `],"next":null}`): "more than",
		strings.Repeat(" ", 300<<10): "bytes long",
	} {
		_, err := ai.DecodeSpec([]byte(reply))
		require.ErrorContains(t, err, says)
	}
}

func FuzzDecodeAndCompile(f *testing.F) {
	example, err := os.ReadFile("testdata/flowspec.example.json")
	require.NoError(f, err)
	f.Add(string(example))
	f.Add(soundPlan)
	f.Add(loopPlan)
	for n := 0; n < len(soundPlan); n += 97 {
		f.Add(soundPlan[:n])
	}
	f.Add("```json\n" + soundPlan + "\n```")
	f.Fuzz(func(_ *testing.T, reply string) {
		spec, err := ai.DecodeSpec([]byte(reply))
		if err != nil {
			return
		}
		d := ai.Compile(spec, ai.Setting{Kinds: catalogue()})
		engine.Validate(d.Bundle)
		ai.Explain(d.Bundle, "pl")
	})
}

func FuzzOffline(f *testing.F) {
	for _, prompts := range asked {
		for _, p := range prompts {
			f.Add(p)
		}
	}
	for _, p := range []string{"day", "po 2", "'\"„", "3 emails 2-", "<!-- ", "за сутки", "%%% 5", "1,2,3,,4 days", "tag tag tag", "a\u0306\u0308", "\xff\xfe"} {
		f.Add(p)
	}
	f.Fuzz(func(t *testing.T, prompt string) {
		got := ai.DraftOffline(ai.Request{Prompt: prompt}, catalogue())
		require.Contains(t, []ai.Status{ai.StatusGraph, ai.StatusClarify, ai.StatusRefuse}, got.Outcome)
		require.Empty(t, ai.Errors(got.Problems), "%q", prompt)
		if got.Outcome == ai.StatusGraph {
			_, err := engine.Compile(got.Bundle())
			require.NoError(t, err)
		}
	})
}
