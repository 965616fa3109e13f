package engine

import (
	"encoding/json"
	"fmt"
	"strconv"
)

// maxPairs bounds a field of pairs.
const maxPairs = 50

// namedText is one pair: a name, and what the field's Of calls the other member.
type namedText struct{ name, text string }

// pairsOf reads a field of pairs.
func pairsOf(raw json.RawMessage, of string) ([]namedText, bool) {
	var elements []map[string]string
	if json.Unmarshal(raw, &elements) != nil {
		return nil, false
	}
	pairs := make([]namedText, len(elements))
	for i, element := range elements {
		for key := range element {
			if key != "name" && key != of {
				return nil, false
			}
		}
		pairs[i] = namedText{element["name"], element[of]}
	}
	return pairs, true
}

func (k *Checker) checkPairs(field *Field, raw json.RawMessage) {
	pairs, ok := pairsOf(raw, field.Of)
	if !ok {
		k.Invalid(field.Key, fmt.Sprintf("%s must be a list of a name and a %s each.", quote(field.Label), field.Of)).with("field", field.Key)
		return
	}
	if len(pairs) > maxPairs {
		k.Invalid(field.Key, fmt.Sprintf("%s has %d entries. Shorten it to %d.", quote(field.Label), len(pairs), maxPairs)).
			with("field", field.Key).with("max", strconv.Itoa(maxPairs))
	}
	for i, pair := range pairs {
		if pair.name == "" {
			at := joinPath(joinIndex("", field.Key, i), "name")
			k.Required(at, "Give this entry a name, or remove it.").with("field", at)
		}
	}
}
