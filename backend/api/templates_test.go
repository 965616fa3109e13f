package api_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestEveryTemplateMakesAFunnelThatCanBePublished begins in a workspace that has nothing a template could name.
func TestEveryTemplateMakesAFunnelThatCanBePublished(t *testing.T) {
	t.Parallel()
	b := setup(t)
	names := map[string]bool{}
	for _, language := range []string{"en", "pl", "ru"} {
		items := b.do(b.admin, 200, "GET", "/templates?language="+language, nil).get(t, "items").([]any)
		require.GreaterOrEqual(t, len(items), 8)
		for _, item := range items {
			template := item.(map[string]any)
			made := b.do(b.admin, 201, "POST", "/funnels", object{"name": template["name"], "template": template["slug"], "language": language})
			for _, problem := range made.get(t, "problems").([]any) {
				require.NotEqual(t, "error", problem.(map[string]any)["severity"], "%s in %s: %v", template["slug"], language, problem)
			}
			require.Equal(t, template["name"], made.get(t, "funnel.name"))
			names[template["name"].(string)] = true
			tests := b.do(b.admin, 200, "GET", "/funnels/"+made.get(t, "funnel.id").(string)+"/tests", nil)
			require.NotEmpty(t, tests.get(t, "tests"))
		}
	}
	require.Greater(t, len(names), 24, "the names differ by language")
	b.do(b.admin, 422, "POST", "/funnels", object{"name": "X", "template": "nothing"})
	b.do(b.admin, 422, "POST", "/funnels", object{"name": "X", "template": "welcome", "graph": sampleGraph()})
}
