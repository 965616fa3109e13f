package creative_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/backend/creative"
	"github.com/lejek/lejek/engine"
)

// cart is a message with an item list, a total and a part for those who have a coupon.
var cart = engine.Creative{Channel: "email", Subject: "Your cart", Blocks: []engine.Block{
	{ID: "h", Type: "heading", Text: "Your cart", Level: 1},
	{ID: "list", Type: "repeat", Over: "event.items", Blocks: []engine.Block{
		{ID: "name", Type: "heading", Level: 3, Text: `{{ item.name | default("Something") }}: {{ item.price | money("PLN") }}`},
		{ID: "gift", Type: "show_if", When: "item.gift", Blocks: []engine.Block{{ID: "wrapped", Type: "heading", Level: 3, Text: "wrapped as a gift"}}},
		{ID: "look", Type: "button", Text: "Look", URL: "{{ item.url }}"},
	}},
	{ID: "if", Type: "show_if", When: "event.total >= 100", Blocks: []engine.Block{{ID: "free", Type: "heading", Level: 2, Text: "Delivery is free"}}},
	{ID: "back", Type: "button", Text: "Back", URL: "{{ event.url }}"},
	{ID: "foot", Type: "footer"},
}}

func TestAPartIsRepeatedForEachItemAndShownOnACondition(t *testing.T) {
	t.Parallel()
	artifact, problems, err := creative.Compile(t.Context(), cart, creative.Options{Language: "en"})
	require.NoError(t, err)
	require.Empty(t, problems)
	scope := func(event map[string]any) *engine.MergeScope {
		return &engine.MergeScope{Event: event, UnsubscribeURL: "https://x.example/u", ViewURL: "https://x.example/v", Language: "en"}
	}
	item := func(name string, price float64, gift bool) map[string]any {
		return map[string]any{"name": name, "price": price, "gift": gift, "url": "https://shop.example/" + strings.Trim(name, "<>")}
	}
	full, err := artifact.Render(scope(map[string]any{
		"total": 120.0, "url": "https://shop.example/cart", "items": []any{item("Mat", 80, true), item("<Block>", 40, false)},
	}), func(_ int, url string) string { return url + "?tracked" })
	require.NoError(t, err)
	for _, text := range []string{full.HTML, full.Text} {
		require.Equal(t, 1, strings.Count(text, "wrapped as a gift"))
		require.Equal(t, 1, strings.Count(text, "Delivery is free"))
		require.Contains(t, text, "https://shop.example/Mat?tracked")
		require.Less(t, strings.Index(text, "Mat:"), strings.Index(text, "Block"))
		require.NotContains(t, text, "LQ")
	}
	require.Contains(t, full.HTML, "&lt;Block&gt;")
	require.NotContains(t, full.HTML, "<Block>")
	require.Contains(t, full.Text, "80")
	var leads []string
	for _, link := range full.Links {
		leads = append(leads, link.URL)
	}
	require.ElementsMatch(t, []string{
		"https://shop.example/cart", "https://shop.example/Mat", "https://shop.example/Block", "https://x.example/u", "https://x.example/v",
	}, leads)

	bare, err := artifact.Render(scope(map[string]any{"total": 20.0, "url": "https://shop.example/cart"}), nil)
	require.NoError(t, err, "no list has no elements")
	require.NotContains(t, bare.HTML, "Look")
	require.NotContains(t, bare.HTML, "Delivery is free")
	require.Contains(t, bare.HTML, "Back")

	again, _, err := creative.Compile(t.Context(), cart, creative.Options{Language: "en"})
	require.NoError(t, err)
	require.Equal(t, artifact.Hash, again.Hash)
}
