package api_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/backend/auth"
)

// TestAMarketerPublishesWhatAnApproverApproved goes from asking over declining and a lapsed approval to the published version.
func TestAMarketerPublishesWhatAnApproverApproved(t *testing.T) {
	t.Parallel()
	b := setup(t)
	marketer, approver := b.member(auth.Marketer), b.member(auth.Approver)
	made := b.do(marketer, 201, "POST", "/funnels", object{"name": "Welcome", "graph": sampleGraph(), "creatives": sampleCreatives()})
	path := "/funnels/" + made.get(t, "funnel.id").(string)
	revision := made.get(t, "revision")
	state := func() string {
		return b.do(marketer, 200, "GET", path+"/approval", nil).get(t, "approval.state").(string)
	}
	require.NotContains(t, b.do(marketer, 200, "GET", path+"/approval", nil).Body.String(), "state", "nobody asked yet")
	b.do(marketer, http.StatusForbidden, "POST", path+"/publish", object{"revision": revision, "accept_warnings": true})
	b.do(marketer, http.StatusConflict, "POST", path+"/approval/publish", object{"revision": revision, "accept_warnings": true})

	b.do(marketer, 409, "POST", path+"/approval", object{"revision": 99})
	b.do(marketer, 200, "POST", path+"/approval", object{"revision": revision, "note": "The spring campaign"})
	require.Empty(t, b.do(marketer, 200, "GET", "/waiting", nil).get(t, "approvals"), "a marketer approves nothing")
	require.Equal(t, "The spring campaign", b.do(approver, 200, "GET", "/waiting", nil).get(t, "approvals.0.note"))
	b.do(marketer, http.StatusForbidden, "POST", path+"/approval/decide", object{"revision": revision, "approve": true})
	b.do(approver, 422, "POST", path+"/approval/decide", object{"revision": revision, "approve": false})
	b.do(approver, 200, "POST", path+"/approval/decide", object{"revision": revision, "approve": false, "answer": "The subject is too long"})
	require.Equal(t, "declined", state())
	b.do(approver, 409, "POST", path+"/approval/decide", object{"revision": revision, "approve": true})

	b.do(marketer, 200, "POST", path+"/approval", object{"revision": revision})
	approved := b.do(approver, 200, "POST", path+"/approval/decide", object{"revision": revision, "approve": true})
	require.Equal(t, "approved", approved.get(t, "approval.state"))
	graph := sampleGraph()
	graph["nodes"].([]object)[1]["name"] = "Changed afterwards"
	saved := b.do(marketer, 200, "PUT", path+"/draft", object{"revision": revision, "graph": graph, "creatives": sampleCreatives()})
	require.Equal(t, true, b.do(marketer, 200, "GET", path+"/approval", nil).get(t, "approval.lapsed"))
	b.do(marketer, 409, "POST", path+"/approval/publish", object{"revision": saved.get(t, "revision"), "accept_warnings": true})

	b.do(marketer, 200, "POST", path+"/approval", object{"revision": saved.get(t, "revision")})
	b.do(approver, 200, "POST", path+"/approval/decide", object{"revision": saved.get(t, "revision"), "approve": true})
	live := b.do(marketer, 200, "POST", path+"/approval/publish", object{"revision": saved.get(t, "revision"), "accept_warnings": true, "name": "Spring"})
	require.Equal(t, "live", live.get(t, "state"))
	require.Equal(t, "published", state())
	require.Equal(t, "Spring", b.do(marketer, 200, "GET", path+"/versions", nil).get(t, "items.0.name"))
	b.do(marketer, 409, "POST", path+"/approval/publish", object{"revision": saved.get(t, "revision"), "accept_warnings": true})
	for action, times := range map[string]int{"askApproval": 3, "decideApproval": 3, "publishApproved": 1} {
		var noted int
		require.NoError(t, b.db.QueryRow(t.Context(), "SELECT count(*) FROM audit_log WHERE action = $1 AND target = $2", action, path[len("/funnels/"):]).Scan(&noted))
		require.Equal(t, times, noted, action)
	}

	t.Run("NobodyApprovesTheirOwn", func(t *testing.T) {
		b.do(approver, 200, "POST", path+"/approval", object{"revision": saved.get(t, "revision")})
		b.do(approver, http.StatusForbidden, "POST", path+"/approval/decide", object{"revision": saved.get(t, "revision"), "approve": true})
		require.Equal(t, "withdrawn", b.do(approver, 200, "DELETE", path+"/approval", nil).get(t, "approval.state"))
	})
}

