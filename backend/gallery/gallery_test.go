package gallery_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/backend/creative"
	"github.com/lejek/lejek/backend/gallery"
	"github.com/lejek/lejek/engine"
)

func TestEveryFunnelOfTheGalleryKeepsItsPromiseInEveryLanguage(t *testing.T) {
	t.Parallel()
	for _, slug := range gallery.Slugs() {
		english, err := gallery.Bundle(slug, "en")
		require.NoError(t, err)
		for _, language := range gallery.Languages {
			t.Run(slug+" "+language, func(t *testing.T) {
				t.Parallel()
				bundle, err := gallery.Bundle(slug, language)
				require.NoError(t, err)
				require.Empty(t, engine.Validate(bundle))
				require.Equal(t, language, bundle.Workspace.Language)
				require.Len(t, bundle.Graph.Nodes, len(english.Graph.Nodes))
				tests, err := engine.DecodeTests(bundle.Tests)
				require.NoError(t, err)
				require.GreaterOrEqual(t, len(tests), 2)
				for _, test := range tests {
					require.Empty(t, engine.RunTest(bundle, test).Differences, test.Name)
				}
				for name, message := range bundle.Creatives {
					_, problems, err := creative.Compile(t.Context(), message, creative.Options{Language: language})
					require.NoError(t, err)
					require.Empty(t, problems, name)
				}
			})
		}
	}
}

func TestTheGallerySaysOfEveryTemplateWhatItDoesInEveryLanguage(t *testing.T) {
	t.Parallel()
	for _, language := range gallery.Languages {
		all, err := gallery.Templates(language)
		require.NoError(t, err)
		require.GreaterOrEqual(t, len(all), 8)
		for _, template := range all {
			require.NotEmpty(t, template.Name, template.Slug)
			require.True(t, strings.HasSuffix(template.Does, "."), "%s: one sentence", template.Slug)
			require.Equal(t, 1, strings.Count(template.Does, "."), "%s: one sentence", template.Slug)
			require.NotEmpty(t, template.Channels, template.Slug)
			require.Positive(t, template.Steps, template.Slug)
		}
	}
	unknown, err := gallery.Templates("xx")
	require.NoError(t, err)
	require.Equal(t, "Welcome series", unknown[0].Name)
	require.Equal(t, 4, len(unknown[0].Bundle.Creatives))
	require.Equal(t, []string{"email"}, unknown[0].Channels)
	_, err = gallery.Get("nothing", "en")
	require.ErrorContains(t, err, "no template")
}

// TestTheWelcomeSeriesLeavesAtExactInstants says the promise once more, without the bundle's own words.
func TestTheWelcomeSeriesLeavesAtExactInstants(t *testing.T) {
	t.Parallel()
	bundle, err := gallery.Bundle("welcome", "en")
	require.NoError(t, err)
	start := time.Date(2026, 3, 28, 20, 0, 0, 0, time.UTC) // the clocks change in the night
	got, err := engine.Simulate(bundle, engine.SimInput{Contact: engine.Sample(nil), Start: start})
	require.NoError(t, err)
	var after []time.Duration
	for _, m := range got.Messages {
		require.Empty(t, m.Skipped)
		after = append(after, m.At.Sub(start))
	}
	require.Equal(t, []time.Duration{0, 24 * time.Hour, 72 * time.Hour, 168 * time.Hour}, after)
}

func TestTheCartsMailListsItsItemsAndItsTotal(t *testing.T) {
	t.Parallel()
	for language, total := range map[string]string{"en": "Total: €118.00", "pl": "Razem: 118,00 zł", "ru": "Итого: 118,00 ₽"} {
		bundle, err := gallery.Bundle("cart", language)
		require.NoError(t, err)
		tests, err := engine.DecodeTests(bundle.Tests)
		require.NoError(t, err)
		artifact, _, err := creative.Compile(t.Context(), bundle.Creatives["cart-1"], creative.Options{Language: language})
		require.NoError(t, err)
		mail, err := artifact.Render(&engine.MergeScope{
			Fields: map[string]any{"first_name": "Anna"}, Event: tests[0].Event.Properties, Language: language,
			UnsubscribeURL: "https://x.example/u", ViewURL: "https://x.example/v",
		}, nil)
		require.NoError(t, err)
		plain := normal(mail.Text)
		require.Contains(t, plain, "1 × Yoga mat")
		require.Contains(t, plain, "2 × Cork block")
		require.Contains(t, plain, total)
		require.Contains(t, plain, "https://aurora.example/cart/7")
		raw, err := json.Marshal(mail.Links)
		require.NoError(t, err)
		require.Contains(t, string(raw), "https://aurora.example/cart/7")
	}
}

// normal makes the spaces inside numbers and sums plain ones.
func normal(text string) string {
	out := []rune(text)
	for i, r := range out {
		if r == '\u00a0' || r == '\u202f' {
			out[i] = ' '
		}
	}
	return string(out)
}
