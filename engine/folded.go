package engine

import (
	"encoding/json"
	"strings"
	"time"
)

// FoldedValues is what rules compare of a person's fields or an event's properties and a database cannot work out itself:
// texts without regard to case, and texts that are dates. Keys are paths as rules write them.
type FoldedValues struct {
	Texts map[string]string `json:"t,omitempty"` // only those that differ from the text itself
	Dates map[string]any    `json:"d,omitempty"` // an instant: int64, microseconds since 1970; a day or local time: a face, which sorts as a text
}

// FoldValues works out what a database has to know about values besides the values, as JSON; nil is nothing.
func FoldValues(values map[string]any) json.RawMessage {
	folded := FoldedValues{}
	type group struct {
		prefix string
		values map[string]any
	}
	// Outer groups first: a path is looked up in the outermost group that has it.
	seen := map[string]bool{}
	for queue := []group{{"", values}}; len(queue) > 0; queue = queue[1:] {
		for key, value := range queue[0].values {
			path := queue[0].prefix + key
			if inner, ok := value.(map[string]any); ok && !strings.Contains(key, ".") {
				queue = append(queue, group{path + ".", inner})
			}
			if seen[path] {
				continue
			}
			seen[path] = true
			if text, ok := value.(string); ok {
				folded.add(path, text)
			}
		}
	}
	if folded.Texts == nil && folded.Dates == nil {
		return nil
	}
	raw, err := json.Marshal(folded)
	if err != nil {
		return nil // texts and numbers always are JSON
	}
	return raw
}

func (f *FoldedValues) add(path, text string) {
	if lower := Fold(text); lower != text {
		if f.Texts == nil {
			f.Texts = map[string]string{}
		}
		f.Texts[path] = lower
	}
	date, ok := readDate(text)
	if !ok {
		return
	}
	if f.Dates == nil {
		f.Dates = map[string]any{}
	}
	if !date.at.IsZero() {
		f.Dates[path] = date.at.UnixMicro()
		return
	}
	midnight := time.Date(date.day.Year, date.day.Month, date.day.Day, 0, 0, 0, 0, time.UTC)
	f.Dates[path] = midnight.Add(date.clock).Format(faceFormat)
}
