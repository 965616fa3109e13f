// Package splice keeps a text that was made of a common source and some values as those values alone. A campaign's mails differ in a name and
// a few links; keeping each whole would be most of the work of sending it.
package splice

import (
	"encoding/binary"
	"errors"
	"strings"
)

// Part is a stretch of the source, From one byte To another, and the Text that follows it.
type Part struct {
	From, To int
	Text     string
}

// Join makes the text of parts.
func Join(source string, parts []Part) (string, error) {
	size := 0
	for _, p := range parts {
		if p.From < 0 || p.To < p.From || p.To > len(source) {
			return "", errBroken
		}
		size += p.To - p.From + len(p.Text)
	}
	var out strings.Builder
	out.Grow(size)
	for _, p := range parts {
		out.WriteString(source[p.From:p.To])
		out.WriteString(p.Text)
	}
	return out.String(), nil
}

// Insert puts a text in at a byte of what the parts make.
func Insert(parts []Part, at int, text string) []Part {
	out := make([]Part, 0, len(parts)+1)
	done := false
	for _, p := range parts {
		size := p.To - p.From
		switch {
		case done:
		case at <= size:
			out = append(out, Part{p.From, p.From + at, text})
			p.From += at
			done = true
		case at <= size+len(p.Text):
			cut := at - size
			p.Text = p.Text[:cut] + text + p.Text[cut:]
			done = true
		}
		at -= size + len(p.Text)
		out = append(out, p)
	}
	if !done {
		out = append(out, Part{Text: text})
	}
	return out
}

var errBroken = errors.New("a kept text does not fit its source")

// Encode packs lists of parts. A text that occurs twice is kept once.
func Encode(lists ...[]Part) []byte {
	places := map[string]uint64{}
	var texts []string
	for _, list := range lists {
		for _, p := range list {
			if _, known := places[p.Text]; !known {
				places[p.Text] = uint64(len(texts))
				texts = append(texts, p.Text)
			}
		}
	}
	var out []byte
	out = binary.AppendUvarint(out, uint64(len(texts)))
	for _, text := range texts {
		out = binary.AppendUvarint(out, uint64(len(text)))
		out = append(out, text...)
	}
	for _, list := range lists {
		out = binary.AppendUvarint(out, uint64(len(list)))
		for _, p := range list {
			out = binary.AppendUvarint(out, uint64(p.From))      //nolint:gosec // a place in a text
			out = binary.AppendUvarint(out, uint64(p.To-p.From)) //nolint:gosec // a length
			out = binary.AppendUvarint(out, places[p.Text])
		}
	}
	return out
}

// Decode unpacks n lists.
func Decode(raw []byte, n int) ([][]Part, error) {
	r := reader{raw: raw}
	texts := make([]string, 0, 16)
	for range r.count() {
		texts = append(texts, r.text())
	}
	lists := make([][]Part, n)
	for i := range lists {
		for range r.count() {
			p := Part{From: int(r.number())} //nolint:gosec // Join checks it
			p.To = p.From + int(r.number())  //nolint:gosec // likewise
			at := r.number()
			if at >= uint64(len(texts)) {
				return nil, errBroken
			}
			p.Text = texts[at]
			lists[i] = append(lists[i], p)
		}
	}
	if r.broken {
		return nil, errBroken
	}
	return lists, nil
}

type reader struct {
	raw    []byte
	broken bool
}

func (r *reader) number() uint64 {
	n, size := binary.Uvarint(r.raw)
	if size <= 0 || n > 1<<40 {
		r.broken, r.raw = true, nil
		return 0
	}
	r.raw = r.raw[size:]
	return n
}

// count is the length of a list: no list is longer than what is left.
func (r *reader) count() uint64 {
	n := r.number()
	if n > uint64(len(r.raw)) {
		r.broken = true
		return 0
	}
	return n
}

func (r *reader) text() string {
	n := r.count()
	text := string(r.raw[:n])
	r.raw = r.raw[n:]
	return text
}
