// Package gallery holds the funnels to begin with: a welcome series, an abandoned cart and a reactivation, each in English, Polish and
// Russian, with the tests that hold them to their promise.
package gallery

import (
	"embed"
	"fmt"

	"github.com/lejek/lejek/engine"
)

//go:embed bundles/*.json
var bundles embed.FS

// Slugs and Languages name what there is.
var (
	Slugs     = []string{"welcome", "cart", "reactivation"}
	Languages = []string{"en", "pl", "ru"}
)

// Bundle is a funnel of the gallery in a language; one there is none for gets English. The error tells of a slug nobody knows.
func Bundle(slug, language string) (engine.Bundle, error) {
	raw, err := bundles.ReadFile("bundles/" + slug + "." + language + ".json")
	if err != nil {
		raw, err = bundles.ReadFile("bundles/" + slug + ".en.json")
	}
	if err != nil {
		return engine.Bundle{}, fmt.Errorf("there is no funnel %q in the gallery: %w", slug, err)
	}
	return engine.DecodeBundle(raw)
}
