package events

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/lejek/lejek/backend/clock"
	"github.com/lejek/lejek/backend/facts"
	"github.com/lejek/lejek/backend/pump"
	"github.com/lejek/lejek/backend/store"
)

const (
	retryAfter   = 30 * time.Second
	lastErrorCap = 500
)

// Inbox hands internal events on to React.
type Inbox struct {
	DB      store.DB
	Clock   clock.Source
	Reactor *Reactor

	// Tell hears of every batch that was handed on, in its transaction. May be nil.
	Tell func(ctx context.Context, tx store.Tx, workspace uuid.UUID, told []Told) error
}

// Told is one event of Lejek's own that has met funnels.
type Told struct {
	ID      int64
	Contact uuid.UUID
	Name    string
	At      time.Time
	Props   map[string]any
}

// Job is the pump's job that drains the inbox. It has one slot per process: events of a person should meet funnels in their order.
func (i *Inbox) Job() pump.Job {
	return pump.Job{Kind: "inbox", Label: "Hand internal events to funnels", Slots: 1, Lanes: 1, Drain: i.Drain, Peek: i.peek}
}

// peek says whether a row is due.
func (i *Inbox) peek(ctx context.Context) ([]int, error) {
	now, err := i.Clock.NowIn(ctx, i.DB)
	if err != nil {
		return nil, err
	}
	var due bool
	if err := i.DB.QueryRow(ctx, "SELECT EXISTS (SELECT 1 FROM inbox WHERE due_at <= $1 AND attempts < 8)", now).Scan(&due); err != nil {
		return nil, fmt.Errorf("look for internal events: %w", err)
	}
	if !due {
		return nil, nil
	}
	return []int{0}, nil
}

// Drain takes one batch of due rows. A row that fails alone is tried again later, at most eight times, and then stays for `doctor`.
func (i *Inbox) Drain(ctx context.Context, batch pump.Batch) (pump.Drained, error) {
	if !i.Clock.Settled() {
		return pump.Drained{}, nil
	}
	drained, _, err := i.drain(ctx, batch.Limit)
	if err == nil || batch.Limit == 1 || ctx.Err() != nil || !store.IsData(err) {
		return drained, err
	}
	// Something in the batch cannot be written: find it by taking the rows one by one.
	var sum pump.Drained
	for range batch.Limit {
		drained, leased, err := i.drain(ctx, 1)
		if store.IsData(err) && len(leased) == 1 {
			err = i.blame(ctx, leased[0], err)
			drained.Rows = 1
		}
		if err != nil {
			return sum, err
		}
		if drained.Rows == 0 {
			break
		}
		sum.Rows += drained.Rows
	}
	return sum, nil
}

const leaseInbox = `SELECT workspace_id, id, contact_id, name, at, props, chain FROM inbox
	WHERE due_at <= $1 AND attempts < 8 ORDER BY due_at, id LIMIT $2 FOR UPDATE SKIP LOCKED`

func (i *Inbox) drain(ctx context.Context, limit int) (drained pump.Drained, leased []inboxRow, err error) {
	err = store.InTx(ctx, i.DB, i.Clock, func(tx store.Tx) error {
		drained = pump.Drained{}
		rows, err := tx.Query(ctx, leaseInbox, tx.Now, limit)
		if err != nil {
			return fmt.Errorf("lease internal events: %w", err)
		}
		if leased, err = pgx.CollectRows(rows, scanInbox); err != nil {
			return fmt.Errorf("lease internal events: %w", err)
		}
		if len(leased) == 0 {
			return nil
		}
		taken, err := i.free(ctx, tx, leased)
		if err != nil {
			return err
		}
		drained.Busy = len(leased) - len(taken)
		for workspace, batch := range byWorkspace(taken) {
			if err := i.hand(ctx, tx, workspace, batch); err != nil {
				return err
			}
		}
		drained.Rows = len(taken)
		return nil
	})
	return drained, leased, err
}

// inboxRow is an internal event and the row it came from.
type inboxRow struct {
	row int64
	*happening
}

