// Package gallery holds the funnels to begin with, each in English, Polish and Russian, with the tests that hold them to their promise.
// about.json names them and says in one sentence what each does; its order is the order in which they are shown.
package gallery

import (
	"embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/engine"
)

//go:embed bundles/*.json
var bundles embed.FS

//go:embed about.json
var aboutJSON []byte

// Languages names those every template is written in.
var Languages = []string{"en", "pl", "ru"}

// about is what a template says of itself, by language.
type about struct {
	Slug string            `json:"slug"`
	Name map[string]string `json:"name"`
	Does map[string]string `json:"does"`
}

var abouts = func() (all []about) {
	if err := json.Unmarshal(aboutJSON, &all); err != nil {
		panic(fmt.Sprintf("about.json of the gallery: %v", err)) // embedded: the first test finds it
	}
	return all
}()

// Template is a funnel to begin with, in one language.
type Template struct {
	Slug     string
	Name     string
	Does     string   // in one sentence
	Channels []string // by which it writes, in the order of its steps
	Steps    int      // without the entry and the goals
	Own      bool     // made in the workspace, and written in whatever language it was written in
	Bundle   engine.Bundle
}

// Slugs names what there is, in the order of the gallery.
func Slugs() []string {
	out := make([]string, len(abouts))
	for i, a := range abouts {
		out[i] = a.Slug
	}
	return out
}

// Templates are all of them in a language; one that is not spoken gets English.
func Templates(language string) ([]Template, error) {
	out := make([]Template, 0, len(abouts))
	for _, slug := range Slugs() {
		template, err := Get(slug, language)
		if err != nil {
			return nil, err
		}
		out = append(out, template)
	}
	return out, nil
}

// Get is one template in a language. The fault tells of a slug nobody knows.
func Get(slug, language string) (Template, error) {
	if !slices.Contains(Languages, language) {
		language = "en"
	}
	i := slices.IndexFunc(abouts, func(a about) bool { return a.Slug == slug })
	if i < 0 {
		return Template{}, fault.InvalidField("template", noTemplate, slug)
	}
	bundle, err := Bundle(slug, language)
	if err != nil {
		return Template{}, err
	}
	template := Template{Slug: slug, Name: abouts[i].Name[language], Does: abouts[i].Does[language], Bundle: bundle}
	template.describe()
	return template, nil
}

const noTemplate = "There is no template %q. GET /templates names those there are."

// describe counts what the bundle holds.
func (t *Template) describe() {
	for _, node := range t.Bundle.Graph.Nodes {
		if kind, _ := engine.NodeKind(node.Kind); kind.Family == engine.FamilyTrigger || kind.Family == engine.FamilyGoal {
			continue
		}
		t.Steps++
		var config struct {
			Creative string `json:"creative"`
		}
		if json.Unmarshal(node.Config, &config) != nil || config.Creative == "" {
			continue
		}
		channel := t.Bundle.Creatives[strings.TrimPrefix(config.Creative, "creative:")].Channel
		if channel != "" && !slices.Contains(t.Channels, channel) {
			t.Channels = append(t.Channels, channel)
		}
	}
}

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
