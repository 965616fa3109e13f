package engine

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var noon = time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)

func mustRule(t testing.TB, text string) *CompiledRule {
	t.Helper()
	rule, problems := DecodeRule([]byte(text))
	require.Empty(t, problems, text)
	compiled, err := rule.Compile()
	require.NoError(t, err, text)
	return compiled
}

func anna() *Contact {
	day := 24 * time.Hour
	return &Contact{
		Fields: map[string]any{
			"first_name": "Anna", "last_name": "", "city": "KRAKÓW", "score": 50.0, "vip": true, "newsletter": false,
			"birthday": "1990-05-14", "created_at": noon.Add(-90 * day), "renews": "2026-12-04T00:00:00Z", "zip": "00123",
		},
		Tags: []string{"vip"}, Lists: []string{"newsletter"}, Segments: []string{"silent-90"},
		Consents: []Consent{{Channel: "email", State: "granted"}, {Channel: "email", Topic: "news", State: "denied"}},
		Events: []Event{
			{Name: "purchase", At: noon.Add(-200 * day), Props: map[string]any{"total": 10.0, "cart": map[string]any{"kind": "Gift"}}},
			{Name: "purchase", At: noon.Add(-30 * day), Props: map[string]any{"total": 300.5, "paid": true}},
			{Name: "purchase", At: noon.Add(-29 * day), Props: map[string]any{"total": "12"}},
			{Name: "visit", At: noon},
		},
		Messages: map[string][]Event{"mail-1": {{Name: "message_sent"}, {Name: "message_opened"}}},
	}
}

