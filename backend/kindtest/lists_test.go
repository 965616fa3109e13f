package kindtest

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// lists registers lists.
func (w *World) lists(slugs ...string) {
	w.Helper()
	for _, slug := range slugs {
		w.Call(201, "POST", "/lists", object{"name": slug})
	}
}

func TestKind_add_to_list_Works(t *testing.T) {
	t.Parallel()
	w := New(t)
	w.lists("news", "other")
	w.Funnel("Joining", Line(On("go"), Step("add_to_list", object{"list": "list:news"})))
	w.Funnel("Whoever joins", Line(object{"kind": "list_join", "list": "list:news"}, w.Tag("greeted")))
	anna, jan := w.Contact("anna@example.com"), w.Contact("jan@example.com")
	w.Event("anna@example.com", "go", nil)
	w.Settle()
	require.Equal(t, []string{"news"}, w.Lists(anna))
	require.Equal(t, []string{"greeted"}, w.Tags(anna), "other funnels hear of it")
	require.Empty(t, w.Lists(jan))
	w.Audit()
}

func TestKind_add_to_list_Fails(t *testing.T) {
	t.Parallel()
	w := New(t)
	w.lists("news")
	joining := w.Funnel("Joining", Line(On("go"), Step("add_to_list", object{"list": "list:news"})))
	greeting := w.Funnel("Whoever joins", Line(object{"kind": "list_join", "list": "list:news"}, w.Tag("greeted")))
	anna := w.Contact("anna@example.com")
	w.Call(200, "POST", "/contacts/"+anna+"/lists", object{"list": "news"})
	w.Settle()
	require.Len(t, w.Call(200, "GET", "/runs?funnel="+greeting, nil).Get("items"), 1)
	w.Event("anna@example.com", "go", nil)
	w.Settle()
	require.Equal(t, []string{"news"}, w.Lists(anna))
	require.Len(t, w.Call(200, "GET", "/runs?funnel="+greeting, nil).Get("items"), 1, "who is on a list does not join it again")
	require.Equal(t, "done", w.Run(joining, anna).Get("run.state"))
	w.Audit()
}

func TestKind_add_to_list_Refused(t *testing.T) {
	t.Parallel()
	w := New(t)
	w.Refused(Line(On("go"), Step("add_to_list", object{})), "FIELD_REQUIRED", "add-to-list-1")
	w.Refused(Line(On("go"), Step("add_to_list", object{"list": "list:nowhere"})), "REF_MISSING", "add-to-list-1")
}

func TestKind_remove_from_list_Works(t *testing.T) {
	t.Parallel()
	w := New(t)
	w.lists("news", "other")
	w.Funnel("Leaving", Line(On("go"), Step("remove_from_list", object{"list": "list:news"})))
	anna, jan := w.Contact("anna@example.com"), w.Contact("jan@example.com")
	for _, id := range []string{anna, jan} {
		w.Call(200, "POST", "/contacts/"+id+"/lists", object{"list": "news"})
		w.Call(200, "POST", "/contacts/"+id+"/lists", object{"list": "other"})
	}
	w.Event("anna@example.com", "go", nil)
	w.Settle()
	require.Equal(t, []string{"other"}, w.Lists(anna))
	require.Equal(t, []string{"news", "other"}, w.Lists(jan))
	w.Audit()
}

func TestKind_remove_from_list_Fails(t *testing.T) {
	t.Parallel()
	w := New(t)
	w.lists("news")
	leaving := w.Funnel("Leaving", Line(On("go"), Step("remove_from_list", object{"list": "list:news"}), w.Tag("after")))
	anna := w.Contact("anna@example.com")
	w.Event("anna@example.com", "go", nil)
	w.Settle()
	require.Equal(t, []string{"after"}, w.Tags(anna), "who is not on the list goes on")
	require.Equal(t, "done", w.Run(leaving, anna).Get("run.state"))
	w.Audit()
}

func TestKind_remove_from_list_Refused(t *testing.T) {
	t.Parallel()
	w := New(t)
	w.Refused(Line(On("go"), Step("remove_from_list", object{})), "FIELD_REQUIRED", "remove-from-list-1")
	w.Refused(Line(On("go"), Step("remove_from_list", object{"list": "list:nowhere"})), "REF_MISSING", "remove-from-list-1")
}
