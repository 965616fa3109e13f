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

// TestATemplateOfOurOwnStandsFirstInTheGalleryAndStaysInItsWorkspace keeps a funnel as a template, makes another of it, and deletes it.
func TestATemplateOfOurOwnStandsFirstInTheGalleryAndStaysInItsWorkspace(t *testing.T) {
	t.Parallel()
	b := setup(t)
	kept := b.do(b.admin, 201, "POST", "/templates", object{"name": "Our welcome", "does": "Greets.", "graph": sampleGraph(), "creatives": sampleCreatives()})
	slug := kept.get(t, "slug").(string)
	first := b.do(b.admin, 200, "GET", "/templates?language=pl", nil).get(t, "items.0").(map[string]any)
	require.Equal(t, "Our welcome", first["name"])
	require.Equal(t, true, first["own"])
	require.Equal(t, []any{"email"}, first["channels"])
	require.InEpsilon(t, 1, first["steps"], 0)

	made := b.do(b.admin, 201, "POST", "/funnels", object{"name": "Second welcome", "template": slug})
	require.Equal(t, "Second welcome", made.get(t, "funnel.name"))
	require.Equal(t, "Welcome", made.get(t, "creatives.welcome.name"))
	tests := "/funnels/" + made.get(t, "funnel.id").(string) + "/tests"
	require.Empty(t, b.do(b.admin, 200, "GET", tests, nil).get(t, "tests"))
	require.Empty(t, b.do(b.admin, 200, "PUT", tests, object{"tests": []object{}}).get(t, "tests"), "the last one can be taken away")

	b.do(b.admin, 422, "POST", "/templates", object{"name": " ", "graph": sampleGraph()})
	b.do(b.admin, 422, "POST", "/templates", object{"name": "Nothing", "graph": object{"schema": 1, "nodes": []object{}, "edges": []object{}}})
	b.do(b.admin, 404, "DELETE", "/templates/welcome", nil)
	b.do(b.admin, 204, "DELETE", "/templates/"+slug, nil)
	b.do(b.admin, 404, "DELETE", "/templates/"+slug, nil)
	b.do(b.admin, 422, "POST", "/funnels", object{"name": "Third", "template": slug})
}
