package ai_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/ai"
	"github.com/lejek/lejek/engine"
)

func TestASentenceBecomesARule(t *testing.T) {
	t.Parallel()
	const (
		twice = `{"event":{"name":"payment_made","agg":"count","op":"gte","value":2,"within":{"amount":90,"unit":"days"}}}`
		not30 = `{"not":{"event":{"name":"payment_made","agg":"count","op":"gte","value":1,"within":{"amount":30,"unit":"days"}}}}`
	)
	ws := &engine.Workspace{
		Tags: []string{"vip", "b2b"}, Lists: []string{"newsletter"}, Segments: []string{"stali-klienci"},
		Fields: []engine.ContactField{{Key: "city", Type: "text", Label: "City"}, {Key: "miasto", Type: "text", Label: "Miasto"}, {Key: "points", Type: "number", Label: "Points"}},
		Events: map[string][]string{"trial_started": nil},
	}
	for prompt, want := range map[string]string{
		"people who bought twice in 90 days but not in the last 30":                 `{"all":[` + twice + `,` + not30 + `]}`,
		"bought twice in 90 days but not in the last 30 days":                       `{"all":[` + twice + `,` + not30 + `]}`,
		"kupili dwa razy w ciągu 90 dni, ale nie w ciągu ostatnich 30 dni":          `{"all":[` + twice + `,` + not30 + `]}`,
		"kto kupil co najmniej 2 razy w ciagu 90 dni ale nie przez ostatnie 30 dni": `{"all":[` + twice + `,` + not30 + `]}`,
		"те, кто покупал дважды за 90 дней, но не за последние 30 дней":             `{"all":[` + twice + `,` + not30 + `]}`,
		"opened a mail in the last 2 weeks":                                         `{"event":{"name":"message_opened","agg":"count","op":"gte","value":1,"within":{"amount":14,"unit":"days"}}}`,
		"clicked more than 3 times in 30 days":                                      `{"event":{"name":"link_clicked","agg":"count","op":"gt","value":3,"within":{"amount":30,"unit":"days"}}}`,
		"with tag vip and not on the list newsletter":                               `{"all":[{"tag":"tag:vip"},{"not":{"list":"list:newsletter"}}]}`,
		"z tagiem vip":                                      `{"tag":"tag:vip"}`,
		"z segmentu stałych klientów":                       `{"segment":"segment:stali-klienci"}`,
		"city is Kraków":                                    `{"field":"city","op":"is","value":"Kraków"}`,
		"miasto Nowy Sącz i kupili w ciągu 30 dni":          `{"all":[{"field":"miasto","op":"is","value":"Nowy Sącz"},{"event":{"name":"payment_made","agg":"count","op":"gte","value":1,"within":{"amount":30,"unit":"days"}}}]}`,
		"trial_started in the last 7 days but never bought": `{"all":[{"event":{"name":"trial_started","agg":"count","op":"gte","value":1,"within":{"amount":7,"unit":"days"}}},{"not":{"event":{"name":"payment_made","agg":"count","op":"gte","value":1}}}]}`,
		"points more than 40":                               `{"field":"points","op":"gt","value":40}`,
	} {
		got := ai.DraftRule(ai.Request{Prompt: prompt, Workspace: ws})
		if !assertJSON(t, want, string(got.Rule), prompt) {
			t.Log(got.Ignored)
		}
		require.Equal(t, ai.Offline, got.Engine)
	}
}

func TestWhoBoughtIsReadByTheEventTheWorkspaceRecords(t *testing.T) {
	t.Parallel()
	ws := &engine.Workspace{Events: map[string][]string{"cart_updated": nil, "order_placed": {"currency", "total"}}}
	for prompt, want := range map[string]string{
		"bought 3 times in 90 days":          `{"event":{"name":"order_placed","agg":"count","op":"gte","value":3,"within":{"amount":90,"unit":"days"}}}`,
		"kupili 3 razy w ciągu 90 dni":       `{"event":{"name":"order_placed","agg":"count","op":"gte","value":3,"within":{"amount":90,"unit":"days"}}}`,
		"покупали 3 раза за 90 дней":         `{"event":{"name":"order_placed","agg":"count","op":"gte","value":3,"within":{"amount":90,"unit":"days"}}}`,
		"bought for more than 500 in a year": `{"event":{"name":"order_placed","agg":"sum","property":"total","op":"gt","value":500,"within":{"amount":365,"unit":"days"}}}`,
	} {
		assertJSON(t, want, string(ai.DraftRule(ai.Request{Prompt: prompt, Workspace: ws}).Rule), prompt)
	}
}

func assertJSON(t *testing.T, want, got, about string) bool {
	t.Helper()
	if got == "" {
		t.Errorf("%s: nothing was understood", about)
		return false
	}
	return assert.JSONEq(t, want, got, about)
}

func TestWhatASentenceSaysBeyondConditionsIsTold(t *testing.T) {
	t.Parallel()
	got := ai.DraftRule(ai.Request{Prompt: "people who bought in 30 days and love purple elephants"})
	require.NotNil(t, got.Rule)
	require.Contains(t, got.Ignored, "love purple elephants")
	got = ai.DraftRule(ai.Request{Prompt: "nice folks"})
	require.Nil(t, got.Rule)
	require.NotEmpty(t, got.Ignored)
}
