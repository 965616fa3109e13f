package ai

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/engine"
)

// crowded is a workspace with many names, of which few have to do with any request.
func crowded(extra engine.Workspace) *engine.Workspace {
	for i := range 3000 {
		extra.Tags = append(extra.Tags, fmt.Sprintf("zz-%d", i))
		extra.Lists = append(extra.Lists, fmt.Sprintf("qq-%d", i))
		extra.Segments = append(extra.Segments, fmt.Sprintf("xx-%d", i))
	}
	return &extra
}

func TestAModelIsToldTheNamesMostLikeTheRequestHoweverTheyAreInflected(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		prompt, kind, want string
		has                engine.Workspace
	}{
		"exact":              {"add them to newsletter", "lists", "newsletter", engine.Workspace{Lists: []string{"newsletter"}}},
		"typo":               {"everybody on the newsleter list", "lists", "newsletter", engine.Workspace{Lists: []string{"newsletter"}}},
		"Polish case":        {"napisz do stałych klientów", "segments", "stali-klienci", engine.Workspace{Segments: []string{"stali-klienci"}}},
		"without diacritics": {"wyslij do zakonczonych zamowien", "tags", "zakonczone-zamowienia", engine.Workspace{Tags: []string{"zakonczone-zamowienia"}}},
		"Russian case":       {"письмо постоянным клиентам", "segments", "postoyannye-klienty", engine.Workspace{Segments: []string{"postoyannye-klienty"}}},
		"Cyrillic name":      {"для подписчиков журнала", "lists", "подписчики-журнала", engine.Workspace{Lists: []string{"подписчики-журнала"}}},
		"event":              {"when a cart is updated", "events", "cart_updated", engine.Workspace{Events: map[string][]string{"cart_updated": nil}}},
		"field":              {"in their favourite city", "fields", "favourite_city", engine.Workspace{Fields: []engine.ContactField{{Key: "favourite_city"}}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			told := workspaceNames(crowded(c.has), c.prompt)
			raw, err := json.Marshal(told)
			require.NoError(t, err)
			require.LessOrEqual(t, len(raw), namesBytes+300, "however many names there are")
			require.Contains(t, told.(fields)[c.kind], c.want)
			require.Equal(t, c.want, told.(fields)[c.kind].([]string)[0])
			require.LessOrEqual(t, len(told.(fields)["tags"].([]string)), namesEach)
		})
	}
}

func TestAnInflectedNameIsTheOneTheWorkspaceHas(t *testing.T) {
	t.Parallel()
	names := []string{"stali-klienci", "nowi-klienci", "vip-1", "vip-2"}
	require.Equal(t, "stali-klienci", inflected(names, slug("stałych klientów")))
	require.Equal(t, "nowi-klienci", inflected(names, slug("nowych klientów")))
	require.Empty(t, inflected(names, "vip-3"))
	require.Empty(t, inflected(names, "klienci"), "a part of a name is not the name")
	require.Empty(t, inflected([]string{"klient", "klienci"}, "klientow"), "two may be meant")
}
