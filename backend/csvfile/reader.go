package csvfile

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/transform"

	"github.com/lejek/lejek/backend/fault"
)

// Limits of a file. Zero members are the defaults.
type Limits struct {
	Bytes   int64 // 100 MB
	Rows    int   // 1,000,000
	Columns int   // 200
	Cell    int   // 64 KB
}

func (l Limits) withDefaults() Limits {
	if l.Bytes == 0 {
		l.Bytes = 100 << 20
	}
	if l.Rows == 0 {
		l.Rows = 1_000_000
	}
	if l.Columns == 0 {
		l.Columns = 200
	}
	if l.Cell == 0 {
		l.Cell = 64 << 10
	}
	return l
}

// Options say what is known about a file. Everything may be left out.
type Options struct {
	Encoding  string // "" is detected
	Separator rune   // 0 is detected
	Limits    Limits
}

// Reader reads one file.
type Reader struct {
	Header   []string // names of the columns, trimmed
	Encoding string

	csv    *csv.Reader
	bytes  *counter
	row    *stretch
	limits Limits
	rows   int
	last   int  // the line where the last row ended
	over   bool // the last row had no end
}

// Row is one line of the table. Values are as many as the header has.
type Row struct {
	Line   int // in the file, from 1
	Values []string
}

// RowError is one row that cannot be read. Message says what to do.
type RowError struct {
	Line    int
	Message string
}

// Error says line and message.
func (e *RowError) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Message) }

const peek = 64 << 10

// Open reads the header. The error is a fault for people.
func Open(source io.Reader, options Options) (*Reader, error) {
	limits := options.Limits.withDefaults()
	counted := &counter{source: source, limit: limits.Bytes}
	buffered := bufio.NewReaderSize(counted, peek)
	head, err := buffered.Peek(peek)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, reading(err)
	}
	if len(bytes.TrimSpace(head)) == 0 {
		return nil, fault.New(fault.Invalid, "The file is empty. Choose one with a line of column names and a row for each person.")
	}
	if looksBinary(head) {
		return nil, fault.New(fault.Invalid, "The file is not a CSV file. In a spreadsheet choose Save as, CSV UTF-8.")
	}
	r := &Reader{Encoding: strings.ToLower(options.Encoding), bytes: counted, limits: limits}
	if r.Encoding == "" {
		r.Encoding = detect(head, errors.Is(err, io.EOF))
	}
	encoding, err := encodingOf(r.Encoding)
	if err != nil {
		return nil, fault.InvalidField("encoding", "%s.", err)
	}
	text := bufio.NewReaderSize(transform.NewReader(buffered, encoding.NewDecoder()), peek)
	if mark, err := text.Peek(3); err == nil && bytes.Equal(mark, []byte{0xEF, 0xBB, 0xBF}) {
		if _, err := text.Discard(3); err != nil {
			return nil, reading(err)
		}
	}
	r.row = &stretch{source: text, limit: 2 * int64(limits.Columns) * int64(limits.Cell)} // twice, for each mark inside quotes is written twice
	r.csv = csv.NewReader(r.row)
	r.csv.FieldsPerRecord = -1
	r.csv.ReuseRecord = true
	if r.csv.Comma = options.Separator; r.csv.Comma == 0 {
		first, err := text.Peek(peek)
		if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, bufio.ErrBufferFull) {
			return nil, reading(err)
		}
		r.csv.Comma = separator(first)
	}
	return r, r.readHeader()
}

func (r *Reader) readHeader() error {
	names, err := r.csv.Read()
	if errors.Is(err, errEndless) {
		return fault.New(fault.TooLarge, "The line of column names has no end. Look for a missing quotation mark in it.")
	}
	if err != nil {
		if parse, ok := errors.AsType[*csv.ParseError](err); ok {
			return fault.New(fault.Invalid, "The line of column names cannot be read: a quotation mark is missing or too many. Correct line %d.", parse.Line)
		}
		return reading(err)
	}
	r.ends(names)
	if len(names) > r.limits.Columns {
		return fault.New(fault.TooLarge, "The file has %d columns; %d is the limit. Leave some out.", len(names), r.limits.Columns)
	}
	seen := map[string]bool{}
	for i, name := range names {
		name = strings.TrimSpace(name)
		if key := strings.ToLower(name); name != "" && seen[key] {
			return fault.New(fault.Invalid, "Two columns are called %q. Rename one of them.", clip(name))
		} else {
			seen[key] = true
		}
		if !utf8.ValidString(name) {
			return fault.New(fault.Invalid, "The name of column %d is not readable text. Save the file as UTF-8.", i+1)
		}
		r.Header = append(r.Header, name)
	}
	return nil
}

// Next is the next row. Its error is io.EOF at the end, a *RowError after which reading may go on, or a fault that ends it.
// The values are good until the next call.
func (r *Reader) Next() (Row, error) {
	for {
		if r.over {
			return Row{}, io.EOF
		}
		r.row.begin()
		values, err := r.csv.Read()
		if err != nil {
			var parse *csv.ParseError
			switch {
			case errors.Is(err, io.EOF):
				return Row{}, io.EOF
			case errors.Is(err, errEndless):
				r.over = true
				return Row{}, r.count(&RowError{r.last + 1, "the row has no end, so neither it nor what follows was read. Look for a missing quotation mark in it."})
			case errors.As(err, &parse):
				r.last = parse.Line
				return Row{}, r.count(&RowError{parse.StartLine, quotes(parse)})
			default:
				return Row{}, reading(err)
			}
		}
		line := r.ends(values)
		if len(values) == 1 && strings.TrimSpace(values[0]) == "" && len(r.Header) > 1 {
			continue // an empty line of blanks
		}
		if err := r.check(line, values); err != nil {
			return Row{}, r.count(err)
		}
		for i, value := range values {
			values[i] = Unsafe(value)
		}
		for len(values) < len(r.Header) {
			values = append(values, "")
		}
		return Row{line, values[:len(r.Header)]}, r.count(nil)
	}
}

