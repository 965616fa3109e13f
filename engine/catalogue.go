package engine

import (
	"cmp"
	"maps"
	"slices"
)

// CatalogueDoc is everything a funnel can be made of: the one source of palette, inspector, validator, AI schema and docs.
type CatalogueDoc struct {
	Nodes     []Kind     `json:"nodes"`
	Triggers  []Kind     `json:"triggers"`
	Operators []Operator `json:"operators"`
	Functions []Function `json:"functions"`
}

// Catalogue lists all kinds in the order of the palette, whatever the order of files.
func Catalogue() CatalogueDoc {
	return CatalogueDoc{
		Nodes:     inPaletteOrder(nodeKinds, func(d *definition) Kind { return d.Kind }),
		Triggers:  inPaletteOrder(triggerKinds, func(d *triggerDefinition) Kind { return d.Kind }),
		Operators: Operators(),
		Functions: Functions(),
	}
}

// NodeKind finds a node kind by name.
func NodeKind(kind string) (Kind, bool) {
	if found, ok := nodeKinds[kind]; ok {
		return found.Kind, true
	}
	return Kind{}, false
}

// TriggerKind finds a trigger kind by name.
func TriggerKind(kind string) (Kind, bool) {
	if found, ok := triggerKinds[kind]; ok {
		return found.Kind, true
	}
	return Kind{}, false
}

// families in the order of the palette.
var families = []Family{FamilyTrigger, FamilyMessage, FamilyWait, FamilyLogic, FamilyAction, FamilyGoal}

func inPaletteOrder[D any](known map[string]D, kindOf func(D) Kind) []Kind {
	kinds := make([]Kind, 0, len(known))
	for d := range maps.Values(known) {
		kinds = append(kinds, kindOf(d))
	}
	slices.SortFunc(kinds, func(a, b Kind) int {
		return cmp.Or(
			cmp.Compare(slices.Index(families, a.Family), slices.Index(families, b.Family)),
			cmp.Compare(a.Order, b.Order),
			cmp.Compare(a.Kind, b.Kind),
		)
	})
	return kinds
}