func TestRulesAreTwoValued(t *testing.T) {
	t.Parallel()
	in := RuleInput{Now: noon, Contact: anna(), Event: map[string]any{"total": 99.0, "cart": map[string]any{"id": "c1"}}, Vars: map[string]any{"code": "X1"}}
	for rule, want := range map[string]bool{
		`{"field":"city","op":"is","value":"kraków"}`:                                       true,
		`{"field":"city","op":"is_not","value":"Kraków"}`:                                   false,
		`{"field":"town","op":"is","value":"Kraków"}`:                                       false,
		`{"field":"town","op":"is_not","value":"Kraków"}`:                                   true,
		`{"not":{"field":"town","op":"is","value":"Kraków"}}`:                               true,
		`{"field":"city","op":"contains","value":"AKÓ"}`:                                    true,
		`{"field":"city","op":"not_contains","value":"x"}`:                                  true,
		`{"field":"town","op":"not_contains","value":"x"}`:                                  true,
		`{"field":"city","op":"starts_with","value":"kra"}`:                                 true,
		`{"field":"city","op":"ends_with","value":"KÓW"}`:                                   true,
		`{"field":"city","op":"in","value":["Łódź","Kraków"]}`:                              true,
		`{"field":"city","op":"not_in","value":["Łódź","Kraków"]}`:                          false,
		`{"field":"town","op":"not_in","value":["Łódź"]}`:                                   true,
		`{"field":"score","op":"in","value":[1,50]}`:                                        true,
		`{"field":"score","op":"is","value":50}`:                                            true,
		`{"field":"score","op":"gt","value":50}`:                                            false,
		`{"field":"score","op":"gte","value":50}`:                                           true,
		`{"field":"score","op":"lt","value":50}`:                                            false,
		`{"field":"score","op":"lte","value":50}`:                                           true,
		`{"field":"nothing","op":"lt","value":50}`:                                          false,
		`{"field":"score","op":"between","value":[50,60]}`:                                  true,
		`{"field":"score","op":"between","value":[51,60]}`:                                  false,
		`{"field":"zip","op":"gt","value":5}`:                                               false,
		`{"field":"zip","op":"is","value":"00123"}`:                                         true,
		`{"field":"vip","op":"is_true"}`:                                                    true,
		`{"field":"newsletter","op":"is_false"}`:                                            true,
		`{"field":"nothing","op":"is_false"}`:                                               false,
		`{"field":"vip","op":"is","value":true}`:                                            true,
		`{"field":"last_name","op":"is_set"}`:                                               false,
		`{"field":"last_name","op":"is_not_set"}`:                                           true,
		`{"field":"first_name","op":"is_set"}`:                                              true,
		`{"field":"birthday","op":"is","value":"1990-05-14"}`:                               true,
		`{"field":"birthday","op":"before","value":"1990-05-14"}`:                           false,
		`{"field":"birthday","op":"before","value":"1990-05-15"}`:                           true,
		`{"field":"birthday","op":"after","value":"1990-05-14"}`:                            false,
		`{"field":"birthday","op":"after","value":"1990-05-13"}`:                            true,
		`{"field":"birthday","op":"between","value":["1990-05-01","1990-05-14"]}`:           true,
		`{"field":"birthday","op":"lte","value":"1990-05-14"}`:                              true,
		`{"field":"created_at","op":"within_last","value":{"amount":90,"unit":"days"}}`:     false,
		`{"field":"created_at","op":"within_last","value":{"amount":91,"unit":"days"}}`:     true,
		`{"field":"created_at","op":"not_within_last","value":{"amount":90,"unit":"days"}}`: true,
		`{"field":"nothing","op":"not_within_last","value":{"amount":90,"unit":"days"}}`:    true,
		`{"field":"renews","op":"in_next","value":{"amount":3,"unit":"days"}}`:              true,
		`{"field":"renews","op":"in_next","value":{"amount":2,"unit":"days"}}`:              false,
		`{"field":"event.total","op":"gte","value":99}`:                                     true,
		`{"field":"event.cart.id","op":"is","value":"C1"}`:                                  true,
		`{"field":"vars.code","op":"is","value":"x1"}`:                                      true,
		`{"tag":"tag:vip"}`:                                 true,
		`{"tag":"tag:new"}`:                                 false,
		`{"list":"list:newsletter"}`:                        true,
		`{"segment":"segment:silent-90"}`:                   true,
		`{"consent":{"channel":"email","state":"granted"}}`: true,
		`{"consent":{"channel":"email","topic":"topic:news","state":"denied"}}`:                                    true,
		`{"consent":{"channel":"sms","state":"unknown"}}`:                                                          true,
		`{"message":{"step":"mail-1","did":"opened"}}`:                                                             true,
		`{"message":{"step":"mail-1","did":"clicked"}}`:                                                            false,
		`{"event":{"name":"purchase"}}`:                                                                            true,
		`{"event":{"name":"refund"}}`:                                                                              false,
		`{"event":{"name":"purchase","op":"is","value":3}}`:                                                        true,
		`{"event":{"name":"refund","op":"is","value":0}}`:                                                          true,
		`{"event":{"name":"refund","agg":"sum","property":"x","op":"lt","value":1}}`:                               true,
		`{"event":{"name":"refund","agg":"max","property":"x","op":"lt","value":1}}`:                               false,
		`{"event":{"name":"purchase","agg":"sum","property":"total","op":"is","value":310.5}}`:                     true,
		`{"event":{"name":"purchase","agg":"avg","property":"total","op":"is","value":155.25}}`:                    true,
		`{"event":{"name":"purchase","agg":"min","property":"total","op":"is","value":10}}`:                        true,
		`{"event":{"name":"purchase","agg":"max","property":"total","op":"gt","value":300}}`:                       true,
		`{"event":{"name":"purchase","op":"is","value":1,"within":{"amount":30,"unit":"days"}}}`:                   true,
		`{"event":{"name":"purchase","op":"is","value":2,"within":{"amount":31,"unit":"days"}}}`:                   true,
		`{"event":{"name":"visit","within":{"amount":1,"unit":"minutes"}}}`:                                        true,
		`{"event":{"name":"purchase","agg":"last","op":"within_last","value":{"amount":30,"unit":"days"}}}`:        true,
		`{"event":{"name":"purchase","agg":"last","op":"not_within_last","value":{"amount":29,"unit":"days"}}}`:    true,
		`{"event":{"name":"purchase","agg":"first","op":"before","value":"2026-06-01"}}`:                           true,
		`{"event":{"name":"purchase","op":"is","value":1,"where":{"field":"cart.kind","op":"is","value":"gift"}}}`: true,
		`{"event":{"name":"purchase","op":"is","value":2,"where":{"not":{"field":"paid","op":"is_true"}}}}`:        true,
		`{"all":[{"tag":"tag:vip"},{"any":[{"tag":"tag:x"},{"not":{"list":"list:x"}}]}]}`:                          true,
	} {
		compiled := mustRule(t, rule)
		require.Equal(t, want, compiled.Eval(in).True, rule)
		require.Equal(t, want, compiled.True(in), rule)
	}
}

