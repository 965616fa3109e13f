package engine

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// binding is what the bounds of a comparison depend on besides its value.
type binding struct {
	now  time.Time
	zone *time.Location
}

// The bind functions compute $1 and $2 of a form. Values have passed DecodeRule.

func bindNothing(any, binding) []any         { return nil }
func bindText(v any, _ binding) []any        { return []any{Fold(v.(string))} }
func bindNumber(v any, _ binding) []any      { return []any{v} }
func bindTruth(v any, _ binding) []any       { return []any{v} }
func bindNumberRange(v any, _ binding) []any { low, high := pairOf(v); return []any{low, high} }

// The span functions compute the instants (µs) a comparison of dates holds for: from, and up to but without to.

func spanFrom(v any, b binding) (from, to int64)   { from, _ = spanOf(v, b); return from, math.MaxInt64 }
func spanBefore(v any, b binding) (from, to int64) { to, _ = spanOf(v, b); return math.MinInt64, to }
func spanUpTo(v any, b binding) (from, to int64)   { _, to = spanOf(v, b); return math.MinInt64, to }
func spanAfter(v any, b binding) (from, to int64)  { _, from = spanOf(v, b); return from, math.MaxInt64 }

// spanLast is (now - v, now], spanNext (now, now + v].
func spanLast(v any, b binding) (from, to int64) {
	now := b.now.UnixMicro()
	return now - micros(v) + 1, now + 1
}

func spanNext(v any, b binding) (from, to int64) {
	now := b.now.UnixMicro()
	return now + 1, now + micros(v) + 1
}

func spanBetween(v any, b binding) (from, to int64) {
	low, high := pairOf(v)
	from, _ = spanOf(low, b)
	_, to = spanOf(high, b)
	return from, to
}

func bindTextSet(v any, _ binding) []any {
	set := make(map[string]bool)
	for _, element := range v.([]any) {
		set[Fold(element.(string))] = true
	}
	return []any{set}
}

func bindNumberSet(v any, _ binding) []any {
	set := make(map[float64]bool)
	for _, element := range v.([]any) {
		set[element.(float64)] = true
	}
	return []any{set}
}

func pairOf(v any) (low, high any) {
	pair := v.([]any)
	return pair[0], pair[1]
}

func micros(v any) int64 { return v.(Duration).Window().Microseconds() }

// spanOf is the half-open span of microseconds a date value covers: a day from its start to the next one's, an instant
// one microsecond.
func spanOf(v any, b binding) (from, to int64) {
	when, _ := readDate(v)
	from = when.instant(b.zone).UnixMicro()
	if when.wholeDay {
		return from, when.day.AddDays(1).Start(b.zone).UnixMicro()
	}
	return from, from + 1
}

// dateValue is a date as fields and events hold it: an instant, a day, or a local date and time.
type dateValue struct {
	at       time.Time // an instant; zero for the other two
	day      Date
	clock    time.Duration
	wholeDay bool
}

func (d dateValue) instant(zone *time.Location) time.Time {
	if !d.at.IsZero() {
		return d.at
	}
	return ResolveLocal(d.day, d.clock, zone)
}

// readDate takes a value as a date if it is one: a time.Time, an RFC 3339 instant, 2026-12-24 or 2026-12-24T09:00.
func readDate(v any) (dateValue, bool) {
	switch v := v.(type) {
	case time.Time:
		return dateValue{at: v}, !v.IsZero()
	case string:
		if len(v) < len("2006-01-02") || v[4] != '-' || v[7] != '-' {
			return dateValue{}, false
		}
		if day, clock, wholeDay, err := parseFace(v); err == nil {
			return dateValue{day: day, clock: clock, wholeDay: wholeDay}, true
		}
		at, err := time.Parse(time.RFC3339Nano, v)
		return dateValue{at: at}, err == nil && !at.IsZero()
	default:
		return dateValue{}, false
	}
}

// bring turns a value met into the kind a form compares, or nil if it is missing or of another kind.
func bring(v any, kind valueKind, zone *time.Location) any {
	switch kind {
	case kindText:
		if text, ok := textOf(v); ok && text != "" {
			return Fold(text)
		}
	case kindNumber:
		if number, ok := numberOf(v); ok {
			return number
		}
	case kindTruth:
		if truth, ok := v.(bool); ok {
			return truth
		}
	case kindDate:
		if when, ok := readDate(v); ok {
			return when.instant(zone).UnixMicro()
		}
	case kindAny:
		if !isMissing(v) {
			return true
		}
	}
	return nil
}

// isMissing tells nil and the empty text, list and group.
func isMissing(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case string:
		return v == ""
	case []any:
		return len(v) == 0
	case []string:
		return len(v) == 0
	case map[string]any:
		return len(v) == 0
	case time.Time:
		return v.IsZero()
	default:
		return false
	}
}

// textOf writes a single value as the text it is compared and shown as; lists and groups have none.
func textOf(v any) (string, bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case bool:
		return strconv.FormatBool(v), true
	case time.Time:
		return v.UTC().Format(time.RFC3339), true
	}
	if number, ok := numberOf(v); ok {
		return formatNumber(number), true
	}
	return "", false
}

// numberOf takes a value as a number if it is one. Texts are not numbers, even when they look like it.
func numberOf(v any) (float64, bool) {
	switch v := v.(type) {
	case float64:
		return v, v == v
	case int:
		return float64(v), true
	case int64:
		return float64(v), true
	case float32:
		return float64(v), v == v
	case json.Number:
		number, err := v.Float64()
		return number, err == nil
	default:
		return 0, false
	}
}

// formatNumber writes a number the short way: 3, 19.9, 1250000.
func formatNumber(number float64) string {
	if number == 0 {
		return "0"
	}
	return strconv.FormatFloat(number, 'f', -1, 64)
}

// Fold brings a text to the form in which rules compare it: letters that differ only in case become equal.
func Fold(text string) string {
	for i := range len(text) {
		if c := text[i]; c >= 0x80 || 'A' <= c && c <= 'Z' {
			return strings.Map(foldRune, text)
		}
	}
	return text
}

// foldRune gives the same rune for all runes of a simple-folding orbit, lower case where it has one.
func foldRune(r rune) rune {
	least := r
	for next := unicode.SimpleFold(r); next != r; next = unicode.SimpleFold(next) {
		least = min(least, next)
	}
	return unicode.ToLower(least)
}

// lookup follows a path of names through groups: "cart.total". A property whose own name has dots is found first.
func lookup(values map[string]any, path string) any {
	for {
		if v, ok := values[path]; ok {
			return v
		}
		head, rest, found := strings.Cut(path, ".")
		if !found {
			return nil
		}
		values, _ = values[head].(map[string]any)
		path = rest
	}
}
