package people

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/engine"
)

// Defs are the custom fields of a workspace, by key.
type Defs map[string]store.FieldDef

func defsOf(rows []store.FieldDef) Defs {
	defs := make(Defs, len(rows))
	for _, row := range rows {
		defs[row.Key] = row
	}
	return defs
}

// Value brings a value to the type of a custom field. Texts that read as the type are taken, for a CSV file and a merge
// text know only texts; an empty text and nil empty the field. The error says what is wrong and what to do.
func (d Defs) Value(key string, value any) (any, error) {
	def, ok := d[key]
	if !ok {
		return nil, d.unknown(key)
	}
	if text, ok := value.(string); ok {
		value = strings.TrimSpace(text)
	}
	if value == nil || value == "" {
		return nil, nil
	}
	switch def.Type {
	case "number":
		return number(value)
	case "boolean":
		return truth(value)
	case "date":
		return date(value)
	default:
		return textValue(value)
	}
}

func (d Defs) unknown(key string) error {
	known := make([]string, 0, len(d))
	for name := range d {
		known = append(known, name)
	}
	slices.Sort(known)
	if near := engine.Nearest(key, known); near != "" {
		return fmt.Errorf("there is no field %q. Did you mean %q? Otherwise create it under People, Fields", clip(key), near)
	}
	return fmt.Errorf("there is no field %q. Create it under People, Fields, then send it again", clip(key))
}

func textValue(value any) (any, error) {
	var text string
	switch value := value.(type) {
	case string:
		text = value
	case bool:
		text = strconv.FormatBool(value)
	case float64:
		text = strconv.FormatFloat(value, 'f', -1, 64)
	case json.Number:
		text = value.String()
	default:
		return nil, fmt.Errorf("expected a text, got %s", kind(value))
	}
	if !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
		return nil, fmt.Errorf("the text contains bytes that are no characters. Save the data as UTF-8")
	}
	if utf8.RuneCountInString(text) > maxText {
		return nil, fmt.Errorf("the text is longer than %d characters. Shorten it", maxText)
	}
	return text, nil
}

func number(value any) (any, error) {
	var n float64
	switch value := value.(type) {
	case float64:
		n = value
	case int:
		n = float64(value)
	case int64:
		n = float64(value)
	case json.Number:
		return number(value.String())
	case string:
		parsed, err := strconv.ParseFloat(value, 64)
		if err != nil {
			return nil, fmt.Errorf("%q is not a number. Write it like 1234.5", clip(value))
		}
		n = parsed
	default:
		return nil, fmt.Errorf("expected a number, got %s", kind(value))
	}
	if math.IsNaN(n) || math.IsInf(n, 0) {
		return nil, fmt.Errorf("the number is not finite. Write it like 1234.5")
	}
	return n, nil
}

func truth(value any) (any, error) {
	switch value := value.(type) {
	case bool:
		return value, nil
	case float64:
		if value == 0 || value == 1 {
			return value == 1, nil
		}
	case string:
		switch strings.ToLower(value) {
		case "true", "yes", "1", "tak", "да":
			return true, nil
		case "false", "no", "0", "nie", "нет":
			return false, nil
		}
	}
	return nil, fmt.Errorf("%q is neither yes nor no. Write true or false", clip(fmt.Sprint(value)))
}

// date keeps a day as 2006-01-02 and an instant as RFC 3339 in UTC.
func date(value any) (any, error) {
	if at, ok := value.(time.Time); ok {
		return at.UTC().Format(time.RFC3339Nano), nil
	}
	text, ok := value.(string)
	if !ok {
		return nil, fmt.Errorf("expected a date, got %s. Write it like 2026-12-24", kind(value))
	}
	if day, err := time.Parse(time.DateOnly, text); err == nil {
		return day.Format(time.DateOnly), nil
	}
	if local, err := time.Parse("2006-01-02T15:04", text); err == nil {
		return local.Format("2006-01-02T15:04"), nil
	}
	if at, err := time.Parse(time.RFC3339Nano, text); err == nil {
		return at.UTC().Format(time.RFC3339Nano), nil
	}
	return nil, fmt.Errorf("%q is not a date. Write it like 2026-12-24 or 2026-12-24T09:00:00Z", clip(text))
}

func kind(value any) string {
	switch value.(type) {
	case nil:
		return "nothing"
	case bool:
		return "true or false"
	case string:
		return "a text"
	case float64, int, int64, json.Number:
		return "a number"
	case []any:
		return "a list"
	default:
		return "an object"
	}
}
