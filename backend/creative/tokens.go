package creative

import (
	"fmt"
	"strconv"
	"strings"
)

// tokens stand for values while MJML works. A token is a plain word, so nothing on the way changes it, and it occurs
// nowhere in the author's own text.
type tokens struct {
	mark   string
	values []tokenValue
}

// tokenValue is what a token stands for.
type tokenValue struct {
	text  string // merge text
	block string
	link  int // 1 + index of the link, or 0
	word  Word
	mark  *Mark // the beginning or end of a part that is repeated or shown on a condition
}

// newTokens chooses a mark that does not occur in the document.
func newTokens(document string) *tokens {
	mark := "LQ"
	for strings.Contains(document, mark) {
		mark += "Q"
	}
	return &tokens{mark: mark}
}

// add gives the token for a value.
func (t *tokens) add(value tokenValue) string {
	t.values = append(t.values, value)
	return fmt.Sprintf("%s%04d%s", t.mark, len(t.values)-1, t.mark)
}

// next finds the first token at or after a byte; start is -1 when there is none.
func (t *tokens) next(text string, from int) (start, end, index int) {
	for {
		at := strings.Index(text[from:], t.mark)
		if at < 0 {
			return -1, -1, 0
		}
		start = from + at
		digits := start + len(t.mark)
		closing := strings.Index(text[digits:], t.mark)
		if closing < 0 {
			return -1, -1, 0
		}
		index, err := strconv.Atoi(text[digits : digits+closing])
		if err == nil && index >= 0 && index < len(t.values) {
			return start, digits + closing + len(t.mark), index
		}
		from = digits
	}
}
