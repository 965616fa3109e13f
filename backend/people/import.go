package people

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"slices"

	"github.com/google/uuid"

	"github.com/lejek/lejek/backend/csvfile"
	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/backend/tasks"
)

// ImportOptions say how a file of contacts is read. All members may be left out.
type ImportOptions struct {
	Map       map[string]string `json:"map,omitempty"`     // column name to member, custom field, tags, lists, name or "-"
	Lists     []string          `json:"lists,omitempty"`   // lists all of them join
	Tags      []string          `json:"tags,omitempty"`    // tags all of them get
	Consent   string            `json:"consent,omitempty"` // granted: they agreed to e-mail; "" or unknown says nothing
	Live      bool              `json:"live,omitempty"`    // let funnels start on it; else an import starts nothing
	Encoding  string            `json:"encoding,omitempty"`
	Separator string            `json:"separator,omitempty"`
	Name      string            `json:"name,omitempty"` // of the file, for the source of consents
}

// ImportReport is what an import did. Counts are rows.
type ImportReport struct {
	Rows      int        `json:"rows"`
	Created   int        `json:"created"`
	Updated   int        `json:"updated"`
	Unchanged int        `json:"unchanged"`
	Failed    int        `json:"failed"`
	Partly    int        `json:"partly,omitempty"`  // taken without a phone number that is none
	Doubled   int        `json:"doubled,omitempty"` // taken, and about somebody an earlier row of the file names
	Errors    []RowError `json:"errors"`            // the first thousand
	Ignored   []string   `json:"ignored,omitempty"` // columns that went nowhere
	Encoding  string     `json:"encoding"`
}

// RowError is one row that was not imported, or not all of it, with what to do about it.
type RowError struct {
	Line    int    `json:"line"`
	Column  string `json:"column,omitempty"`
	Message string `json:"message"`
	Taken   bool   `json:"taken,omitempty"` // the person is imported all the same
}

const (
	importBatch  = 500
	maxRowErrors = 1000
)

// Import reads contacts from a CSV file: found by identity, updated or created, in batches of one transaction. A bad row is
// reported and left out. Importing the same file again changes nothing, and an import never overrules a person who refused.
//
// It begins after the rows that done counts, an earlier report of the same file. step runs each batch in a transaction with
// the report as it stands then, and how many bytes have been read; it returns only after the commit.
func (p *People) Import(ctx context.Context, workspace uuid.UUID, file io.Reader, options ImportOptions, done ImportReport,
	step func(body func(tx store.Tx) (report ImportReport, bytes int64, err error)) error,
) (ImportReport, error) {
	i, err := p.openImport(ctx, workspace, file, options)
	if err != nil {
		return done, err
	}
	i.report = done
	i.report.Encoding, i.report.Ignored = i.reader.Encoding, i.mapping.ignored
	if err := i.skip(done.Rows); err != nil {
		return i.report, err
	}
	for {
		rows, end, err := i.read(importBatch)
		if err != nil {
			return i.report, err
		}
		if len(rows) > 0 {
			var after ImportReport
			err := step(func(tx store.Tx) (report ImportReport, bytes int64, err error) {
				after, err = i.write(ctx, tx, rows)
				return after, i.reader.Read(), err
			})
			if err == nil || errors.Is(err, tasks.ErrYield) || errors.Is(err, tasks.ErrCancelled) {
				i.report = after // these come after the commit
			}
			if err != nil {
				return i.report, err
			}
		}
		if end {
			return i.report, nil
		}
	}
}

type importing struct {
	people    *People
	workspace uuid.UUID
	options   ImportOptions
	reader    *csvfile.Reader
	mapping   mapping
	report    ImportReport
	lines     map[uint64]int // of e-mail addresses seen in the file, by a hash
	seed      maphash.Seed
}

// importRow is a row, or why it cannot be read.
type importRow struct {
	line int
	in   Input
	bad  string
}

func (p *People) openImport(ctx context.Context, workspace uuid.UUID, file io.Reader, options ImportOptions) (*importing, error) {
	var open csvfile.Options
	open.Encoding = options.Encoding
	if separator := []rune(options.Separator); len(separator) == 1 && separator[0] != '"' && separator[0] != '\n' && separator[0] != '\r' {
		open.Separator = separator[0]
	} else if len(separator) > 0 {
		return nil, fault.InvalidField("separator", "The separator %q is not one character. Leave it out to have it found.", clip(options.Separator))
	}
	switch options.Consent {
	case "", Unknown, Granted:
	default:
		return nil, fault.InvalidField("consent", "%q is not a consent an import can give. Use granted or unknown.", clip(options.Consent))
	}
	reader, err := csvfile.Open(file, open)
	if err != nil {
		return nil, err
	}
	rows, err := store.Q.FieldDefs(ctx, p.db, workspace)
	if err != nil {
		return nil, fmt.Errorf("read the fields: %w", err)
	}
	mapping, err := mapColumns(reader.Header, options.Map, defsOf(rows))
	if err != nil {
		return nil, err
	}
	if err := p.checkShared(ctx, workspace, options); err != nil {
		return nil, err
	}
	return &importing{people: p, workspace: workspace, options: options, reader: reader, mapping: mapping, lines: map[uint64]int{}, seed: maphash.MakeSeed()}, nil
}

