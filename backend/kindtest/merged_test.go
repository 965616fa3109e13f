package kindtest

import (
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
)

// about sends an event about somebody and answers whom it is about.
func (w *World) about(contact object, name string) string {
	w.Helper()
	return w.Call(200, "POST", "/events", object{"name": name, "contact": contact}).Text("results.0.contact_id")
}

func (w *World) merge(winner, loser string) {
	w.Helper()
	w.Call(200, "POST", "/contacts/merge", object{"winner_id": winner, "loser_id": loser})
	w.Settle()
}

func TestWhoWasMergedIsFoundByEveryNameTheyHad(t *testing.T) {
	t.Parallel()
	w := New(t)
	funnel := w.Funnel("Orders", reentry(Line(On("order"), w.Tag("ordered")), "once"))
	winner := w.Contact("w@example.com", object{"external_id": "W", "phone": "+48601000001"})
	loser := w.Contact("l@example.com", object{"external_id": "L", "phone": "+48601000002"})
	first := w.Contact("f@example.com", object{"external_id": "F", "phone": "+48601000003"})
	w.Event("l@example.com", "order", nil)
	w.Settle()
	w.merge(loser, first)
	w.merge(winner, loser)
	names := []object{
		{"email": "L@example.com"}, {"phone": "+48 601 000 002"}, {"external_id": "L"}, {"id": loser}, {"external_id": "L", "email": "l@example.com"},
		{"external_id": "L", "email": "w@example.com"}, {"email": "f@example.com"}, {"external_id": "F"}, {"phone": "+48601000003"}, {"id": first},
		{"external_id": "W"}, {"email": "w@example.com"}, {"id": winner},
	}
	for _, who := range names {
		require.Equal(t, winner, w.about(who, "order"), who)
	}
	w.Settle()
	require.Equal(t, 1, w.runs(funnel, winner), "once is once, whatever they are called")
	require.Equal(t, 3, w.DBCount("SELECT count(*) FROM contacts"))
	got := w.Call(200, "GET", "/contacts/"+first, nil)
	require.Equal(t, []any{winner, "w@example.com", "W", "+48601000001"}, []any{got.Get("id"), got.Get("email"), got.Get("external_id"), got.Get("phone")},
		"and they keep what they are called now")
	require.Equal(t, winner, w.Call(200, "PATCH", "/contacts/"+loser, object{"first_name": "Wanda"}).Text("id"))
	require.Equal(t, "Wanda", w.Call(200, "POST", "/contacts", object{"external_id": "F", "language": "pl"}).Text("first_name"))
	byHand := w.Funnel("By hand", Line(object{"kind": "manual"}, Step("add_tag", object{"tag": "tag:ordered"})))
	require.EqualValues(t, 1, w.Call(200, "POST", "/funnels/"+byHand+"/start", object{"contact_ids": []string{first}}).Get("started"))
	w.Audit()
}

func TestWhatAMergedPersonWasCalledMayBeGivenToSomebodyElse(t *testing.T) {
	t.Parallel()
	w := New(t)
	winner, loser := w.Contact("w@example.com", object{"external_id": "W"}), w.Contact("l@example.com", object{"external_id": "L"})
	other := w.Contact("o@example.com", object{"external_id": "O"})
	w.merge(winner, loser)
	w.Call(200, "PATCH", "/contacts/"+other, object{"email": "l@example.com"})
	require.Equal(t, other, w.about(object{"email": "l@example.com"}, "hello"))
	require.Equal(t, winner, w.about(object{"external_id": "L"}, "hello"), "the rest still leads to the winner")
	w.Call(200, "PATCH", "/contacts/"+other, object{"email": "o2@example.com"})
	require.NotEqual(t, winner, w.about(object{"email": "l@example.com"}, "hello"), "what somebody had is theirs no more")
	w.Call(409, "POST", "/contacts", object{"external_id": "L", "email": "o2@example.com"})
	w.Call(200, "PATCH", "/contacts/"+winner, object{"external_id": "L"})
	require.Equal(t, winner, w.about(object{"external_id": "L"}, "hello"))
	require.Zero(t, w.DBCount("SELECT count(*) FROM contact_aliases"))
	w.Audit()
}

