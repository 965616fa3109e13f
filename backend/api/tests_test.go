package api_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestATestIsKeptRunAndStandsInTheWayOfPublishing goes from a simulation over its test to publishing in spite of it.
func TestATestIsKeptRunAndStandsInTheWayOfPublishing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	made := b.do(b.admin, 201, "POST", "/funnels", object{"name": "Kept", "graph": sampleGraph(), "creatives": sampleCreatives()})
	path := "/funnels/" + made.get(t, "funnel.id").(string)
	simulated := b.do(b.admin, 200, "POST", path+"/simulate", object{"start": "2026-03-23T09:00:00Z"})
	test := simulated.get(t, "test").(map[string]any)
	test["name"] = "One mail at once"

	require.Empty(t, b.do(b.admin, 200, "GET", path+"/tests", nil).get(t, "tests"))
	kept := b.do(b.admin, 200, "PUT", path+"/tests", object{"tests": []any{test}})
	require.Equal(t, "One mail at once", kept.get(t, "tests.0.name"))
	ran := b.do(b.admin, 200, "POST", path+"/tests/run", object{})
	require.Equal(t, true, ran.get(t, "results.0.passed"))
	require.Equal(t, true, b.do(b.admin, 200, "GET", path+"/tests", nil).get(t, "results.0.passed"))

	without := sampleGraph()
	without["edges"] = []object{}
	without["nodes"] = without["nodes"].([]object)[:1]
	differs := b.do(b.admin, 200, "POST", path+"/tests/run", object{"graph": without, "creatives": object{}})
	require.Equal(t, false, differs.get(t, "results.0.passed"))
	require.Equal(t, "mail-1", differs.get(t, "results.0.differences.0.step"))
	require.Equal(t, true, b.do(b.admin, 200, "GET", path+"/tests", nil).get(t, "results.0.passed"), "a document sent along leaves no report")

	test["expect"] = object{"messages": []object{}}
	b.do(b.admin, 200, "PUT", path+"/tests", object{"tests": []any{test}})
	revision := made.get(t, "revision")
	refused := b.do(b.admin, 422, "POST", path+"/publish", object{"revision": revision})
	require.Equal(t, "TEST_FAILED", refused.get(t, "problems.0.code"))
	require.Equal(t, "mail-1", refused.get(t, "problems.0.node"))
	require.Equal(t, "TEST_FAILED", b.do(b.admin, 200, "GET", path+"/publish-preview", nil).get(t, "problems.0.code"))
	b.do(b.admin, 200, "POST", path+"/publish", object{"revision": revision, "accept_warnings": true})
	var audited int
	require.NoError(t, b.db.QueryRow(t.Context(), "SELECT count(*) FROM audit_log WHERE action = 'publishFunnel.testsOverridden'").Scan(&audited))
	require.Equal(t, 1, audited)
	require.NoError(t, b.db.QueryRow(t.Context(), "SELECT count(*) FROM funnel_versions WHERE bundle -> 'tests' -> 0 ->> 'name' = 'One mail at once'").Scan(&audited))
	require.Equal(t, 1, audited, "the version holds what was expected of it")

	require.Contains(t, b.do(b.admin, 422, "PUT", path+"/tests", object{"tests": []any{test, test}}).get(t, "fields.0.message"), "two tests are called")
}

func TestASimulationFollowsSomebodyOfWhomNothingIsKnown(t *testing.T) {
	t.Parallel()
	b := setup(t)
	creatives := sampleCreatives()
	creatives["welcome"].(object)["subject"] = "Hello {{ first_name }}"
	made := b.do(b.admin, 201, "POST", "/funnels", object{"name": "Names", "graph": sampleGraph(), "creatives": creatives})
	path := "/funnels/" + made.get(t, "funnel.id").(string) + "/simulate"
	require.Equal(t, "Hello Anna", b.do(b.admin, 200, "POST", path, object{"person": "sample"}).get(t, "messages.0.subject"))
	nobody := b.do(b.admin, 200, "POST", path, object{"person": "nobody"})
	require.Equal(t, "missing_value", nobody.get(t, "messages.0.skipped"))
	require.Equal(t, "first_name", nobody.get(t, "messages.0.missing"))
}

func TestARehearsalIsOfAPastPeriod(t *testing.T) {
	t.Parallel()
	b := setup(t)
	path := "/funnels/" + b.funnel(b.admin) + "/rehearse"
	require.Equal(t, "to", b.do(b.admin, 422, "POST", path, object{"from": "2026-02-01T00:00:00Z", "to": "2026-01-01T00:00:00Z"}).get(t, "fields.0.field"))
	require.Equal(t, "from", b.do(b.admin, 422, "POST", path, object{"from": "2126-02-01T00:00:00Z", "to": "2126-03-01T00:00:00Z"}).get(t, "fields.0.field"))
	task := b.do(b.admin, 202, "POST", path, object{"from": "2026-01-01T00:00:00Z", "to": "2026-02-01T00:00:00Z"})
	require.Equal(t, "rehearsal", task.get(t, "kind"))
}