// checkShared refuses, before the first row, what would be wrong with every one.
func (p *People) checkShared(ctx context.Context, workspace uuid.UUID, options ImportOptions) error {
	lists, err := store.Q.Lists(ctx, p.db, workspace)
	if err != nil {
		return fmt.Errorf("read the lists: %w", err)
	}
	c := checker{know: vocabulary{lists: map[string]bool{}}}
	for _, list := range lists {
		c.know.lists[list.Slug] = true
	}
	c.lists("list", options.Lists)
	c.tags("tag", options.Tags)
	return fault.InvalidFields(c.wrong)
}

func (i *importing) skip(rows int) error {
	for range rows {
		row, err := i.reader.Next()
		if err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			if _, bad := errors.AsType[*csvfile.RowError](err); !bad {
				return err
			}
			continue
		}
		i.earlier(i.mapping.input(slices.Clone(row.Values)).Email, row.Line)
	}
	return nil
}

// read collects the next rows; end says that there are no more.
func (i *importing) read(limit int) (rows []importRow, end bool, err error) {
	for len(rows) < limit {
		row, err := i.reader.Next()
		var bad *csvfile.RowError
		switch {
		case errors.Is(err, io.EOF):
			return rows, true, nil
		case errors.As(err, &bad):
			rows = append(rows, importRow{line: bad.Line, bad: sentence(bad.Message)})
		case err != nil:
			return nil, false, err
		default:
			in := i.mapping.input(slices.Clone(row.Values))
			in.Tags, in.Lists = append(in.Tags, i.options.Tags...), append(in.Lists, i.options.Lists...)
			if i.options.Consent == Granted {
				source := "import"
				if i.options.Name != "" {
					source += " " + clip(i.options.Name)
				}
				in.Consents = []ConsentInput{{Channel: "email", State: Granted, Source: source}}
			}
			rows = append(rows, importRow{line: row.Line, in: in})
		}
	}
	return rows, false, nil
}

// write imports rows in tx and answers the report with them.
func (i *importing) write(ctx context.Context, tx store.Tx, rows []importRow) (ImportReport, error) {
	report := i.report
	report.Errors = slices.Clone(report.Errors)
	inputs := make([]Input, 0, len(rows))
	lines := make([]int, 0, len(rows))
	noPhone, before := map[int]string{}, map[int]int{} // by place in inputs: what is wrong with the phone, and the earlier line
	for _, row := range rows {
		report.Rows++
		if row.bad != "" {
			report.fail(RowError{Line: row.line, Message: row.bad})
			continue
		}
		if row.in.Email != "" || row.in.ExternalID != "" { // who they are is known without it
			if _, err := Phone(row.in.Phone); row.in.Phone != "" && err != nil {
				noPhone[len(inputs)], row.in.Phone = sentence(err.Error()), ""
			}
		}
		if line := i.earlier(row.in.Email, row.line); line > 0 {
			before[len(inputs)] = line
		}
		inputs, lines = append(inputs, row.in), append(lines, row.line)
	}
	outcomes, err := i.people.UpsertMany(ctx, tx, i.workspace, inputs, Options{Source: "import", Quiet: !i.options.Live, KeepRefusals: true})
	if err != nil {
		return report, err
	}
	for at, outcome := range outcomes {
		switch {
		case outcome.Err != nil:
			public := fault.Public(outcome.Err)
			bad := RowError{Line: lines[at], Message: public.Message}
			if len(public.Fields) > 0 {
				bad.Column, bad.Message = i.mapping.columnOf(i.reader.Header, public.Fields[0].Path), public.Fields[0].Message
			}
			report.fail(bad)
			continue
		case outcome.Created:
			report.Created++
		case outcome.Changed:
			report.Updated++
		default:
			report.Unchanged++
		}
		if wrong := noPhone[at]; wrong != "" {
			report.Partly++
			report.note(RowError{Line: lines[at], Column: i.mapping.columnOf(i.reader.Header, "phone"), Message: wrong + " The person was taken without it.", Taken: true})
		}
		if line := before[at]; line > 0 {
			report.Doubled++
			report.note(RowError{Line: lines[at], Column: i.mapping.columnOf(i.reader.Header, "email"), Taken: true,
				Message: fmt.Sprintf("Line %d has this address too. Both are one person, and the later row counts where they differ.", line)})
		}
	}
	slices.SortStableFunc(report.Errors, func(a, b RowError) int { return a.Line - b.Line })
	return report, nil
}

// earlier is the line that has an address already, 0 if none has. It remembers the address.
func (i *importing) earlier(email string, line int) int {
	_, folded, err := Email(email)
	if err != nil {
		return 0 // none, or one the row is refused for
	}
	hash := maphash.String(i.seed, folded)
	first := i.lines[hash]
	if first == line {
		return 0 // it is looked at again after a failed commit
	}
	if first == 0 {
		i.lines[hash] = line
	}
	return first
}

func (r *ImportReport) fail(bad RowError) {
	r.Failed++
	r.note(bad)
}

func (r *ImportReport) note(bad RowError) {
	if len(r.Errors) < maxRowErrors {
		r.Errors = append(r.Errors, bad)
	}
}

// ImportNow imports a file without a task: for the command line. progress is called after each batch; it may be nil.
func (p *People) ImportNow(ctx context.Context, workspace uuid.UUID, file io.Reader, options ImportOptions, progress func(ImportReport, int64)) (ImportReport, error) {
	return p.Import(ctx, workspace, file, options, ImportReport{}, func(body func(store.Tx) (ImportReport, int64, error)) error {
		var report ImportReport
		var bytes int64
		err := store.InTx(ctx, p.db, p.clock, func(tx store.Tx) (err error) {
			report, bytes, err = body(tx)
			return err
		})
		if err == nil && progress != nil {
			progress(report, bytes)
		}
		return err
	})
}
