package engine

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWhatFitsNobodyIsAProblem(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{{ event.total | money("XXXX") }}`:               "currency of three letters",
		`{{ "a" * 100 }}`:                                 `"*" needs two numbers`,
		`{{ event.total * "a" }}`:                         `"*" needs two numbers`,
		`{{ "ten" | money("PLN") }}`:                      "money needs a number",
		`{{ -"a" }}`:                                      "needs two numbers",
		`{{ event.total / 0 }}`:                           "is not a number",
		`{{ first_name | truncate(0) }}`:                  "takes a whole number",
		`{{ event.total | number(99) }}`:                  "takes a whole number",
		`{{ created_at | date(5) }}`:                      "date takes an example",
		`{{ first_name | truncate("long") }}`:             "takes a whole number",
		`{{ event.total ? "a" * 2 : "none" }}`:            `"*" needs two numbers`,
		`{{ (event.total | money("X")) | default("-") }}`: "currency of three letters",
		`{{ event.total | money("PLN") }}`:                "",
		`{{ event.total | money(event.currency) }}`:       "",
		`{{ "a" + event.total }}`:                         "",
		`{{ event.total * "1" }}`:                         `"*" needs two numbers`,
		`{{ 5 | money }} {{ "10" | money("PLN") }}`:       "",
		`{{ event.items | join(" ") | upper }}`:           "",
		`{{ event.total | plural("item", "items") }}`:     "",
		`{{ created_at | date("2 Jan") }}`:                "",
		`{{ 100 / event.total - 1 }}`:                     "",
		`{{ [1, 2] | last }}`:                             "",
	} {
		var said []string
		for _, problem := range CheckMerge(text, VarScope{Events: []string{"go"}}) {
			if problem.Severity == Error {
				require.Equal(t, CodeFieldInvalid, problem.Code, text)
				said = append(said, problem.Message)
			}
		}
		if want == "" {
			require.Empty(t, said, text)
			continue
		}
		require.Len(t, said, 1, text)
		require.Contains(t, said[0], want, text)
	}
}
