package people

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/store"
)

// write stores all edits of a crowd, set-wise. It answers the contacts that lost their identity to somebody else since they
// were met: nothing of them was written, and their items are to be tried again.
func (p *People) write(ctx context.Context, tx store.Tx, workspace uuid.UUID, crowd *crowd, options Options) (lost map[uuid.UUID]bool, err error) {
	var inserts, updates []*edit
	risky := false
	for _, e := range crowd.all {
		switch {
		case e.isNew:
			inserts = append(inserts, e)
		case e.dirty:
			updates = append(updates, e)
			risky = risky || e.identity
		}
	}
	lost = map[uuid.UUID]bool{}
	if err := update(ctx, tx, workspace, updates, risky, lost); err != nil {
		return nil, err
	}
	if err := insert(ctx, tx, workspace, inserts, lost); err != nil {
		return nil, err
	}
	if err := crowd.dropGiven(ctx, tx, lost); err != nil {
		return nil, err
	}
	kept := slices.DeleteFunc(slices.Clone(crowd.all), func(e *edit) bool { return lost[e.row.ID] })
	return lost, p.writeRest(ctx, tx, workspace, kept, options)
}

func insert(ctx context.Context, tx store.Tx, workspace uuid.UUID, edits []*edit, lost map[uuid.UUID]bool) error {
	if len(edits) == 0 {
		return nil
	}
	written, err := store.Q.InsertContacts(ctx, tx, store.InsertContactsParams{WorkspaceID: workspace, Now: tx.Now, Rows: rowsOf(edits)})
	if err != nil {
		return fmt.Errorf("insert contacts: %w", err)
	}
	if len(written) < len(edits) {
		for _, e := range edits {
			lost[e.row.ID] = !slices.Contains(written, e.row.ID)
		}
	}
	return nil
}

// update writes changed contacts. Where an identity changed, somebody else may just have taken it: then all of the batch
// are tried again and the second look finds the owner.
func update(ctx context.Context, tx store.Tx, workspace uuid.UUID, edits []*edit, risky bool, lost map[uuid.UUID]bool) error {
	if len(edits) == 0 {
		return nil
	}
	ids := make([]uuid.UUID, len(edits))
	for i, e := range edits {
		e.row.UpdatedAt, ids[i] = tx.Now, e.row.ID
	}
	run := func(db store.DB) error {
		return store.Q.UpdateContacts(ctx, db, store.UpdateContactsParams{WorkspaceID: workspace, Now: tx.Now, Ids: ids, Rows: rowsOf(edits)})
	}
	if !risky {
		if err := run(tx); err != nil {
			return fmt.Errorf("update contacts: %w", err)
		}
		return nil
	}
	err := pgx.BeginFunc(ctx, tx, func(savepoint pgx.Tx) error { return run(savepoint) })
	if store.Violated(err) != "" {
		for _, e := range edits {
			lost[e.row.ID] = true
		}
		return nil
	}
	if err != nil {
		return fmt.Errorf("update contacts: %w", err)
	}
	return nil
}

func rowsOf(edits []*edit) json.RawMessage {
	rows := make([]contactRow, len(edits))
	for i, e := range edits {
		rows[i] = e.asRow()
	}
	return encode(rows)
}

// writeRest writes what hangs on the contacts: tags' names, consents, suppressions, events.
func (p *People) writeRest(ctx context.Context, tx store.Tx, workspace uuid.UUID, edits []*edit, options Options) error {
	var consents []consentRow
	var events []posted
	var tags []string
	for _, e := range edits {
		consents = append(consents, e.consents...)
		if len(e.touched) > 0 {
			e.post("contact_updated", map[string]any{"fields": e.touched})
		}
		for _, event := range e.events {
			if tag, ok := event.Props["tag"].(string); ok && event.Name == "tag_added" {
				tags = append(tags, tag)
			}
		}
		events = append(events, e.events...)
	}
	if len(tags) > 0 {
		slices.Sort(tags)
		if err := store.Q.EnsureTags(ctx, tx, store.EnsureTagsParams{WorkspaceID: workspace, Now: tx.Now, Slugs: slices.Compact(tags)}); err != nil {
			return fmt.Errorf("register tags: %w", err)
		}
	}
	if len(consents) > 0 {
		if err := store.Q.SetConsents(ctx, tx, store.SetConsentsParams{WorkspaceID: workspace, Rows: encode(consents)}); err != nil {
			return fmt.Errorf("write consents: %w", err)
		}
		if err := store.Q.RecordConsents(ctx, tx, store.RecordConsentsParams{WorkspaceID: workspace, Rows: encode(consents)}); err != nil {
			return fmt.Errorf("keep the proofs of consents: %w", err)
		}
		if err := p.followConsents(ctx, tx, edits); err != nil {
			return err
		}
	}
	if options.Quiet {
		return recheck(ctx, tx, workspace, edits)
	}
	if len(events) == 0 {
		return nil
	}
	for i := range events {
		events[i].N = i
	}
	err := store.Q.PostInbox(ctx, tx, store.PostInboxParams{WorkspaceID: workspace, Now: tx.Now, Chain: int16(options.Chain), Rows: encode(events)})
	if err != nil {
		return fmt.Errorf("post internal events: %w", err)
	}
	return nil
}

// recheck has the segments of people looked at whose changes are told to nobody.
func recheck(ctx context.Context, tx store.Tx, workspace uuid.UUID, edits []*edit) error {
	var ids []uuid.UUID
	for _, e := range edits {
		if e.isNew || len(e.events) > 0 || len(e.consents) > 0 {
			ids = append(ids, e.row.ID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	if err := store.Q.RecheckContacts(ctx, tx, store.RecheckContactsParams{WorkspaceID: workspace, Ids: ids, Now: tx.Now, Quiet: true}); err != nil {
		return fmt.Errorf("have segments looked at: %w", err)
	}
	return nil
}

// encode writes rows for jsonb_to_recordset. They hold only what JSON can say.
func encode(rows any) json.RawMessage {
	raw, err := json.Marshal(rows)
	if err != nil {
		panic(fmt.Sprintf("rows that are no JSON: %v", err))
	}
	return raw
}

func orNotFound(err error, id uuid.UUID) error {
	if errors.Is(err, pgx.ErrNoRows) {
		return fault.New(fault.NotFound, "There is no contact %s.", id)
	}
	return fmt.Errorf("read contact %s: %w", id, err)
}
