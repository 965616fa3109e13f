package kindtest

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func setField(value string) document {
	return document{
		Nodes: by + `,{"id":"set","kind":"set_field","name":"","config":{"field":"field:city","value":"` + value + `"}}`,
		Edges: edge("start", "next", "set"),
	}
}

func TestKind_set_field_Works(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Do(201, "POST", "/fields", object{"key": "city", "type": "text", "label": "City"})
	funnel := w.Publish("Cities", setField(`{{ last_name | default(\"nobody\") }}ville`))
	anna := w.Contact("anna@example.com", object{"last_name": "Nowak"})
	w.Start(anna, funnel)
	require.Equal(t, "start:next set:next", w.Path(anna, funnel))
	require.Equal(t, "Nowakville", w.Do(200, "GET", "/contacts/"+anna, nil).Text("fields.city"))
	w.Audit()
}

func TestKind_set_field_Fails(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Do(201, "POST", "/fields", object{"key": "city", "type": "text", "label": "City"})
	funnel := w.Publish("Cities", setField(`{{ last_name }}`))
	anna := w.Contact("anna@example.com", nil)
	w.Start(anna, funnel)
	require.Equal(t, "start:next set:next", w.Path(anna, funnel), "the run goes on")
	require.Contains(t, w.Detail(anna, funnel, "set")["skipped"], "last_name")
	require.Empty(t, w.Do(200, "GET", "/contacts/"+anna, nil).Text("fields.city"))
	w.Audit()
}

func TestKind_set_field_Refused(t *testing.T) {
	t.Parallel()
	newWorld(t).Refuses(setField("x"), "REF_MISSING", "set", "field")
}
