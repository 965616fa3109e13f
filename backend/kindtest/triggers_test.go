package kindtest

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestKind_api_event_Works(t *testing.T) {
	t.Parallel()
	w := New(t)
	anna, jan := w.Contact("anna@example.com"), w.Contact("jan@example.com")
	tag := w.Tag("big")
	trigger := On("purchase")
	trigger["where"] = object{"field": "total", "op": "gte", "value": 100}
	funnel := w.Funnel("Big purchases", Line(trigger, tag))
	require.Equal(t, funnel, w.Event("anna@example.com", "purchase", object{"total": 120}).Get("results.0.started.0.funnel_id"))
	w.Event("jan@example.com", "purchase", object{"total": 20})
	w.Settle()
	require.Equal(t, []string{"big"}, w.Tags(anna))
	require.Empty(t, w.Tags(jan), "what is too small does not count")
	w.Audit()
}

func TestKind_api_event_Fails(t *testing.T) {
	t.Parallel()
	w := New(t)
	anna := w.Contact("anna@example.com")
	tag := w.Tag("big")
	w.Funnel("Purchases", Line(On("purchase"), tag))
	event := object{"name": "purchase", "id": "order-7", "contact": object{"email": "anna@example.com"}}
	late := object{"name": "purchase", "contact": object{"email": "anna@example.com"}, "at": "2026-03-20T09:00:00Z"}
	require.Contains(t, w.Call(200, "POST", "/events", late).Text("results.0.reason"), "24 hours")
	w.Settle()
	require.Empty(t, w.Tags(anna), "an event that is late starts nothing")
	require.Equal(t, "accepted", w.Call(200, "POST", "/events", event).Get("results.0.status"))
	require.Equal(t, "duplicate", w.Call(200, "POST", "/events", event).Get("results.0.status"))
	soon := object{"name": "purchase", "contact": object{"email": "anna@example.com"}, "at": "2026-03-23T10:00:00Z"}
	require.Equal(t, "rejected", w.Call(200, "POST", "/events", object{"events": []any{soon}}).Get("results.0.status"))
	w.Settle()
	require.Equal(t, []string{"big"}, w.Tags(anna))
	require.Equal(t, 1, w.DBCount("SELECT count(*) FROM runs"))
	w.Audit()
}

func TestKind_api_event_Refused(t *testing.T) {
	t.Parallel()
	w := New(t)
	tag := w.Tag("big")
	w.Refused(Line(object{"kind": "api_event"}, tag), "FIELD_REQUIRED", "entry")
	w.Refused(Line(On("Not A Name"), tag), "FIELD_INVALID", "entry")
	w.Refused(Line(On("message_sent.x"), Step("add_tag", object{"tag": "tag:nobody-knows"})), "REF_MISSING", "add-tag-1")
}

func TestKind_contact_created_Works(t *testing.T) {
	t.Parallel()
	w := New(t)
	tag := w.Tag("new")
	w.Funnel("New people", Line(object{"kind": "contact_created", "source": "api"}, tag))
	anna := w.Contact("anna@example.com")
	w.Settle()
	require.Equal(t, []string{"new"}, w.Tags(anna))
	w.Audit()
}

func TestKind_contact_created_Fails(t *testing.T) {
	t.Parallel()
	w := New(t)
	tag := w.Tag("new")
	before := w.Contact("before@example.com")
	w.Settle()
	funnel := w.Funnel("New people", Line(object{"kind": "contact_created", "source": "api"}, tag))
	w.Call(200, "POST", "/contacts", object{"email": "before@example.com", "first_name": "Ewa"})
	w.Call(200, "POST", "/funnels/"+funnel+"/pause", nil)
	while := w.Contact("while@example.com")
	w.Settle()
	w.Call(200, "POST", "/funnels/"+funnel+"/resume", nil)
	after := w.Contact("after@example.com")
	w.Settle()
	require.Empty(t, w.Tags(before), "somebody known does not appear again")
	require.Empty(t, w.Tags(while), "a paused funnel lets nobody in")
	require.Equal(t, []string{"new"}, w.Tags(after))
	w.Audit()
}

func TestKind_contact_created_Refused(t *testing.T) {
	t.Parallel()
	w := New(t)
	w.Refused(Line(object{"kind": "contact_created", "sauce": "api"}, w.Tag("new")), "FIELD_UNKNOWN", "entry")
}

func TestKind_list_join_Works(t *testing.T) {
	t.Parallel()
	w := New(t)
	w.Call(201, "POST", "/lists", object{"name": "news"})
	w.Call(201, "POST", "/lists", object{"name": "other"})
	tag := w.Tag("reader")
	w.Funnel("Readers", Line(object{"kind": "list_join", "list": "list:news"}, tag))
	anna, jan := w.Contact("anna@example.com"), w.Contact("jan@example.com")
	w.Call(200, "POST", "/contacts/"+anna+"/lists", object{"list": "news"})
	w.Call(200, "POST", "/contacts/"+jan+"/lists", object{"list": "other"})
	w.Settle()
	require.Equal(t, []string{"reader"}, w.Tags(anna))
	require.Empty(t, w.Tags(jan))
	w.Audit()
}