func TestEveryNegativeIsTheComplementOfItsPositive(t *testing.T) {
	t.Parallel()
	for _, field := range []string{"city", "score", "vip", "birthday", "nothing", "last_name"} {
		for i := range operators {
			row := &operators[i]
			if row.not == "" {
				continue
			}
			for _, value := range []string{"", `"kraków"`, `50`, `true`, `"1990-05-14"`, `["kraków"]`, `[50]`, `{"amount":90,"unit":"days"}`} {
				document := func(op Op) string {
					if value == "" {
						return fmt.Sprintf(`{"field":%q,"op":%q}`, field, op)
					}
					return fmt.Sprintf(`{"field":%q,"op":%q,"value":%s}`, field, op, value)
				}
				if _, problems := DecodeRule([]byte(document(row.op))); len(problems) > 0 {
					continue
				}
				in := RuleInput{Now: noon, Contact: anna()}
				require.NotEqual(t, mustRule(t, document(row.op)).True(in), mustRule(t, document(row.not)).True(in), document(row.op))
			}
		}
	}
}

func TestRollupsAnswerWhatTheyCan(t *testing.T) {
	t.Parallel()
	in := RuleInput{Now: noon, Contact: &Contact{Rollups: map[string]Rollup{
		"purchase": {Count: 7, First: noon.Add(-48 * time.Hour), Last: noon.Add(-time.Hour)},
	}}}
	require.True(t, mustRule(t, `{"event":{"name":"purchase","op":"is","value":7}}`).True(in))
	require.True(t, mustRule(t, `{"event":{"name":"purchase","agg":"first","op":"before","value":"2026-12-01"}}`).True(in))
	verdict := mustRule(t, `{"event":{"name":"purchase","agg":"last","op":"within_last","value":{"amount":2,"unit":"hours"}}}`).Eval(in)
	require.True(t, verdict.True)
	require.Equal(t, noon.Add(time.Hour), verdict.NextChange)
}

func TestExplanationsAreSentences(t *testing.T) {
	t.Parallel()
	verdict := mustRule(t, `{"all":[
		{"field":"city","op":"is_not","value":"Łódź"},
		{"field":"town","op":"is_set"},
		{"event":{"name":"purchase","op":"gte","value":3,"within":{"amount":31,"unit":"days"}}},
		{"tag":"tag:vip"}]}`).Eval(RuleInput{Now: noon, Contact: anna()})
	require.False(t, verdict.True)
	var said []string
	for _, fact := range verdict.Explain {
		said = append(said, fact.Path+" "+fact.Text)
	}
	require.Equal(t, []string{
		`all.0 city is not "Łódź": yes, it is "KRAKÓW"`,
		`all.1 town is known: no, it is unknown`,
		`all.2 count of purchase in the last 31 days is at least 3: no, it is 2`,
		`all.3 tag vip: yes`,
	}, said)
}

