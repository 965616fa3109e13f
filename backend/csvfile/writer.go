package csvfile

import (
	"encoding/csv"
	"io"
	"strings"
)

// Writer writes a table that a spreadsheet reads as text: a cell that it would take for a formula begins with an apostrophe.
type Writer struct{ csv *csv.Writer }

// NewWriter writes to w.
func NewWriter(w io.Writer) Writer { return Writer{csv.NewWriter(w)} }

// Write writes one row.
func (w Writer) Write(cells ...string) error {
	safe := make([]string, len(cells))
	for i, cell := range cells {
		safe[i] = Safe(cell)
	}
	return w.csv.Write(safe)
}

// Flush writes what is still held back, and answers the first error there was.
func (w Writer) Flush() error {
	w.csv.Flush()
	return w.csv.Error()
}

// formula are the beginnings a spreadsheet computes.
const formula = "=+-@\t\r\x00"

// Safe is a cell that is no formula, neither as a whole nor behind what a program may take for the end of a cell. Unsafe is its inverse.
func Safe(cell string) string {
	if cell == "" {
		return cell
	}
	if strings.ContainsRune(formula+"'", rune(cell[0])) || computed(cell) {
		return "'" + cell
	}
	return cell
}

// Unsafe is what Safe was given. Reader reads every cell through it, so that what was exported comes back as it was.
func Unsafe(cell string) string {
	if rest, marked := strings.CutPrefix(cell, "'"); marked && rest != "" && (strings.ContainsRune(formula+"'", rune(rest[0])) || computed(rest)) {
		return rest
	}
	return cell
}

// computed tells whether a formula begins behind a separator or quote.
func computed(cell string) bool {
	for i := 1; i < len(cell); i++ {
		if strings.IndexByte(formula, cell[i]) >= 0 && strings.IndexByte(`;,"|`+"\t\r\n", cell[i-1]) >= 0 {
			return true
		}
	}
	return false
}
