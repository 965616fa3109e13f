package people

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"github.com/lejek/lejek/backend/clock"
	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/store"
)

// People are the contacts of an installation. Its methods open a transaction each, or a savepoint in the given one.
type People struct {
	db    store.DB
	clock clock.Clock
	key   SuppressionKey
}

// New keeps contacts in db. The secret keys the hashes of suppressed addresses; another secret forgets them.
func New(db store.DB, clk clock.Clock, secret []byte) *People {
	return &People{db: db, clock: clk, key: NewSuppressionKey(secret)}
}

// In is the same on another connection or transaction.
func (p *People) In(db store.DB) *People { return &People{db: db, clock: p.clock, key: p.key} }

// Get is one contact. A merged one answers the contact that took it in.
func (p *People) Get(ctx context.Context, workspace, id uuid.UUID) (store.Contact, error) {
	for range 8 { // a chain of merges is short
		contact, err := store.Q.Contact(ctx, p.db, store.ContactParams{WorkspaceID: workspace, ID: id})
		if err != nil {
			return store.Contact{}, orNotFound(err, id)
		}
		if contact.MergedInto == nil {
			return contact, nil
		}
		id = *contact.MergedInto
	}
	return store.Contact{}, fault.New(fault.NotFound, "There is no contact %s.", id)
}

// Upsert creates the contact or updates the one with the same identity. An identity that belongs to another contact is a
// fault.Conflict with both ids as Clash in its Details.
func (p *People) Upsert(ctx context.Context, workspace uuid.UUID, in Input, source string) (Outcome, error) {
	return store.InTxV(ctx, p.db, p.clock, func(tx store.Tx) (Outcome, error) {
		outcomes, err := p.UpsertMany(ctx, tx, workspace, []Input{in}, Options{Source: source})
		if err != nil {
			return Outcome{}, err
		}
		return outcomes[0], outcomes[0].Err
	})
}

// edit locks one living contact, makes the change and writes it.
func (p *People) edit(ctx context.Context, workspace, id uuid.UUID, prepare func(know vocabulary) (change, error)) (store.Contact, error) {
	return store.InTxV(ctx, p.db, p.clock, func(tx store.Tx) (store.Contact, error) {
		know, err := learn(ctx, tx, workspace, needs{fields: true, lists: true, topics: true})
		if err != nil {
			return store.Contact{}, err
		}
		change, err := prepare(know)
		if err != nil {
			return store.Contact{}, err
		}
		change.id = id
		outcomes := make([]Outcome, 1)
		if err := p.run(ctx, tx, workspace, []item{{at: 0, change: change}}, outcomes, Options{}); err != nil {
			return store.Contact{}, err
		}
		return outcomes[0].Contact, outcomes[0].Err
	})
}

type needs struct{ fields, lists, topics bool }

// learn loads the parts of the vocabulary that are needed.
func learn(ctx context.Context, tx store.Tx, workspace uuid.UUID, need needs) (vocabulary, error) {
	know := vocabulary{now: tx.Now}
	if need.fields {
		rows, err := store.Q.FieldDefs(ctx, tx, workspace)
		if err != nil {
			return know, fmt.Errorf("read the fields: %w", err)
		}
		know.defs = defsOf(rows)
	}
	if need.lists {
		rows, err := store.Q.Lists(ctx, tx, workspace)
		if err != nil {
			return know, fmt.Errorf("read the lists: %w", err)
		}
		know.lists = make(map[string]bool, len(rows))
		for _, row := range rows {
			know.lists[row.Slug] = true
		}
	}
	if need.topics {
		rows, err := store.Q.Topics(ctx, tx, workspace)
		if err != nil {
			return know, fmt.Errorf("read the topics: %w", err)
		}
		know.topics = make(map[string]bool, len(rows))
		for _, row := range rows {
			know.topics[row.Slug] = true
		}
	}
	return know, nil
}
