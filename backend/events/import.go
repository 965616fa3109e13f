package events

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/lejek/lejek/backend/clock"
	"github.com/lejek/lejek/backend/csvfile"
	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/people"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/engine"
)

// ImportOptions say how a table of events is read. All columns that are not named become properties.
type ImportOptions struct {
	Contact string         // column that says whose event it is: an e-mail address, or else an external id
	At      string         // column with the time; a day, or a time without an offset, is in Zone
	Name    string         // name of all events
	ID      string         // column with an id; empty makes one of the row's content and its place among equal rows
	Live    bool           // let the events start, wake and end runs
	Zone    *time.Location // nil is UTC
}

// ImportReport is what an import did so far.
type ImportReport struct {
	Rows       int        `json:"rows"`
	Accepted   int        `json:"accepted"`
	Duplicates int        `json:"duplicates"`
	Rejected   int        `json:"rejected"`
	Errors     []RowError `json:"errors,omitempty"` // the first hundred
}

// RowError is a row that was left out, with what to do.
type RowError struct {
	Line    int    `json:"line"`
	Message string `json:"message"`
}

func (e *RowError) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Message) }

const maxRowErrors = 100

func (r *ImportReport) reject(line int, message string) {
	r.Rejected++
	if len(r.Errors) < maxRowErrors {
		r.Errors = append(r.Errors, RowError{Line: line, Message: message})
	}
}

// Import reads events from a CSV file into a workspace, a thousand to a transaction. A row that cannot be taken is reported and stops no
// other. Reading the same file again changes nothing, so an import that was cut off is simply started anew. progress is called after each batch.
func (r *Reactor) Import(ctx context.Context, db store.DB, clk clock.Clock, workspace uuid.UUID, file io.Reader, options ImportOptions,
	progress func(ImportReport),
) (ImportReport, error) {
	var report ImportReport
	rows, err := ReadRows(file, options)
	if err != nil {
		return report, err
	}
	var batch []Incoming
	var lines []int
	flush := func() error {
		if len(batch) == 0 {
			return nil
		}
		outcomes, err := store.InTxV(ctx, db, clk, func(tx store.Tx) ([]Outcome, error) { return r.Ingest(ctx, tx, workspace, batch) })
		if err != nil {
			return fmt.Errorf("import lines %d to %d: %w", lines[0], lines[len(lines)-1], err)
		}
		for i, out := range outcomes {
			switch out.Status {
			case Accepted:
				report.Accepted++
			case Duplicate:
				report.Duplicates++
			default:
				report.reject(lines[i], out.Reason)
			}
		}
		batch, lines = batch[:0], lines[:0]
		if progress != nil {
			progress(report)
		}
		return nil
	}
	for {
		in, line, err := rows.Next()
		var bad *RowError
		switch {
		case errors.Is(err, io.EOF):
			return report, flush()
		case errors.As(err, &bad):
			report.Rows++
			report.reject(bad.Line, bad.Message)
			continue
		case err != nil:
			return report, err
		}
		report.Rows++
		if batch, lines = append(batch, in), append(lines, line); len(batch) == MaxBatch {
			if err := flush(); err != nil {
				return report, err
			}
		}
	}
}

// Rows are the events of a CSV file, in its order.
type Rows struct {
	table *csvfile.Reader
	read  *rowReader
}

// ReadRows reads the header of a file of events. The error says which column is missing.
func ReadRows(file io.Reader, options ImportOptions) (*Rows, error) {
	table, err := csvfile.Open(file, csvfile.Options{Limits: csvfile.Limits{Bytes: 4 << 30, Rows: 50_000_000}})
	if err != nil {
		return nil, err
	}
	read, err := newRowReader(table.Header, options)
	if err != nil {
		return nil, err
	}
	return &Rows{table, read}, nil
}

