package funnels

import (
	"strconv"

	"github.com/lejek/lejek/backend/slug"
)

// slugFor makes the name by which other funnels refer to this one, free among the taken ones. It never changes again.
func slugFor(name string, taken []string) string {
	used := make(map[string]bool, len(taken))
	for _, slug := range taken {
		used[slug] = true
	}
	base := slug.Of(name, "funnel")
	for n := 1; ; n++ {
		made := base
		if n > 1 {
			made += "-" + strconv.Itoa(n)
		}
		if !used[made] {
			return made
		}
	}
}
