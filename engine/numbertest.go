package engine

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// numberTest holds a number against another.
type numberTest struct {
	Op    string  `json:"op"`
	Value float64 `json:"value"`
}

// comparisons are the operators of a comparison, those of rules about numbers.
var comparisons = []string{"gt", "gte", "lt", "lte", "is"}

func (c numberTest) holds(n float64) bool {
	switch c.Op {
	case "gt":
		return n > c.Value
	case "gte":
		return n >= c.Value
	case "lt":
		return n < c.Value
	case "lte":
		return n <= c.Value
	default:
		return n == c.Value
	}
}

// example is a number for which it holds.
func (c numberTest) example() float64 {
	switch c.Op {
	case "gt":
		return c.Value + 1
	case "lt":
		return c.Value - 1
	default:
		return c.Value
	}
}

func (k *Checker) checkComparison(field *Field, raw json.RawMessage) {
	var shape struct {
		Op    string   `json:"op"`
		Value *float64 `json:"value"`
	}
	if err := decodeStrict(raw, &shape); err != nil {
		k.Invalid(field.Key, fmt.Sprintf("%s: %s.", quote(field.Label), clean(err))).with("field", field.Key)
		return
	}
	if !slices.Contains(comparisons, shape.Op) {
		k.Invalid(joinPath(field.Key, "op"), fmt.Sprintf("%s cannot compare numbers. Choose one of %s.", quote(shape.Op), strings.Join(comparisons, ", "))).
			with("value", shape.Op).fix("At least", joinPath(field.Key, "op"), "gte")
	}
	if shape.Value == nil {
		k.Required(joinPath(field.Key, "value"), "Enter the number to compare with.").with("field", field.Key)
	}
}
