package engine

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCheckNamesWhatLeadsNowhere(t *testing.T) {
	t.Parallel()
	workspace := &Workspace{
		Fields: []ContactField{{Key: "city", Type: "text"}, {Key: "score", Type: "number"}, {Key: "vip", Type: "boolean"}, {Key: "birthday", Type: "date"}},
		Events: map[string][]string{"purchase": {"total", "cart.id"}},
		Tags:   []string{"vip"}, Lists: []string{"newsletter"}, Segments: []string{"silent-90"}, Topics: []string{"news"},
	}
	scope := RuleScope{Workspace: workspace, Events: []string{"purchase"}, Steps: []string{"mail-1"}}
	for document, want := range map[string]string{
		`{"field":"city","op":"is","value":"x"}`:                                              "",
		`{"field":"first_name","op":"is_set"}`:                                                "",
		`{"field":"created_at","op":"within_last","value":{"amount":1,"unit":"days"}}`:        "",
		`{"field":"event.total","op":"gt","value":1}`:                                         "",
		`{"field":"event.cart","op":"is_set"}`:                                                "",
		`{"field":"event.cart.id","op":"is_set"}`:                                             "",
		`{"event":{"name":"anything","agg":"sum","property":"x","op":"gt","value":1}}`:        "",
		`{"field":"birthday","op":"is","value":"1990-05-14"}`:                                 "",
		`{"field":"city","op":"is","value":"1990-05-14"}`:                                     "",
		`{"all":[{"field":"ctiy","op":"is","value":"x"}]}`:                                    `FIELD_UNKNOWN all.0.field Contacts have no field "ctiy". Did you mean "city"?`,
		`{"field":"qqqqqqqq","op":"is","value":"x"}`:                                          `FIELD_UNKNOWN field Contacts have no field "qqqqqqqq". Choose another or create it.`,
		`{"field":"event.totl","op":"gt","value":1}`:                                          `FIELD_UNKNOWN field The event "purchase" has no property "totl". Did you mean "total"?`,
		`{"field":"score","op":"contains","value":"x"}`:                                       `RULE_INVALID op The field "score" is a number and cannot be compared with "contains".`,
		`{"field":"score","op":"is","value":"5"}`:                                             `RULE_INVALID value The field "score" is a number. Compare it with a number, not with "5".`,
		`{"field":"city","op":"in","value":[1]}`:                                              `RULE_INVALID value The field "city" is a text. Compare it with a text, not with 1.`,
		`{"field":"vip","op":"is","value":"yes"}`:                                             `RULE_INVALID value The field "vip" is a boolean. Compare it with a boolean, not with "yes".`,
		`{"field":"birthday","op":"before","value":5}`:                                        "-",
		`{"tag":"tag:vpi"}`:                                                                   `REF_MISSING tag There is no tag "vpi". Did you mean "vip"?`,
		`{"list":"list:news"}`:                                                                `REF_MISSING list There is no list "news". Choose another or create it.`,
		`{"segment":"segment:silent-9"}`:                                                      `REF_MISSING segment There is no segment "silent-9". Did you mean "silent-90"?`,
		`{"consent":{"channel":"email","topic":"topic:new","state":"granted"}}`:               `REF_MISSING consent.topic There is no topic "new". Did you mean "news"?`,
		`{"message":{"step":"mail-2","did":"opened"}}`:                                        `REF_MISSING message.step This funnel has no message step "mail-2". Did you mean "mail-1"?`,
		`{"event":{"name":"purchase","agg":"sum","property":"totals","op":"gt","value":1}}`:   `FIELD_UNKNOWN event.property The event "purchase" has no property "totals". Did you mean "total"?`,
		`{"event":{"name":"purchase","where":{"any":[{"field":"x","op":"is","value":"y"}]}}}`: `FIELD_UNKNOWN event.where.any.0.field The event "purchase" has no property "x". Choose another or create it.`,
	} {
		rule, problems := DecodeRule([]byte(document))
		if want == "-" {
			require.NotEmpty(t, problems, document)
			continue
		}
		require.Empty(t, problems, document)
		var got string
		for _, p := range rule.Check(scope) {
			got += p.Code + " " + p.Field + " " + p.Message
		}
		require.Equal(t, want, got, document)
		for _, p := range rule.Check(RuleScope{Events: []string{}, Steps: scope.Steps}) {
			require.Equal(t, "REF_MISSING", p.Code, "without a workspace only the steps of the funnel are known: %s", document)
		}
	}

	rule, _ := DecodeRule([]byte(`{"tag":"tag:vpi"}`))
	fix := PlaceProblems(rule.Check(scope), "cond-1", "rule")[0]
	require.Equal(t, "cond-1", fix.Node)
	require.Equal(t, "rule.tag", fix.Field)
	require.Equal(t, &Fix{Label: `Use "vip"`, Field: "rule.tag", Value: "tag:vip"}, fix.Fix)

	rule, _ = DecodeRule([]byte(`{"field":"event.totl","op":"gt","value":1}`))
	require.Equal(t, "event.total", rule.Check(scope)[0].Fix.Value)
	where := mustDecode(t, `{"all":[{"field":"totl","op":"gt","value":1},{"tag":"tag:vpi"}]}`).Check(RuleScope{Workspace: workspace, Where: "purchase"})
	require.Len(t, where, 2)
	require.Equal(t, []string{"FIELD_UNKNOWN", "REF_MISSING"}, []string{where[0].Code, where[1].Code})
	ofARun := mustDecode(t, `{"field":"vars.plan","op":"is_set"}`)
	require.Equal(t, `There is no run of a funnel here to take "vars.plan" from. Choose a field of the contact.`, ofARun.Check(scope)[0].Message)
	require.Empty(t, ofARun.Check(RuleScope{Workspace: workspace, Run: true}))
	scope.Events = nil
	require.Equal(t, `There is no event here to take "event.totl" from. Choose a field of the contact.`, rule.Check(scope)[0].Message)
	require.Equal(t, []string{"purchase"}, mustDecode(t, `{"any":[{"event":{"name":"purchase"}},{"not":{"event":{"name":"purchase"}}}]}`).EventNames())
	require.Equal(t, []string{"mail-1"}, mustDecode(t, `{"not":{"message":{"step":"mail-1","did":"sent"}}}`).MessageSteps())
}

func mustDecode(t *testing.T, document string) *Rule {
	t.Helper()
	rule, problems := DecodeRule([]byte(document))
	require.Empty(t, problems)
	return rule
}

func TestNearestFindsTypingMistakes(t *testing.T) {
	t.Parallel()
	known := []string{"first_name", "last_name", "city", "email"}
	for name, want := range map[string]string{
		"frist_name": "first_name", "firstname": "first_name", "First_Name": "first_name", "emial": "email", "ct": "", "zzz": "", "": "",
	} {
		require.Equal(t, want, Nearest(name, known), name)
	}
}

func TestOperatorsAreDescribed(t *testing.T) {
	t.Parallel()
	seen := map[Op]bool{}
	for _, operator := range Operators() {
		require.NotEmpty(t, operator.Label)
		require.NotEmpty(t, operator.Types)
		require.False(t, seen[operator.Op])
		seen[operator.Op] = true
	}
	require.Len(t, seen, 22)
}
