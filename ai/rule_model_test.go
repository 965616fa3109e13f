package ai_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/ai"
	"github.com/lejek/lejek/ai/aitest"
	"github.com/lejek/lejek/engine"
)

// asRule is a rule as a model writes it, in one group.
func asRule(conditions string) string {
	return `{"name":"loyal people","match":"all","groups":[{"match":"all","conditions":[` + conditions + `]}],"assumptions":[],"not_understood":[]}`
}

const (
	boughtTwice = `{"event":"payment_made","not":false,"agg":"count","property":null,"op":"gte","value":"2","within_n":90,"within_unit":"days","because":"bought twice in 90 days"}`
	inKrakow    = `{"field":"city","not":false,"op":"is","value":"Kraków","because":"from Kraków"}`
	noSuchTag   = `{"tag":"golden","not":true,"because":"not golden"}`
)

func who(t *testing.T, prompt string, servers ...*aitest.Server) ai.RuleDraft {
	t.Helper()
	return drafter(servers...).Rule(t.Context(), ai.Request{Prompt: prompt, Workspace: shop()})
}

func TestAModelReadsWhoIsMeantAndTheRuleIsJudged(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ prompt, reply, rule string }{
		"both": {"bought twice in 90 days and from Kraków", asRule(boughtTwice + "," + inKrakow),
			`{"all":[{"event":{"name":"payment_made","agg":"count","op":"gte","value":2,"within":{"amount":90,"unit":"days"}}},{"field":"city","op":"is","value":"Kraków"}]}`},
		"groups": {"Kraków or Gdynia, and vip", `{"name":"x","match":"all","groups":[{"match":"any","conditions":[` + inKrakow + `,{"field":"city","not":false,"op":"is","value":"Gdynia","because":"Gdynia"}]},{"match":"all","conditions":[{"tag":"vip","not":false,"because":"vip"}]}],"assumptions":["vip is the tag"],"not_understood":[]}`,
			`{"all":[{"any":[{"field":"city","op":"is","value":"Kraków"},{"field":"city","op":"is","value":"Gdynia"}]},{"tag":"tag:vip"}]}`},
		"values": {"over 12.5 points, from Kraków or Gdynia, not on the newsletter", asRule(`{"field":"points","not":false,"op":"gt","value":"12.5","because":"over 12.5 points"},{"field":"city","not":false,"op":"in","value":"Kraków | Gdynia","because":"from Kraków or Gdynia"},{"list":"newsletter","not":true,"because":"not on the newsletter"}`),
			`{"all":[{"field":"points","op":"gt","value":12.5},{"field":"city","op":"in","value":["Kraków","Gdynia"]},{"not":{"list":"list:newsletter"}}]}`},
		"a day": {"came in the last 2 weeks and allow sms", asRule(`{"field":"created_at","not":false,"op":"within_last","value":"2 weeks","because":"came in the last 2 weeks"},{"consent":"sms","not":false,"state":"granted","because":"allow sms"}`),
			`{"all":[{"field":"created_at","op":"within_last","value":{"amount":2,"unit":"weeks"}},{"consent":{"channel":"sms","state":"granted"}}]}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, aitest.Says(c.reply))
			got := who(t, c.prompt, s)
			require.JSONEq(t, c.rule, string(got.Rule))
			require.Equal(t, "first", got.Engine)
			require.Empty(t, got.Ignored)
			require.Len(t, s.Asked(), 1)
			rule, problems := engine.DecodeRule(got.Rule)
			require.Empty(t, problems)
			require.Empty(t, rule.Check(engine.RuleScope{Workspace: shop()}))
		})
	}
	asked := serve(t, aitest.Says(asRule(inKrakow)))
	who(t, "from Kraków", asked)
	require.Contains(t, asked.Plans()[0].User, "cart_updated", "the names of the workspace go along")
	require.Contains(t, asked.Plans()[0].User, `"points":"number"`)
	require.Contains(t, asked.Plans()[0].User, `<properties>{"cart_updated":["total"]}</properties>`)
}

func TestARuleIsSentBackOnceAndWhatStillDoesNotHoldIsToldToThePerson(t *testing.T) {
	t.Parallel()
	const prompt = "bought twice in 90 days and not golden"
	s := serve(t, aitest.Says(asRule(boughtTwice+","+noSuchTag)), aitest.Says(asRule(boughtTwice+`,{"tag":"vip","not":true,"because":"not golden"}`)))
	got := who(t, prompt, s)
	require.Contains(t, string(got.Rule), `"tag:vip"`)
	require.Empty(t, got.Ignored)
	require.Contains(t, s.Plans()[1].User, "REF_MISSING")

	s = serve(t, aitest.Says(asRule(boughtTwice+","+noSuchTag)))
	got = who(t, prompt, s)
	require.Len(t, s.Plans(), 2, "one round of repair")
	require.JSONEq(t, `{"event":{"name":"payment_made","agg":"count","op":"gte","value":2,"within":{"amount":90,"unit":"days"}}}`, string(got.Rule))
	require.Equal(t, []string{"not golden (there is no such tag here: golden)"}, got.Ignored)

	s = serve(t, aitest.Says(asRule(boughtTwice+","+noSuchTag)), aitest.Status(500))
	require.NotNil(t, who(t, prompt, s).Rule, "what holds stands, whatever happens to the repair")

	s = serve(t, aitest.Says(asRule(inKrakow)))
	got = who(t, "from Kraków, bought 7 times", s)
	require.Contains(t, s.Plans()[1].User, "NUMBER_LOST", "a number of the sentence has to be in the rule")
	require.Equal(t, []string{"7"}, got.Ignored)

	s = serve(t, aitest.Says(`{"name":"","match":"all","groups":[],"assumptions":[],"not_understood":["people who are nice"]}`))
	got = who(t, "people who are nice", s)
	require.Nil(t, got.Rule)
	require.Equal(t, []string{"people who are nice"}, got.Ignored)
	require.Equal(t, "first", got.Engine)
}

func TestARuleThatAModelCannotReadIsReadByTheBuiltInReaderOrTheReserve(t *testing.T) {
	t.Parallel()
	for name, reply := range map[string]aitest.Reply{
		"401": aitest.Status(401), "429": aitest.RateLimited(9), "500": aitest.Status(500), "hang": aitest.Hang(), "cut off": aitest.CutOff(), "prose": aitest.Says("Happy to help!"),
		"nonsense": aitest.Says(asRule(`{"field":"points","not":false,"op":"gt","value":"NaN","because":"x"}`)), "empty": aitest.NoChoices(),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := who(t, "bought twice in 90 days", serve(t, reply))
			require.Equal(t, ai.Offline, got.Engine)
			require.NotNil(t, got.Rule)
			require.Contains(t, got.Notes[0], "No AI model was used")
			got = who(t, "bought twice in 90 days", serve(t, reply), serve(t, aitest.Says(asRule(boughtTwice))))
			require.Equal(t, "second", got.Engine)
			require.Contains(t, got.Notes[0], "the reserve second did")
		})
	}
	reserve := serve(t, aitest.Says(asRule(boughtTwice)))
	got := who(t, "bought twice in 90 days", serve(t, aitest.Refusal("No.")), reserve)
	require.Nil(t, got.Rule)
	require.Contains(t, got.Notes[0], "declined")
	require.Empty(t, reserve.Asked())
}