func TestKind_list_join_Fails(t *testing.T) {
	t.Parallel()
	w := New(t)
	w.Call(201, "POST", "/lists", object{"name": "news"})
	tag := w.Tag("reader")
	funnel := w.Funnel("Readers", Line(object{"kind": "list_join", "list": "list:news"}, tag))
	anna := w.Contact("anna@example.com")
	for range 2 { // the second time they are on it already
		w.Call(200, "POST", "/contacts/"+anna+"/lists", object{"list": "news"})
	}
	w.Settle()
	require.Len(t, w.Call(200, "GET", "/runs?funnel="+funnel, nil).Get("items"), 1)
	require.Equal(t, http.StatusUnprocessableEntity, w.Request("POST", "/api/v1/contacts/"+anna+"/lists", object{"list": "nowhere"}, w.Admin()...).Status)
	w.Audit()
}

func TestKind_list_join_Refused(t *testing.T) {
	t.Parallel()
	w := New(t)
	tag := w.Tag("reader")
	w.Refused(Line(object{"kind": "list_join"}, tag), "FIELD_REQUIRED", "entry")
	w.Refused(Line(object{"kind": "list_join", "list": "list:nowhere"}, tag), "REF_MISSING", "entry")
}

func TestKind_tag_added_Works(t *testing.T) {
	t.Parallel()
	w := New(t)
	vip, seen := w.Tag("vip"), w.Tag("seen")
	w.Funnel("VIPs", Line(object{"kind": "tag_added", "tag": "tag:vip"}, seen))
	w.Funnel("Makes VIPs", Line(On("purchase"), vip))
	anna := w.Contact("anna@example.com")
	w.Call(200, "POST", "/contacts/"+anna+"/tags", object{"tag": "vip"})
	jan := w.Contact("jan@example.com")
	w.Event("jan@example.com", "purchase", nil)
	w.Settle()
	require.Equal(t, []string{"seen", "vip"}, w.Tags(anna), "a person puts it on")
	require.Equal(t, []string{"seen", "vip"}, w.Tags(jan), "a funnel puts it on")
	w.Audit()
}

func TestKind_tag_added_Fails(t *testing.T) {
	t.Parallel()
	w := New(t)
	_, seen := w.Tag("vip"), w.Tag("seen")
	w.Tag("other")
	funnel := w.Funnel("VIPs", Line(object{"kind": "tag_added", "tag": "tag:vip"}, seen))
	anna := w.Contact("anna@example.com")
	w.Call(200, "POST", "/contacts/"+anna+"/tags", object{"tag": "other"})
	w.Settle()
	require.Equal(t, []string{"other"}, w.Tags(anna))
	for range 2 {
		w.Call(200, "POST", "/contacts/"+anna+"/tags", object{"tag": "vip"})
	}
	w.Settle()
	require.Len(t, w.Call(200, "GET", "/runs?funnel="+funnel, nil).Get("items"), 1, "it was on already the second time")
	w.Audit()
}

func TestKind_tag_added_Refused(t *testing.T) {
	t.Parallel()
	w := New(t)
	seen := w.Tag("seen")
	w.Refused(Line(object{"kind": "tag_added"}, seen), "FIELD_REQUIRED", "entry")
	w.Refused(Line(object{"kind": "tag_added", "tag": "tag:nowhere"}, seen), "REF_MISSING", "entry")
}

func TestKind_manual_Works(t *testing.T) {
	t.Parallel()
	w := New(t)
	funnel := w.Funnel("By hand", Line(object{"kind": "manual"}, w.Tag("met")))
	anna, jan := w.Contact("anna@example.com"), w.Contact("jan@example.com")
	require.EqualValues(t, 1, w.Call(200, "POST", "/contacts/"+anna+"/start/"+funnel, nil).Get("started"))
	w.Settle()
	require.Equal(t, []string{"met"}, w.Tags(anna))
	require.Empty(t, w.Tags(jan))
	w.Audit()
}

func TestKind_manual_Fails(t *testing.T) {
	t.Parallel()
	w := New(t)
	met := w.Tag("met")
	other := w.Funnel("By events", Line(On("purchase"), met))
	anna := w.Contact("anna@example.com")
	answer := w.Request("POST", "/api/v1/contacts/"+anna+"/start/"+other, nil, w.Admin()...)
	require.NotContains(t, answer.Body, `"started":1`, "a funnel without this trigger is not started by hand")
	funnel := w.Funnel("By hand", Line(object{"kind": "manual"}, met, Step("wait", object{"mode": "duration", "for": object{"amount": 1, "unit": "days"}})))
	for _, started := range []int{1, 0} {
		require.EqualValues(t, started, w.Call(200, "POST", "/contacts/"+anna+"/start/"+funnel, nil).Get("started"), "who is inside is not let in again")
	}
	w.Settle()
	require.Equal(t, []string{"met"}, w.Tags(anna))
	w.Audit()
}

func TestKind_manual_Refused(t *testing.T) {
	t.Parallel()
	w := New(t)
	w.Refused(Line(object{"kind": "manual", "name": "x"}, w.Tag("met")), "FIELD_UNKNOWN", "entry")
}