func scanInbox(r pgx.CollectableRow) (inboxRow, error) {
	row := inboxRow{happening: &happening{source: SourceInternal}}
	var workspace, contact [16]byte
	if err := r.Scan(&workspace, &row.row, &contact, &row.name, &row.at, &row.raw, &row.chain); err != nil {
		return row, err
	}
	row.who = facts.Key{Workspace: workspace, Contact: contact}
	row.arrived = row.at
	if len(row.raw) > 0 {
		if err := json.Unmarshal(row.raw, &row.props); err != nil {
			return row, fmt.Errorf("properties of internal event %d: %w", row.row, err)
		}
	}
	return row, nil
}

// free locks the people of the batch and leaves out those somebody else holds.
func (i *Inbox) free(ctx context.Context, tx store.Tx, leased []inboxRow) ([]inboxRow, error) {
	keys := make([]facts.Key, len(leased))
	for n, row := range leased {
		keys[n] = row.who
	}
	locked, err := facts.Contacts(ctx, tx, keys, facts.Skip)
	if err != nil {
		return nil, err
	}
	taken := leased[:0:0]
	for _, row := range leased {
		if locked[row.who] != nil {
			taken = append(taken, row)
		}
	}
	return taken, nil
}

func byWorkspace(rows []inboxRow) map[uuid.UUID][]inboxRow {
	grouped := map[uuid.UUID][]inboxRow{}
	for _, row := range rows {
		grouped[row.who.Workspace] = append(grouped[row.who.Workspace], row)
	}
	return grouped
}

// MessageAccepted is a row of the inbox, not an event: a message was sent and delivered at the same instant. Campaigns make many of them.
const MessageAccepted = "message_accepted"

// unfold are the events a row stands for.
func (row inboxRow) unfold() []*happening {
	if row.name != MessageAccepted {
		return []*happening{row.happening}
	}
	delivered := *row.happening
	delivered.props = maps.Clone(row.props)
	row.name, delivered.name = "message_sent", "message_delivered"
	return []*happening{row.happening, &delivered}
}

func (i *Inbox) hand(ctx context.Context, tx store.Tx, workspace uuid.UUID, rows []inboxRow) error {
	batch, taken, at := make([]*happening, 0, 2*len(rows)), make([]int64, len(rows)), make([]time.Time, len(rows))
	for n, row := range rows {
		taken[n], at[n] = row.row, row.at
		batch = append(batch, row.unfold()...)
	}
	ids, err := nextIDs(ctx, tx, len(batch))
	if err != nil {
		return err
	}
	for n, h := range batch {
		h.id = ids[n]
	}
	if err := ensureMonths(ctx, tx, at); err != nil {
		return err
	}
	if err := i.Reactor.react(ctx, tx, workspace, batch); err != nil {
		return err
	}
	if err := record(ctx, tx, workspace, batch); err != nil {
		return err
	}
	if i.Tell != nil {
		told := make([]Told, len(batch))
		for n, h := range batch {
			told[n] = Told{h.id, h.who.Contact, h.name, h.at, h.props}
		}
		if err := i.Tell(ctx, tx, workspace, told); err != nil {
			return err
		}
	}
	if _, err := tx.Exec(ctx, "DELETE FROM inbox WHERE workspace_id = $1 AND id = ANY($2)", workspace, taken); err != nil {
		return fmt.Errorf("take internal events out of the inbox: %w", err)
	}
	return nil
}

// blame puts a row off, because it failed alone.
func (i *Inbox) blame(ctx context.Context, row inboxRow, cause error) error {
	text := store.Text(cause.Error(), lastErrorCap)
	err := store.InTx(ctx, i.DB, i.Clock, func(tx store.Tx) error {
		_, err := tx.Exec(ctx, `UPDATE inbox SET attempts = attempts + 1, last_error = $3, due_at = $4 WHERE workspace_id = $1 AND id = $2`,
			row.who.Workspace, row.row, text, tx.Now.Add(retryAfter))
		return err
	})
	if err != nil {
		return errors.Join(fmt.Errorf("put an internal event off: %w", err), cause)
	}
	return nil
}
