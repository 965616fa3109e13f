package ai

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// token is a word, number, quotation or mark of a prompt. Text is folded; Raw is as written; at and end are its bytes in the prompt.
type token struct {
	kind    tokenKind
	text    string
	raw     string
	num     float64
	at, end int
	sure    bool // a word of the language, not a misspelling of another
}

type tokenKind int

const (
	aWord tokenKind = iota
	aNumber
	aQuote
	aBreak // ends a clause: full stop, semicolon, line, arrow
	aComma // comma, colon, dash, bracket
	aPercent
	aClock // 18:30; num is the minute of the day
)

// maxPrompt is the longest prompt that is read, in bytes; a longer one is refused before this.
const maxPrompt = 16 << 10

// tokenize cuts a prompt up. Comments, and addresses of the web, are left out: they are never part of a wish.
func tokenize(s string) []token {
	s = blankAsides(s)
	var out []token
	add := func(from, to int, tokens ...token) {
		for _, t := range tokens {
			t.at, t.end = from, to
			out = append(out, t)
		}
	}
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		end := i + n
		switch {
		case opensQuote(s, i, r):
			if inside, to := quotation(s, i, r); to > 0 {
				add(i, to, token{kind: aQuote, text: fold(inside), raw: inside})
				end = to
			}
		case r >= '0' && r <= '9':
			if m := clockAt(s, i, out); m != nil {
				end = i + len(m[0])
				add(i, end, token{kind: aClock, text: m[1] + ":" + m[2], raw: m[0], num: float64(atoi(m[1], 0)*60 + atoi(m[2], 0))})
				break
			}
			for end < len(s) && (s[end] >= '0' && s[end] <= '9' || (s[end] == '.' || s[end] == ',') && end+1 < len(s) && s[end+1] >= '0' && s[end+1] <= '9') {
				end++
			}
			add(i, end, numberTokens(s[i:end])...)
		case unicode.IsLetter(r) || r == '_':
			end = wordEnd(s, i)
			if strings.HasPrefix(s[i:], "w/ ") {
				end++
				add(i, end, token{kind: aWord, text: "with", raw: "with"})
				break
			}
			add(i, end, token{kind: aWord, text: strings.ReplaceAll(fold(s[i:end]), "'", ""), raw: s[i:end]})
		case r == '.' && i > 0 && isDigit(s[i-1]) && ordinalDot.MatchString(s[i:]):
		case r == '.' && len(out) > 0 && shortened(out[len(out)-1], i, s[i+1:]):
		case r == '/' && pathEnd(s, i) > i:
			end = pathEnd(s, i)
			add(i, end, token{kind: aWord, text: fold(s[i:end]), raw: s[i:end]})
		case r == '/' && betweenLetters(s, i):
		case r == '-' && apart(s, i):
			add(i, end, token{kind: aComma, text: "-", raw: "-"})
		default:
			if mark, ok := markOf(s[i:], r); ok {
				add(i, end, token{kind: mark, text: string(r), raw: string(r)})
			}
		}
		i = end
	}
	return out
}

// pathEnd is where a path of a site such as /pricing ends that begins at a place; 0 is none.
func pathEnd(s string, i int) int {
	if i > 0 && !strings.ContainsRune(" \n\t\"'(", rune(s[i-1])) {
		return 0
	}
	m := pathForm.FindString(s[i:])
	return i + len(m)
}

var pathForm = regexp.MustCompile(`^/[a-z][a-z0-9_-]{2,}(?:/[a-z0-9_-]+)*`)

