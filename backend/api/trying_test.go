package api_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

const waiting = `{"schema":1,"nodes":[
	{"id":"entry","kind":"entry","name":"","config":{"triggers":[{"kind":"api_event","name":"go"}],"reentry":{"rule":"once"}}},
	{"id":"wait-1","kind":"wait","name":"","config":{"mode":"duration","for":{"amount":1,"unit":"hours"}}},
	{"id":"wait-2","kind":"wait","name":"Patience","config":{"mode":"duration","for":{"amount":1,"unit":"hours"}}}],
	"edges":[{"from":"entry","port":"next","to":"wait-1"},{"from":"wait-1","port":"next","to":"wait-2"}]}`

func TestAMarketerSkipsAWaitInTheSandbox(t *testing.T) {
	t.Parallel()
	b := setup(t)
	kept := b.play(t, []scenario{
		{name: "Create", method: "POST", path: "/funnels", body: `{"name":"Slow"}`, status: 201, keep: map[string]string{"id": "funnel.id", "r": "revision"}},
		{name: "Draw", method: "PUT", path: "/funnels/{id}/draft", body: `{"revision":{r},"graph":` + waiting + `,"creatives":{}}`, status: 200, keep: map[string]string{"r": "revision"}},
		{name: "Publish", method: "POST", path: "/funnels/{id}/publish", body: `{"revision":{r},"accept_warnings":true}`, status: 200},
		{name: "Enter", method: "POST", path: "/events", body: `{"name":"go","contact":{"email":"ola@example.com"}}`, status: 200},
	})
	b.settle()
	run := b.do(b.admin, 200, "GET", "/runs?funnel="+kept["id"], nil)
	require.Equal(t, "Czekaj 1 godzinę", run.get(t, "items.0.node_title.pl"), "a step without a name is called as on the canvas")
	require.Equal(t, true, run.get(t, "items.0.skippable"))
	skip := "/runs/" + run.get(t, "items.0.id").(string) + "/skip-wait"

	b.do(b.member("viewer"), 403, "POST", skip, nil)
	after := b.do(b.member("marketer"), 200, "POST", skip, nil)
	require.Equal(t, "wait-2", after.get(t, "node"))
	require.Equal(t, "Patience", after.get(t, "node_title.en"))
	require.Equal(t, 1, b.count("SELECT count(*) FROM audit_log WHERE action = 'cutRunWait'"))

	_, err := b.db.Exec(t.Context(), "UPDATE workspaces SET sending_mode = 'live'")
	require.NoError(t, err)
	require.Equal(t, false, b.do(b.admin, 200, "GET", "/runs?funnel="+kept["id"], nil).get(t, "items.0.skippable"))
	b.do(b.admin, 409, "POST", skip, nil)
}

func TestAMessageTellsWhatSentIt(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.funnel(b.admin)
	b.signup(b.admin, "jan@example.com")
	b.settle()
	source := func() (any, any) {
		got := b.do(b.admin, 200, "GET", "/messages?to=jan@example.com", nil)
		name, _ := got.get(t, "items.0").(map[string]any)["source_name"]
		return got.get(t, "items.0.source"), name
	}
	from, name := source()
	require.Equal(t, "funnel", from)
	require.NotEmpty(t, name)

	campaign := b.do(b.admin, 201, "POST", "/campaigns", object{"name": "Sale"}).get(t, "campaign.id").(string)
	set := func(sql string, args ...any) {
		_, err := b.db.Exec(t.Context(), "UPDATE messages SET run_id = NULL, funnel_id = NULL, "+sql, args...)
		require.NoError(t, err)
	}
	set("campaign_id = $1", campaign)
	from, name = source()
	require.Equal(t, "campaign", from)
	require.Equal(t, "Sale", name)

	b.form(object{})
	set("campaign_id = NULL, origin = (SELECT 'form:' || slug FROM forms LIMIT 1)")
	from, name = source()
	require.Equal(t, "form", from)
	require.NotEmpty(t, name)
	for origin, want := range map[string]string{"api": "api", "team": "team", "test": "test", "": "test"} {
		set("origin = $1", origin)
		from, _ = source()
		require.Equal(t, want, from)
	}
}