func TestATalkAboutAStep(t *testing.T) {
	t.Parallel()
	b := setup(t)
	marketer := b.member(auth.Marketer)
	funnel := b.funnel(b.admin)
	path := "/funnels/" + funnel + "/comments"
	me := b.do(marketer, 200, "GET", "/session", nil).get(t, "user.id").(string)
	before := b.do(b.admin, 200, "GET", "/funnels/"+funnel, nil).get(t, "revision")
	head := b.do(b.admin, 201, "POST", path, object{"node": "mail-1", "body": "Shorter?", "mentions": []string{me, uuid.NewString()}})
	require.Len(t, head.get(t, "mentions"), 1, "who is no member cannot be mentioned")
	require.Equal(t, "Shorter?", b.do(marketer, 200, "GET", "/waiting", nil).get(t, "mentions.0.body"))
	id := head.get(t, "id").(string)
	answer := b.do(marketer, 201, "POST", path, object{"body": "Yes", "answers": id})
	require.Equal(t, "mail-1", answer.get(t, "node"), "an answer is about the same step")
	require.Equal(t, id, b.do(b.admin, 201, "POST", path, object{"body": "Good", "answers": answer.get(t, "id")}).get(t, "answers"))

	b.do(marketer, http.StatusForbidden, "PATCH", path+"/"+id, object{"body": "Not mine"})
	b.do(marketer, http.StatusForbidden, "DELETE", path+"/"+id, nil)
	b.do(marketer, 422, "PATCH", path+"/"+answer.get(t, "id").(string), object{"resolved": true})
	require.NotEmpty(t, b.do(marketer, 200, "PATCH", path+"/"+id, object{"resolved": true}).get(t, "resolved_at"))
	require.Empty(t, b.do(marketer, 200, "GET", "/waiting", nil).get(t, "mentions"))
	b.do(b.admin, 201, "POST", path, object{"body": "Not yet", "answers": id})
	require.Len(t, b.do(marketer, 200, "GET", "/waiting", nil).get(t, "mentions"), 1, "an answer opens the talk again")
	require.Equal(t, before, b.do(b.admin, 200, "GET", "/funnels/"+funnel, nil).get(t, "revision"), "a comment is no change of the draft")
	b.do(b.admin, 204, "DELETE", path+"/"+id, nil)
	require.Empty(t, b.do(b.admin, 200, "GET", path, nil).get(t, "items"))
}

func TestWhoLooksAtAFunnel(t *testing.T) {
	t.Parallel()
	b := setup(t)
	marketer := b.member(auth.Marketer)
	path := "/funnels/" + b.funnel(b.admin) + "/presence"
	mine, theirs := uuid.NewString(), uuid.NewString()
	require.Empty(t, b.do(b.admin, 200, "POST", path, object{"page": mine, "node": "mail-1"}).get(t, "people"))
	seen := b.do(marketer, 200, "POST", path, object{"page": theirs})
	require.Equal(t, "mail-1", seen.get(t, "people.0.node"))
	require.Equal(t, false, seen.get(t, "people.0.me"))
	b.machine.ahead += time.Minute
	require.Empty(t, b.do(marketer, 200, "POST", path, object{"page": theirs}).get(t, "people"), "a page that fell silent is forgotten")
	b.do(b.admin, 200, "POST", path, object{"page": mine})
	b.do(b.admin, 200, "POST", path, object{"page": mine, "leave": true})
	require.Empty(t, b.do(marketer, 200, "POST", path, object{"page": theirs}).get(t, "people"), "a page that was left is forgotten")
}