// ends notes where a row ends and answers where it began.
func (r *Reader) ends(values []string) (line int) {
	line, _ = r.csv.FieldPos(0)
	last := len(values) - 1
	r.last, _ = r.csv.FieldPos(last)
	r.last += strings.Count(values[last], "\n")
	return line
}

// count holds the number of rows under the limit; rows that cannot be read count too.
func (r *Reader) count(err error) error {
	if r.rows++; r.rows > r.limits.Rows {
		return fault.New(fault.TooLarge, "The file has more than %d rows. Split it and import the parts one after the other.", r.limits.Rows)
	}
	return err
}

func (r *Reader) check(line int, values []string) error {
	extra := 0
	for i, value := range values {
		if i >= len(r.Header) && strings.TrimSpace(value) != "" {
			extra++
		}
		name := fmt.Sprintf("column %d", i+1)
		if i < len(r.Header) && r.Header[i] != "" {
			name = fmt.Sprintf("column %q", clip(r.Header[i]))
		}
		if len(value) > r.limits.Cell {
			return &RowError{line, fmt.Sprintf("%s is longer than %d KB. Shorten it, or look for a missing quotation mark.", name, r.limits.Cell>>10)}
		}
		if !utf8.ValidString(value) || strings.ContainsRune(value, utf8.RuneError) || strings.ContainsRune(value, 0) {
			return &RowError{line, fmt.Sprintf("%s is not readable as %s. Save the file as UTF-8, or name its encoding.", name, r.Encoding)}
		}
	}
	if extra > 0 {
		return &RowError{line, fmt.Sprintf("the row has %d values and the table %d columns. Put values with a %q inside into quotation marks.", len(values), len(r.Header), r.csv.Comma)}
	}
	if len(values) < len(r.Header) && len(values) == 1 {
		return &RowError{line, fmt.Sprintf("the row has one value and the table %d columns. Add the missing ones, or remove the line.", len(r.Header))}
	}
	return nil
}

func quotes(parse *csv.ParseError) string {
	if errors.Is(parse.Err, csv.ErrQuote) {
		return fmt.Sprintf("a quotation mark is missing or too many (noticed in line %d). Close the quoted value, and write a mark inside one twice.", parse.Line)
	}
	return fmt.Sprintf("a quotation mark stands inside a value without quotes (line %d). Put the whole value into quotation marks and write the inner one twice.", parse.Line)
}

// Read is how many bytes of the file have been read, for a progress bar.
func (r *Reader) Read() int64 { return r.bytes.read }

// Rows is how many rows have been read, good or not.
func (r *Reader) Rows() int { return r.rows }

func reading(err error) error {
	if public, ok := errors.AsType[*fault.Error](err); ok {
		return public
	}
	if errors.Is(err, io.EOF) {
		return fault.New(fault.Invalid, "The file is empty. Choose one with a line of column names and a row for each person.")
	}
	return fmt.Errorf("read the file: %w", err)
}

// counter counts the bytes of the file and ends one over the limit.
type counter struct {
	source io.Reader
	read   int64
	limit  int64
}

// Read implements io.Reader.
func (c *counter) Read(p []byte) (int, error) {
	n, err := c.source.Read(p)
	if c.read += int64(n); c.read > c.limit {
		return n, fault.New(fault.TooLarge, "The file is larger than %d MB. Split it and import the parts one after the other.", c.limit>>20)
	}
	return n, err
}

// errEndless says that one row is longer than any can be: a quotation mark was opened and never closed. The rest of a file is not kept in memory for it.
var errEndless = errors.New("a row without an end")

// stretch counts what is read for one row.
type stretch struct {
	source io.Reader
	read   int64
	limit  int64
}

// Read implements io.Reader.
func (s *stretch) Read(p []byte) (int, error) {
	if s.read > s.limit {
		return 0, errEndless
	}
	n, err := s.source.Read(p)
	s.read += int64(n)
	return n, err
}

func (s *stretch) begin() { s.read = 0 }

// separator is what separates the names in the first line, outside quotation marks.
func separator(text []byte) rune {
	counts := map[rune]int{}
	quoted := false
	for _, r := range string(text) {
		if r == '"' {
			quoted = !quoted
		}
		if quoted {
			continue
		}
		if r == '\n' || r == '\r' {
			break
		}
		counts[r]++
	}
	best := ','
	for _, candidate := range []rune{';', '\t', '|'} {
		if counts[candidate] > counts[best] {
			best = candidate
		}
	}
	return best
}

// looksBinary knows spreadsheets and other files that are no text.
func looksBinary(head []byte) bool {
	for _, magic := range []string{"PK\x03\x04", "%PDF", "\xD0\xCF\x11\xE0", "\x1F\x8B", "\x89PNG"} {
		if bytes.HasPrefix(head, []byte(magic)) {
			return true
		}
	}
	return false
}

func clip(text string) string {
	if runes := []rune(text); len(runes) > 40 {
		return string(runes[:40]) + "…"
	}
	return text
}
