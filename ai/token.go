package ai

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// token is a word, number, quotation or mark of a prompt. Text is folded; Raw is as written.
type token struct {
	kind tokenKind
	text string
	raw  string
	num  float64
}

type tokenKind int

const (
	aWord tokenKind = iota
	aNumber
	aQuote
	aBreak // ends a clause: full stop, semicolon, line, arrow
	aComma // comma, colon, dash, bracket
	aPercent
)

// maxPrompt is the longest prompt that is read, in bytes; a longer one is refused before this.
const maxPrompt = 16 << 10

// tokenize cuts a prompt up. Comments, and addresses of the web, are left out: they are never part of a wish.
func tokenize(s string) []token {
	s = stripAsides(s)
	var out []token
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case opensQuote(s, i, r):
			inside, end := quotation(s, i, r)
			if end > 0 {
				out = append(out, token{kind: aQuote, text: fold(inside), raw: inside})
				i = end
				continue
			}
			i += n
		case unicode.IsDigit(r):
			end := i
			for end < len(s) && (s[end] >= '0' && s[end] <= '9' || (s[end] == '.' || s[end] == ',') && end+1 < len(s) && s[end+1] >= '0' && s[end+1] <= '9') {
				end++
			}
			if end == i {
				i += n
				continue
			}
			out = append(out, numberTokens(s[i:end])...)
			i = end
		case unicode.IsLetter(r) || r == '_':
			end := wordEnd(s, i)
			out = append(out, token{kind: aWord, text: strings.ReplaceAll(fold(s[i:end]), "'", ""), raw: s[i:end]})
			i = end
		default:
			if mark, ok := markOf(s[i:], r); ok {
				out = append(out, token{kind: mark, text: string(r), raw: string(r)})
			}
			i += n
		}
	}
	return out
}

func markOf(s string, r rune) (tokenKind, bool) {
	switch {
	case r == '.' || r == ';' || r == '\n' || r == '!' || r == '?' || r == '→' || r == '•' || strings.HasPrefix(s, "->") || strings.HasPrefix(s, "=>"):
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

// stripAsides takes out HTML comments and web addresses. What follows a comment is a new clause.
func stripAsides(s string) string {
	for {
		from := strings.Index(s, "<!--")
		if from < 0 {
			break
		}
		to := strings.Index(s[from:], "-->")
		if to < 0 {
			s = s[:from]
			break
		}
		s = s[:from] + "\n" + s[from+to+3:]
	}
	if !strings.Contains(s, "://") {
		return s
	}
	words := strings.Split(s, " ")
	for i, w := range words {
		if strings.Contains(w, "://") {
			words[i] = ""
		}
	}
	return strings.Join(words, " ")
}