func TestDecodeRuleNamesPlaceAndMend(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat(`{"not":`, 5_000) + `{"tag":"tag:x"}` + strings.Repeat(`}`, 5_000)
	for document, want := range map[string]string{
		`{}`:                                    "| This condition is empty. Choose a field, an event, a tag, a list or a segment.",
		`[]`:                                    `| A condition has to be an object`,
		`nonsense`:                              `| A condition has to be an object`,
		deep:                                    `not.not.not.not| Groups inside groups go at most 4 deep.`,
		`{"all":[]}`:                            "all| This group is empty.",
		`{"all":[{"tag":"tag:a"},{"tag":"b"}]}`: `all.1.tag| "b" has to be written as tag:name.`,
		`{"all":[{"tag":"tag:a"}],"any":[]}`:    `any| "any" does not belong here`,
		`{"field":"city"}`:                      "op| The comparison is missing.",
		`{"field":"city","op":"is"}`:            "value| The value is missing.",
		`{"field":"city","op":"equals","value":"x"}`:                                `op| The comparison "equals" is not known`,
		`{"field":"city","op":"is_set","value":"x"}`:                                `value| "is_set" takes no value.`,
		`{"field":"city","op":"is","value":["x"]}`:                                  `value| "is" compares with one value.`,
		`{"field":"city","op":"is","value":{}}`:                                     `value| A value has to be`,
		`{"field":"city","op":"is","value":""}`:                                     `value| A text to compare with has`,
		`{"field":"city","op":"in","value":["a",1]}`:                                `value| The values have to be of one kind`,
		`{"field":"city","op":"in","value":[]}`:                                     `value| "in" needs a list`,
		`{"field":"score","op":"between","value":[2,1]}`:                            `value| The lowest value, 2, is above the highest, 1.`,
		`{"field":"score","op":"between","value":[1]}`:                              `value| "between" needs two values`,
		`{"field":"score","op":"gt","value":"many"}`:                                `value| "many" does not fit "gt", which compares numbers, dates.`,
		`{"field":"x","op":"within_last","value":3}`:                                `value| 3 is not a duration`,
		`{"field":"x","op":"within_last","value":{"amount":0,"unit":"days"}}`:       `value| The period is empty.`,
		`{"field":"x","op":"within_last","value":{"amount":1.5,"unit":"days"}}`:     `value| A duration counts whole`,
		`{"event":{"name":"buy","agg":"sum","op":"gt","value":1}}`:                  `event.property| The property is missing.`,
		`{"event":{"name":"buy","agg":"count","property":"x","op":"gt","value":1}}`: `event.property| The count of an event takes no property.`,
		`{"event":{"name":"buy","op":"contains","value":"x"}}`:                      `event.op| The count of an event cannot be compared with "contains".`,
		`{"event":{"name":"buy","op":"gt","value":"2026-12-24"}}`:                   `event.value| The count of an event is compared with a number.`,
		`{"event":{"name":"buy","agg":"last","op":"gt","value":3}}`:                 `event.value| The last of an event is compared with a date`,
		`{"event":{"name":"buy","where":{"tag":"tag:x"}}}`:                          `event.where.tag| A filter on an event can look at`,
		`{"consent":{"channel":"fax","state":"granted"}}`:                           `consent.channel| The channel "fax" is not known`,
		`{"message":{"step":"m","did":"eaten"}}`:                                    `message.did| What happened "eaten" is not known`,
		`{"field":1,"op":"is","value":"x"}`:                                         `field| A field has to be a text.`,
		`{"tag":"tag:x","extra":1}`:                                                 `extra| "extra" does not belong here`,
	} {
		rule, problems := DecodeRule([]byte(document))
		require.Nil(t, rule, document)
		require.NotEmpty(t, problems, document)
		require.Equal(t, "RULE_INVALID", problems[0].Code)
		require.Contains(t, problems[0].Field+"| "+problems[0].Message, want)
	}
}

func TestDecodeRuleBoundsSize(t *testing.T) {
	t.Parallel()
	many := strings.Repeat(`{"tag":"tag:x"},`, 99) + `{"tag":"tag:x"}`
	_, problems := DecodeRule([]byte(`{"all":[` + many + `]}`))
	require.Empty(t, problems)
	_, problems = DecodeRule([]byte(`{"any":[{"all":[` + many + `]},{"tag":"tag:x"}]}`))
	require.Len(t, problems, 1)
	require.Equal(t, "any.1", problems[0].Field)
	_, problems = DecodeRule([]byte(`{"field":"x","op":"is","value":"` + strings.Repeat("a", maxRuleBytes) + `"}`))
	require.Len(t, problems, 1)
}

func TestRulesSurviveTheirJSON(t *testing.T) {
	t.Parallel()
	for _, document := range []string{
		`{"all":[{"tag":"tag:vip"},{"any":[{"list":"list:x"},{"not":{"segment":"segment:y"}}]}]}`,
		`{"field":"x","op":"within_last","value":{"amount":3,"unit":"days"}}`,
		`{"consent":{"channel":"email","state":"granted","topic":"topic:news"}}`,
		`{"event":{"agg":"sum","name":"buy","op":"gte","property":"total","value":3,"where":{"field":"kind","op":"is","value":"a"},"within":{"amount":3,"unit":"weeks"}}}`,
		`{"message":{"did":"opened","step":"mail-1"}}`,
	} {
		var rule Rule
		require.NoError(t, json.Unmarshal([]byte(document), &rule))
		written, err := json.Marshal(rule)
		require.NoError(t, err)
		require.JSONEq(t, document, string(written))
	}
	var rule Rule
	err := json.Unmarshal([]byte(`{"field":"x"}`), &rule)
	var broken *RuleError
	require.ErrorAs(t, err, &broken)
	require.Equal(t, "op", broken.Problems[0].Field)
}