func TestErasingForgetsWhatMergedPeopleWereCalled(t *testing.T) {
	t.Parallel()
	w := New(t)
	winner := w.Contact("w@example.com", object{"phone": "+48601000001"})
	loser := w.Contact("l@example.com", object{"phone": "+48601000002", "first_name": "Lena"})
	w.merge(winner, loser)
	w.Call(204, "DELETE", "/contacts/"+loser, nil)
	require.Zero(t, w.DBCount("SELECT count(*) FROM contact_aliases"))
	require.Zero(t, w.DBCount("SELECT count(*) FROM contacts WHERE erased_at IS NULL OR first_name <> ''"), "who was merged is the person too")
	require.Equal(t, 6, w.DBCount("SELECT count(*) FROM suppressions WHERE reason = 'erased'"), "both addresses and both numbers")
	back := w.about(object{"email": "l@example.com"}, "hello")
	require.NotContains(t, []string{winner, loser, ""}, back)
	w.Audit()
}

func TestFieldsOfAnEventDoNotSayWhoSomebodyIs(t *testing.T) {
	t.Parallel()
	w := New(t)
	anna := w.Contact("anna@example.com")
	identities := object{"email": "b@example.com", "phone": "+48601000001", "external_id": "x"}
	for key, value := range identities {
		for _, who := range []string{"email", "id"} {
			contact := object{who: map[string]string{"email": "anna@example.com", "id": anna}[who]}
			contact["fields"] = object{key: value}
			got := w.Call(422, "POST", "/events", object{"name": "hello", "contact": contact})
			require.Contains(t, got.Body, "contact.fields."+key)
		}
		w.Call(422, "POST", "/contacts", object{"email": "anna@example.com", "fields": object{key: value}})
	}
	require.Equal(t, anna, w.about(object{"id": anna, "fields": object{"first_name": "Anna", "zone": "Europe/Warsaw"}}, "hello"))
	require.Equal(t, "anna@example.com", w.Call(200, "GET", "/contacts/"+anna, nil).Get("email"))
	require.Equal(t, 1, w.DBCount("SELECT count(*) FROM contacts"))
}

func TestLongIdsKeepTheirDigits(t *testing.T) {
	t.Parallel()
	w := New(t)
	w.Call(201, "POST", "/fields", object{"key": "member", "type": "text", "label": "Member"})
	w.Call(201, "POST", "/fields", object{"key": "seen", "type": "text", "label": "Seen"})
	remember := Step("set_field", object{"field": "field:seen", "value": "{{ event.cart.id }}"})
	line := Line(On("cart"), remember)
	line["graph"].(object)["nodes"].([]any)[0].(object)["config"].(object)["reentry"] = object{"rule": "each", "key": "cart.id"}
	funnel := w.Funnel("Carts", line)
	anna := w.Contact("anna@example.com")
	var props object
	for _, id := range []uint64{1234567890123456788, 1234567890123456789, 1234567890123456789} {
		props = object{"cart": object{"id": id, "total": 19.99}}
		w.Event("anna@example.com", "cart", props)
		w.Settle()
	}
	require.Equal(t, 2, w.runs(funnel, anna), "one for each cart")
	require.Equal(t, "1234567890123456789", w.Call(200, "GET", "/contacts/"+anna, nil).Get("fields.seen"))
	w.Call(200, "PATCH", "/contacts/"+anna, object{"fields": object{"member": uint64(9007199254740993)}})
	require.Equal(t, "9007199254740993", w.Call(200, "GET", "/contacts/"+anna, nil).Get("fields.member"))
	is := w.segment("Cart", object{"event": object{"name": "cart", "where": object{"field": "cart.id", "op": "is", "value": "1234567890123456788"}}})
	require.NotEmpty(t, is)
	require.Equal(t, []string{is}, w.segmentsOf(anna))
	w.Audit()
}

// segmentsOf are the segments somebody is in.
func (w *World) segmentsOf(contact string) []string {
	w.Helper()
	rows, err := w.DB.Query(w.Context(), `SELECT 'segment:' || s.slug FROM segment_members m JOIN segments s ON s.workspace_id = m.workspace_id AND s.id = m.segment_id
		WHERE m.contact_id = $1 AND m.since IS NOT NULL`, contact)
	require.NoError(w, err)
	slugs, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(w, err)
	return slugs
}