// Next is the event of the next row and the row's line. After the last row it answers io.EOF; a *RowError is a row that cannot be taken and
// stops no other.
func (r *Rows) Next() (in Incoming, line int, err error) {
	row, err := r.table.Next()
	var bad *csvfile.RowError
	switch {
	case errors.As(err, &bad):
		return in, bad.Line, &RowError{bad.Line, bad.Message}
	case err != nil:
		return in, 0, err
	}
	if in, err = r.read.event(row.Values); err != nil {
		return in, row.Line, &RowError{row.Line, err.Error()}
	}
	return in, row.Line, nil
}

// rowReader makes events of rows.
type rowReader struct {
	ImportOptions

	header          []string
	contact, at, id int
	equals          map[uint64]int // rows met so far by the beginning of their hash
}

func newRowReader(header []string, options ImportOptions) (*rowReader, error) {
	r := &rowReader{ImportOptions: options, header: slices.Clone(header), id: -1, equals: map[uint64]int{}}
	if r.Zone == nil {
		r.Zone = time.UTC
	}
	find := func(what, column string) (int, error) {
		if i := slices.Index(header, column); i >= 0 {
			return i, nil
		}
		return -1, fault.InvalidField(what, "There is no column %q. The file has: %s.", column, strings.Join(header, ", "))
	}
	var errs [3]error
	r.contact, errs[0] = find("contact", options.Contact)
	r.at, errs[1] = find("at", options.At)
	if options.ID != "" {
		r.id, errs[2] = find("id", options.ID)
	}
	return r, errors.Join(errs[:]...)
}

func (r *rowReader) event(values []string) (Incoming, error) {
	in := Incoming{Name: r.Name, Source: SourceImport, Imported: !r.Live, Live: r.Live, Props: map[string]any{}}
	who := strings.TrimSpace(values[r.contact])
	switch {
	case who == "":
		return in, fmt.Errorf("the column %q is empty: say whose event it is", r.Contact)
	case strings.Contains(who, "@"):
		in.Who = people.Input{Email: who}
	default:
		in.Who = people.Input{ExternalID: who}
	}
	var err error
	if in.At, err = readTime(strings.TrimSpace(values[r.at]), r.Zone); err != nil {
		return in, err
	}
	for i, value := range values {
		if i != r.contact && i != r.at && i != r.id && value != "" {
			in.Props[r.header[i]] = readValue(value)
		}
	}
	if r.id >= 0 && values[r.id] != "" {
		in.ID = values[r.id]
		return in, nil
	}
	in.ID = r.fingerprint(values)
	return in, nil
}

// fingerprint names a row without an id by its content and its place among equal rows, so that real repeats all count and a second
// import of the file counts none.
func (r *rowReader) fingerprint(values []string) string {
	hash := sha256.New()
	hash.Write([]byte(r.Name))
	for _, value := range values {
		hash.Write([]byte{0})
		hash.Write([]byte(value))
	}
	sum := hash.Sum(nil)
	key := binary.BigEndian.Uint64(sum)
	r.equals[key]++
	return hex.EncodeToString(sum[:20]) + "-" + strconv.Itoa(r.equals[key])
}

// times are the ways to write a time, the most exact first.
var times = []string{time.RFC3339Nano, "2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02T15:04", "2006-01-02 15:04", "2006-01-02"}

func readTime(text string, zone *time.Location) (time.Time, error) {
	for _, layout := range times {
		if at, err := time.ParseInLocation(layout, text, zone); err == nil {
			return at, nil
		}
	}
	return time.Time{}, fmt.Errorf("%q is not a time. Write it like 2026-03-23, 2026-03-23 09:00 or 2026-03-23T09:00:00Z", shorten(text))
}

// readValue takes what is plainly a number as one; an id with leading zeros, or with more digits than a number keeps, stays a text.
func readValue(text string) any {
	number, err := strconv.ParseFloat(text, 64)
	plain := strings.TrimLeft(text, "-")
	if err != nil || plain == "" || strings.ContainsAny(text, "xXnNpP_") || len(plain) > 1 && plain[0] == '0' && plain[1] != '.' || engine.TooManyDigits(text) {
		return text
	}
	return number
}
