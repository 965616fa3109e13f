package people

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/lejek/lejek/backend/csvfile"
	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/backend/tasks"
	"github.com/lejek/lejek/engine"
)

// RefusalFilter narrows a list of suppressions. Address is a whole one: parts of it are not kept.
type RefusalFilter struct {
	Address, Reason, Channel, Cursor string
	Limit                            int
}

// Refusals are a page of suppressions.
type Refusals struct {
	Items  []store.ListSuppressionsRow
	Next   string
	Counts map[string]int
}

type refusalCursor struct {
	At time.Time `json:"at"`
	ID uuid.UUID `json:"id"`
}

// Refusals lists suppressions, the newest first.
func (p *People) Refusals(ctx context.Context, workspace uuid.UUID, filter RefusalFilter) (Refusals, error) {
	page := Refusals{Counts: map[string]int{}}
	in := store.ListSuppressionsParams{WorkspaceID: workspace, Reason: filter.Reason, Channel: filter.Channel, MaxRows: int32(filter.Limit) + 1, Hashes: [][]byte{}}
	if filter.Address != "" {
		if in.Hashes = p.hashesOf(workspace, filter.Address); len(in.Hashes) == 0 {
			return page, fault.InvalidField("q", "Enter the whole address, such as anna@example.com or +48601234567. Parts of it are not kept.")
		}
	}
	if filter.Cursor != "" {
		var cursor refusalCursor
		raw, err := base64.RawURLEncoding.DecodeString(filter.Cursor)
		if err != nil || json.Unmarshal(raw, &cursor) != nil {
			return page, fault.InvalidField("cursor", "This cursor was not made here. Hand in `next` of the page before as it is.")
		}
		in.BeforeAt, in.BeforeID = &cursor.At, cursor.ID
	}
	rows, err := store.Q.ListSuppressions(ctx, p.db, in)
	if err != nil {
		return page, fmt.Errorf("list suppressions: %w", err)
	}
	if len(rows) > filter.Limit {
		rows = rows[:filter.Limit]
		last := rows[filter.Limit-1]
		raw, err := json.Marshal(refusalCursor{last.At, last.ID})
		if err != nil {
			return page, fmt.Errorf("list suppressions: %w", err)
		}
		page.Next = base64.RawURLEncoding.EncodeToString(raw)
	}
	page.Items = rows
	counts, err := store.Q.CountSuppressions(ctx, p.db, workspace)
	if err != nil {
		return page, fmt.Errorf("count suppressions: %w", err)
	}
	for _, row := range counts {
		page.Counts[row.Reason] = int(row.N)
	}
	return page, nil
}

// hashesOf are the names an address may have among the suppressions, by channel.
func (p *People) hashesOf(workspace uuid.UUID, address string) [][]byte {
	var all [][]byte
	for _, channel := range []string{engine.ChannelEmail, engine.ChannelSMS, engine.ChannelWhatsApp} {
		if folded, err := foldAddress(channel, address); err == nil {
			all = append(all, p.key.Hash(workspace, channel, folded))
		}
	}
	return all
}

// RefusalsKind is the task that imports suppressions: addresses other programs had to leave alone.
const RefusalsKind = "suppressions_import"

// RefusalsOptions are its arguments.
type RefusalsOptions struct{ Channel string }

// RefusalsReport is its result, and its checkpoint on the way.
type RefusalsReport struct {
	Rows   int        `json:"rows"`
	Added  int        `json:"added"`
	Failed int        `json:"failed"`
	Errors []RowError `json:"errors"`
}

// RefusalsTask is the kind for tasks.Register.
func (p *People) RefusalsTask() tasks.Kind {
	return tasks.Kind{Name: RefusalsKind, Label: "Importing refused addresses", Work: p.workRefusals}
}

