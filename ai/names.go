package ai

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/lejek/lejek/engine"
)

type fields = map[string]any

// ref writes a reference by a name as a person says it. A name the workspace has, written alike but for case, accents or a
// letter, gives that one's slug; any other gives a new slug, which the person makes or picks before publishing.
func (b *builder) ref(of, name string) string {
	name = strings.TrimPrefix(strings.TrimSpace(name), of+":")
	want := slug(name)
	if of == "field" {
		want = fieldKey(name)
	}
	known := knownNames(b.set.Workspace, of)
	best, score := "", 0.0
	for _, k := range known {
		if k == want {
			return of + ":" + k
		}
		if s := likeness(k, want); s > score {
			best, score = k, s
		}
	}
	if score < 0.85 {
		if k := inflected(known, want); k != "" {
			best, score = k, 1
		}
	}
	if score >= 0.85 {
		return of + ":" + best
	}
	if want == "" {
		want = of
	}
	if b.set.Workspace != nil {
		b.note("ref_new", b.say.line("ref_"+of), want)
	}
	return of + ":" + want
}

func knownNames(ws *engine.Workspace, of string) []string {
	if ws == nil {
		return nil
	}
	switch of {
	case "tag":
		return ws.Tags
	case "list":
		return ws.Lists
	case "segment":
		return ws.Segments
	case "topic":
		return ws.Topics
	case "funnel":
		return ws.Funnels
	case "resource":
		return ws.Resources
	case "form":
		return mapped(ws.Forms, func(f engine.Form) string { return f.Slug })
	case "connection":
		return mapped(ws.Connections, func(c engine.Connection) string { return c.Slug })
	case "field":
		return mapped(ws.ContactFields(), func(f engine.ContactField) string { return f.Key })
	default:
		return nil
	}
}

func mapped[T any](list []T, name func(T) string) []string {
	out := make([]string, 0, len(list))
	for _, v := range list {
		out = append(out, name(v))
	}
	return out
}

// likeness is 1 for equal strings and falls with the share of letters to change.
func likeness(a, b string) float64 {
	if a == "" || b == "" {
		return 0
	}
	n := max(utf8.RuneCountInString(a), utf8.RuneCountInString(b))
	return 1 - float64(distance([]rune(a), []rune(b)))/float64(n)
}

// slug writes a name as an identifier: Latin letters, digits and single hyphens, at most 48. Cyrillic is transliterated.
func slug(name string) string {
	var out strings.Builder
	gap := false
	for _, r := range strings.ToLower(name) {
		s, ok := latin(r)
		if !ok {
			gap = out.Len() > 0
			continue
		}
		if gap && s != "" {
			out.WriteByte('-')
			gap = false
		}
		out.WriteString(s)
		if out.Len() >= 48 {
			break
		}
	}
	return strings.Trim(out.String(), "-")
}

// latin writes one lower-case letter or digit in ASCII; false for anything else.
func latin(r rune) (string, bool) {
	switch {
	case r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
		return string(r), true
	case unicode.Is(unicode.Mn, r):
		return "", true
	}
	s, ok := latinOf[r]
	return s, ok
}

var latinOf = func() map[rune]string {
	m := map[rune]string{}
	words := strings.Fields("а a б b в v г g д d е e ё e ж zh з z и i й y к k л l м m н n о o п p р r с s т t у u ф f х kh ц ts ч ch ш sh щ shch ы y э e ю yu я ya і i ї i є ye ґ g " +
		"ą a ć c ę e ł l ń n ó o ś s ź z ż z á a à a â a ä a ã a å a ç c é e è e ê e ë e í i ì i î i ï i ñ n ö o ô o ò o õ o ø o ß ss ú u ù u û u ü u ý y č c ď d ě e ň n ř r š s ť t ů u ž z")
	for i := 0; i+1 < len(words); i += 2 {
		r, _ := utf8.DecodeRuneInString(words[i])
		m[r] = words[i+1]
	}
	m['ъ'], m['ь'] = "", ""
	return m
}()

// fieldKey writes a contact field or event property as rules name it.
func fieldKey(name string) string {
	name = strings.TrimPrefix(strings.TrimSpace(name), "field:")
	prefix := ""
	if rest, ok := strings.CutPrefix(name, "event."); ok {
		prefix, name = "event.", rest
	}
	return prefix + strings.ReplaceAll(slug(name), "-", "_")
}

// eventSlug writes an event name in the alphabet of the API.
func eventSlug(name string) string {
	name = strings.TrimSpace(name)
	if name == "" {
		return ""
	}
	parts := strings.Split(name, ".")
	for i, p := range parts {
		parts[i] = strings.ReplaceAll(slug(strings.ReplaceAll(p, "_", "-")), "-", "_")
	}
	out := strings.Trim(strings.Join(parts, "."), "._")
	if out != "" && (out[0] < 'a' || out[0] > 'z') {
		out = "event_" + out
	}
	return out
}

// short cuts a name at a word's end within n letters.
func short(s string, n int) string {
	s = strings.Join(strings.Fields(s), " ")
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	runes := []rune(s)[:n-1]
	if at := strings.LastIndexByte(string(runes), ' '); at > n/2 {
		return strings.TrimRight(string(runes)[:at], ",.;:- ") + "…"
	}
	return string(runes) + "…"
}

// clockTime finds a time of day such as "9:00" or "18:30" in a text and writes it as "09:00"; "" when there is none.
func clockTime(s string) string {
	for word := range strings.FieldsSeq(s) {
		h, m, ok := strings.Cut(word, ":")
		if !ok || len(m) < 2 {
			continue
		}
		hour, minute := atoi(h, -1), atoi(m[:2], -1)
		if hour >= 0 && hour < 24 && minute >= 0 && minute < 60 {
			return string([]byte{byte('0' + hour/10), byte('0' + hour%10), ':', byte('0' + minute/10), byte('0' + minute%10)})
		}
	}
	return ""
}

var days = []string{"mon", "tue", "wed", "thu", "fri", "sat", "sun"}

// weekdays finds English day names, long or short; without any, all seven.
func weekdays(s string) []string {
	if out := weekdayNames(s); len(out) > 0 {
		return out
	}
	return days
}

// weekdayNames finds English day names, long or short.
func weekdayNames(s string) []string {
	var out []string
	low := strings.ToLower(s)
	for _, d := range days {
		if strings.Contains(low, d) {
			out = append(out, d)
		}
	}
	return out
}

// Slug writes a name as references in a graph do.
func Slug(name string) string { return slug(name) }