// apart tells whether a hyphen stands between spaces, where it is meant as a dash. Between two numbers it is "to".
func apart(s string, i int) bool {
	return i > 1 && i+2 < len(s) && s[i-1] == ' ' && s[i+1] == ' ' && s[i+2] != '>' && !(isDigit(s[i-2]) && isDigit(s[i+2]))
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// shortened tells whether a full stop only ends a shortened word: "на след. день", "po 3 godz. sms".
func shortened(last token, at int, rest string) bool {
	if last.end != at || last.kind != aWord || !slices.Contains([]string{"proc", "проц", "след", "нед", "мин", "час", "дн", "мес", "тел", "godz", "tyg", "min", "dn", "mies", "nast", "tel", "np", "ok", "hrs", "hr", "mins", "approx", "ca", "eg", "vs"}, last.text) {
		return false
	}
	next, _ := utf8.DecodeRuneInString(strings.TrimLeft(rest, " "))
	return unicode.IsLower(next) || unicode.IsDigit(next) || next == ','
}

// ordinalDot is the full stop of a Polish ordinal: "2., 5. i 9. dnia".
var ordinalDot = regexp.MustCompile(`^\.(?:,| (?:i|oraz|dnia|dniu|dzie[nń]|tygodni[au]|tydzie[nń])\b)`)

// betweenLetters tells whether a slash joins two words: "A/B", "email/sms".
func betweenLetters(s string, i int) bool {
	before, _ := utf8.DecodeLastRuneInString(s[:i])
	after, _ := utf8.DecodeRuneInString(s[i+1:])
	return unicode.IsLetter(before) && unicode.IsLetter(after)
}

var (
	clockForm = regexp.MustCompile(`^([01]?[0-9]|2[0-3]):([0-5][0-9])\b`)
	dottedPM  = regexp.MustCompile(`^(0?[0-9]|1[0-2])\.([0-5][0-9]) ?(?:[ap]\.?m)\b`)
	dotted    = regexp.MustCompile(`^([01]?[0-9]|2[0-3])\.([0-5][0-9])(?:$|[^0-9%.])`)
)

// clockAt finds a time of day in digits: "18:15", "6.15pm", and "o 8.30", which only a word for "at" tells from a number.
func clockAt(s string, i int, before []token) []string {
	if m := clockForm.FindStringSubmatch(s[i:min(len(s), i+5)]); m != nil {
		return m
	}
	told := len(before) > 0 && before[len(before)-1].kind == aWord && slices.Contains([]string{"at", "o", "в", "около", "okolo"}, before[len(before)-1].text)
	m := dottedPM.FindStringSubmatch(s[i:min(len(s), i+9)])
	if m == nil && told {
		m = dotted.FindStringSubmatch(s[i:min(len(s), i+7)])
	}
	if m == nil {
		return nil
	}
	return []string{m[1] + "." + m[2], m[1], m[2]}
}

func markOf(s string, r rune) (tokenKind, bool) {
	switch {
	case r == '.' || r == ';' || r == '\n' || r == '!' || r == '?' || r == '→' || r == '\u2023' || r == '•' || strings.HasPrefix(s, "->") || strings.HasPrefix(s, "=>"):
		return aBreak, true
	case r == ',' || r == ':' || r == '—' || r == '–' || r == '(' || r == ')' || r == '+' || r == '/' || r == '&':
		return aComma, true
	case r == '%':
		return aPercent, true
	}
	return 0, false
}

// numberTokens reads digits: "1.5" and "1,5" are one number, "0,1,3,7" is a list.
func numberTokens(s string) []token {
	if n, err := strconv.ParseFloat(strings.ReplaceAll(s, ",", "."), 64); err == nil {
		return []token{{kind: aNumber, text: s, raw: s, num: n}}
	}
	var out []token
	for part := range strings.FieldsFuncSeq(s, func(r rune) bool { return r == '.' || r == ',' }) {
		n, err := strconv.ParseFloat(part, 64)
		if err != nil {
			continue
		}
		if len(out) > 0 {
			out = append(out, token{kind: aComma, text: ",", raw: ","})
		}
		out = append(out, token{kind: aNumber, text: part, raw: part, num: n})
	}
	return out
}

// wordEnd goes on through letters, digits after letters, underscores, apostrophes inside words and combining marks.
func wordEnd(s string, from int) int {
	end := from
	for end < len(s) {
		r, n := utf8.DecodeRuneInString(s[end:])
		next, _ := utf8.DecodeRuneInString(s[end+n:])
		inside := unicode.IsLetter(r) || r == '_' || unicode.Is(unicode.Mn, r) || unicode.IsDigit(r) ||
			(r == '\'' || r == '’') && unicode.IsLetter(next)
		if !inside {
			break
		}
		end += n
	}
	return end
}

var quotes = map[rune]string{'"': "\"", '„': "”\"“", '“': "”\"", '«': "»", '\'': "'", '‘': "’'", '`': "`"}

func opensQuote(s string, i int, r rune) bool {
	if _, ok := quotes[r]; !ok {
		return false
	}
	before, _ := utf8.DecodeLastRuneInString(s[:i])
	return i == 0 || !unicode.IsLetter(before)
}

// quotation returns what stands in quotes and where it ends; 0 when they are not closed on the same line.
func quotation(s string, i int, open rune) (string, int) {
	_, n := utf8.DecodeRuneInString(s[i:])
	for j := i + n; j < len(s); {
		r, m := utf8.DecodeRuneInString(s[j:])
		next, _ := utf8.DecodeRuneInString(s[j+m:])
		if strings.ContainsRune(quotes[open], r) && !unicode.IsLetter(next) {
			return s[i+n : j], j + m
		}
		if r == '\n' {
			return "", 0
		}
		j += m
	}
	return "", 0
}

// blankAsides blanks out HTML comments and web addresses, so that what is left keeps its place. What follows a comment is a new clause.
func blankAsides(s string) string {
	blank := func(found string) string {
		return "\n" + strings.Repeat(" ", max(0, len(found)-2)) + "\n"
	}
	if strings.Contains(s, "<!--") {
		s = comments.ReplaceAllStringFunc(s, blank)
	}
	if strings.Contains(s, "<") {
		s = tagged.ReplaceAllStringFunc(s, blank)
	}
	s = blankNumbers(s)
	if strings.Count(s, " > ") > 1 {
		s = strings.ReplaceAll(s, " > ", "\u2023") // as wide as three bytes
	}
	if strings.Contains(s, "://") {
		s = webAddress.ReplaceAllStringFunc(s, func(found string) string { return strings.Repeat(" ", len(found)) })
	}
	return s
}

// blankNumbers makes new lines of the numbers or letters of a list: "1) an email 2) wait 3 weeks 3) ...".
func blankNumbers(s string) string {
	for _, list := range []struct {
		form *regexp.Regexp
		name func(int) string
	}{{numbered, func(k int) string { return strconv.Itoa(k + 1) }}, {lettered, func(k int) string { return string(rune('a' + k)) }}} {
		found := list.form.FindAllStringSubmatchIndex(s, -1)
		for k, at := range found {
			if s[at[2]:at[3]] != list.name(k) {
				found = nil
			}
		}
		if len(found) < 2 {
			continue
		}
		out := []byte(s)
		for _, at := range found {
			copy(out[at[2]:at[1]], "\n"+strings.Repeat(" ", at[1]-at[2]-1))
		}
		s = string(out)
	}
	return s
}

var (
	numbered   = regexp.MustCompile(`(?:^|\s)(\d{1,2})[.)](?:\s|$)`)
	lettered   = regexp.MustCompile(`(?:^|\s)([a-z])\)(?:\s|$)`)
	comments   = regexp.MustCompile(`(?s)<!--.*?(?:-->|$)`)
	tagged     = regexp.MustCompile(`(?is)<\s*(?:system|assistant|instructions?|prompt)\b[^>]*>.*?(?:<\s*/|$)|</?[a-z][^<>]*>`)
	webAddress = regexp.MustCompile(`[^\s"'”»«„]*://[^\s"'”»]*`)
)