func TestRestoringKeepsWhatItReplaces(t *testing.T) {
	t.Parallel()
	b := setup(t)
	path := "/funnels/" + b.funnel(b.admin)
	graph := sampleGraph()
	graph["nodes"].([]object)[1]["name"] = "Never published"
	saved := b.do(b.admin, 200, "PUT", path+"/draft", object{"revision": 1, "graph": graph, "creatives": sampleCreatives()})
	b.do(b.admin, 409, "POST", path+"/restore", object{"revision": 1, "version": 1})
	b.do(b.admin, 422, "POST", path+"/restore", object{"revision": saved.get(t, "revision")})
	restored := b.do(b.admin, 200, "POST", path+"/restore", object{"revision": saved.get(t, "revision"), "version": 1})
	require.Equal(t, "Welcome", restored.get(t, "graph.nodes.1.name"))
	kept := b.do(b.admin, 200, "GET", path+"/kept-drafts", nil)
	require.EqualValues(t, 2, kept.get(t, "items.0.steps"))
	id := kept.get(t, "items.0.id").(string)
	require.Equal(t, "Never published", b.do(b.admin, 200, "GET", path+"/kept-drafts/"+id, nil).get(t, "graph.nodes.1.name"))
	back := b.do(b.admin, 200, "POST", path+"/restore", object{"revision": restored.get(t, "revision"), "kept": id})
	require.Equal(t, "Never published", back.get(t, "graph.nodes.1.name"))
	require.Len(t, b.do(b.admin, 200, "GET", path+"/kept-drafts", nil).get(t, "items"), 1, "what a version holds need not be kept")

	compared := b.do(b.admin, 200, "POST", "/compare", object{
		"from": object{"graph": sampleGraph(), "creatives": sampleCreatives()}, "to": object{"graph": graph, "creatives": sampleCreatives()},
	})
	require.Equal(t, "step_renamed", compared.get(t, "changes.0.code"))
	require.Len(t, compared.get(t, "changes"), 1)
}

func TestAPlanSaysOnceWhatBecomesOfPeople(t *testing.T) {
	t.Parallel()
	b := setup(t)
	path := "/funnels/" + b.funnel(b.admin)
	graph := sampleGraph()
	graph["nodes"].([]object)[1]["name"] = "Renamed"
	saved := b.do(b.admin, 200, "PUT", path+"/draft", object{"revision": 1, "graph": graph, "creatives": sampleCreatives()})
	publish := func(status int, dos ...string) {
		plan := []object{}
		for _, do := range dos {
			plan = append(plan, object{"version": 1, "node": "mail-1", "do": do})
		}
		b.do(b.admin, status, "POST", path+"/publish", object{"revision": saved.get(t, "revision"), "accept_warnings": true, "plan": plan})
	}
	publish(422, "move", "end")
	publish(422, "keep", "end")
	for why, place := range map[string]object{
		`no version 7`:      {"version": 7, "node": "mail-1", "do": "move"},
		`no step \"ghost\"`: {"version": 1, "node": "ghost", "do": "move", "to": "mail-1"},
		`no step \"gone\"`:  {"version": 1, "node": "gone", "do": "end"},
	} {
		refused := b.do(b.admin, 422, "POST", path+"/publish", object{"revision": saved.get(t, "revision"), "accept_warnings": true, "plan": []object{place}})
		require.Contains(t, refused.Body.String(), why)
	}
	publish(200, "keep")
}

func TestWhatPublishingLetsExpect(t *testing.T) {
	t.Parallel()
	b := setup(t)
	made := b.do(b.admin, 201, "POST", "/funnels", object{"name": "Welcome", "graph": sampleGraph(), "creatives": sampleCreatives()})
	for _, email := range []string{"a@example.com", "b@example.com"} {
		b.signup(b.admin, email)
	}
	b.do(b.admin, 200, "POST", "/events", object{"name": "signup", "contact": object{"email": "silent@example.com"}})
	expected := b.do(b.admin, 200, "GET", "/funnels/"+made.get(t, "funnel.id").(string)+"/publish-preview", nil)
	require.EqualValues(t, 3, expected.get(t, "expected.events"))
	require.InDelta(t, 3.0/28, expected.get(t, "expected.starts_per_day"), 0.001)
	require.Equal(t, "email", expected.get(t, "expected.channels.0.channel"))
	require.EqualValues(t, 3, expected.get(t, "expected.channels.0.people"))
	require.EqualValues(t, 2, expected.get(t, "expected.channels.0.may"), "who never agreed gets no marketing")
	require.Equal(t, false, expected.get(t, "expected.quiet"))
}