func (p *People) workRefusals(ctx context.Context, task *tasks.Run) (any, error) {
	var options RefusalsOptions
	if err := task.Args(&options); err != nil {
		return nil, err
	}
	report := RefusalsReport{Errors: []RowError{}}
	if _, err := task.Checkpoint(&report); err != nil {
		return nil, err
	}
	reader, err := csvfile.Open(task.Input(ctx), csvfile.Options{})
	if err != nil {
		return nil, err
	}
	at, reasonAt := refusalColumns(reader.Header, options.Channel)
	if at < 0 {
		return nil, fault.New(fault.Invalid, "The first line names no column email, phone or address. Add it and send the file again.")
	}
	for range report.Rows { // done before
		if _, err := reader.Next(); errors.Is(err, io.EOF) {
			break
		}
	}
	for end := false; !end; {
		var rows []refusal
		if rows, end, err = readRefusals(reader, at, reasonAt); err != nil {
			return nil, err
		}
		err = task.Step(ctx, func(tx store.Tx) (int64, int64, any, error) {
			err := p.refuse(ctx, tx, task.Task.WorkspaceID, options.Channel, rows, &report)
			return reader.Read(), 0, report, err
		})
		if err != nil {
			return report, err
		}
	}
	return report, nil
}

// refusal is a row of the file, or why it cannot be read.
type refusal struct {
	line                 int
	address, reason, bad string
}

func refusalColumns(header []string, channel string) (address, reason int) {
	names := []string{"email", "e-mail", "mail", "address", "adres", "адрес", "почта"}
	if channel != engine.ChannelEmail {
		names = []string{"phone", "telephone", "number", "address", "telefon", "numer", "телефон", "номер"}
	}
	address, reason = -1, -1
	for i, name := range header {
		switch name = strings.ToLower(strings.TrimSpace(name)); {
		case slices.Contains(names, name) && address < 0:
			address = i
		case name == "reason" || name == "powód" || name == "причина":
			reason = i
		}
	}
	return address, reason
}

func readRefusals(reader *csvfile.Reader, at, reasonAt int) (rows []refusal, end bool, err error) {
	for len(rows) < importBatch {
		row, err := reader.Next()
		bad, known := errors.AsType[*csvfile.RowError](err)
		switch {
		case errors.Is(err, io.EOF):
			return rows, true, nil
		case known:
			rows = append(rows, refusal{line: bad.Line, bad: sentence(bad.Message)})
			continue
		case err != nil:
			return nil, false, err
		}
		one := refusal{line: row.Line, address: strings.TrimSpace(row.Values[at])}
		if reasonAt >= 0 {
			one.reason = strings.ToLower(strings.TrimSpace(row.Values[reasonAt]))
		}
		rows = append(rows, one)
	}
	return rows, false, nil
}

// reasonOf reads what other programs call a reason.
func reasonOf(text string) string {
	switch {
	case strings.Contains(text, "bounce"):
		return ReasonBounced
	case strings.Contains(text, "complain"), strings.Contains(text, "spam"):
		return ReasonComplained
	case strings.Contains(text, "unsub"), strings.Contains(text, "opt"):
		return ReasonUnsubscribed
	}
	return ReasonManual
}

func (p *People) refuse(ctx context.Context, tx store.Tx, workspace uuid.UUID, channel string, rows []refusal, report *RefusalsReport) error {
	slices.SortStableFunc(rows, func(a, b refusal) int { return strings.Compare(a.address, b.address) }) // in one order, whoever imports
	for _, row := range rows {
		report.Rows++
		folded, err := "", error(nil)
		if row.bad == "" {
			if folded, err = foldAddress(channel, row.address); err != nil {
				row.bad = fault.Public(err).Fields[0].Message
			}
		}
		if row.bad != "" {
			report.Failed++
			if len(report.Errors) < maxRowErrors {
				report.Errors = append(report.Errors, RowError{Line: row.line, Message: row.bad})
			}
			continue
		}
		if err := p.suppress(ctx, tx, workspace, channel, folded, reasonOf(row.reason), "import", nil); err != nil {
			return err
		}
		report.Added++
	}
	return nil
}
