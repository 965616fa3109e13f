package people

import (
	"context"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/store"
)

// The kinds of identities.
const (
	kindExternal = "external_id"
	kindEmail    = "email"
	kindPhone    = "phone"
)

// alias is an identity a contact had before it was merged into another one, to whom it leads for as long as nobody has it.
type alias struct{ kind, value string }

// maxRelooks is how often whom identities name is looked up anew because somebody was merged before they could be locked.
const maxRelooks = 5

// lockNamed locks the contacts of the ids and identities, and whom they were merged into. What is found may change before it is
// locked; only what the locked rows say counts.
func lockNamed(ctx context.Context, tx store.Tx, workspace uuid.UUID, ids []uuid.UUID, externals, emails, phones []string) ([]store.Contact, map[alias]uuid.UUID, error) {
	ids = slices.Clone(ids)
	for range maxRelooks {
		found, err := store.Q.ContactsByIdentity(ctx, tx, store.ContactsByIdentityParams{
			WorkspaceID: workspace, ExternalIds: externals, Emails: emails, Phones: phones,
		})
		if err != nil {
			return nil, nil, fmt.Errorf("find contacts: %w", err)
		}
		wanted := slices.Clone(ids)
		var aliases map[alias]uuid.UUID
		for _, f := range found {
			wanted = append(wanted, f.ID)
			if f.Kind != "" {
				if aliases == nil {
					aliases = map[alias]uuid.UUID{}
				}
				aliases[alias{f.Kind, f.Value}] = f.ID
			}
		}
		rows, err := store.Q.LockContacts(ctx, tx, store.LockContactsParams{WorkspaceID: workspace, Ids: wanted})
		if err != nil {
			return nil, nil, fmt.Errorf("lock contacts: %w", err)
		}
		moved := false
		for _, row := range rows {
			if row.MergedInto != nil && !slices.Contains(wanted, *row.MergedInto) {
				ids, moved = append(ids, *row.MergedInto), true
			}
		}
		if !moved {
			return rows, aliases, nil
		}
	}
	return nil, nil, fault.New(fault.Conflict, "These contacts are being merged. Please try again.")
}

// without leaves the identity of a kind as it is.
func (c *change) without(kind string) {
	switch kind {
	case kindExternal:
		c.external = nil
	case kindEmail:
		c.email, c.folded = nil, nil
	case kindPhone:
		c.phone = nil
	}
}

// give notes the aliases a contact has now as its own.
func (c *crowd) give(e *edit) {
	if len(c.aliases) == 0 {
		return
	}
	for _, own := range identities(e.row) {
		if _, known := c.aliases[own]; known {
			delete(c.aliases, own)
			if c.given == nil {
				c.given = map[alias]*edit{}
			}
			c.given[own] = e
		}
	}
}

// identities are those a contact has.
func identities(row store.Contact) []alias {
	var all []alias
	for _, own := range []struct {
		kind  string
		value *string
	}{{kindExternal, row.ExternalID}, {kindEmail, row.EmailFolded}, {kindPhone, row.Phone}} {
		if given(own.value) {
			all = append(all, alias{own.kind, *own.value})
		}
	}
	return all
}

// columns are aliases as a statement reads them.
func columns(aliases []alias) (kinds, values []string) {
	kinds, values = make([]string, len(aliases)), make([]string, len(aliases))
	for i, a := range aliases {
		kinds[i], values[i] = a.kind, a.value
	}
	return kinds, values
}

// dropGiven takes the aliases away that were given to somebody.
func (c *crowd) dropGiven(ctx context.Context, tx store.Tx, lost map[uuid.UUID]bool) error {
	var gone []alias
	for a, e := range c.given {
		if !lost[e.row.ID] {
			gone = append(gone, a)
		}
	}
	if len(gone) == 0 {
		return nil
	}
	kinds, values := columns(gone)
	if err := store.Q.DropAliases(ctx, tx, store.DropAliasesParams{WorkspaceID: c.workspace, Kinds: kinds, Vals: values}); err != nil {
		return fmt.Errorf("take identities from merged contacts: %w", err)
	}
	return nil
}

// leaveAliases lets the loser's identities that the winner does not take over lead to the winner, with all that led to the loser.
func leaveAliases(ctx context.Context, tx store.Tx, workspace uuid.UUID, into, from store.Contact) error {
	own := identities(into)
	left := slices.DeleteFunc(identities(from), func(a alias) bool { return slices.Contains(own, a) })
	if err := store.Q.MoveAliases(ctx, tx, store.MoveAliasesParams{WorkspaceID: workspace, Winner: into.ID, Loser: from.ID}); err != nil {
		return fmt.Errorf("give identities of merged contacts over: %w", err)
	}
	if err := store.Q.FollowMerges(ctx, tx, store.FollowMergesParams{WorkspaceID: workspace, Winner: into.ID, Loser: from.ID}); err != nil {
		return fmt.Errorf("give merged contacts over: %w", err)
	}
	if len(left) == 0 {
		return nil
	}
	kinds, values := columns(left)
	err := store.Q.AddAliases(ctx, tx, store.AddAliasesParams{WorkspaceID: workspace, ContactID: into.ID, Kinds: kinds, Vals: values})
	if err != nil {
		return fmt.Errorf("keep the identities of a merged contact: %w", err)
	}
	return nil
}

// eraseAliases forgets the person's aliases; their addresses stay suppressed as the others do.
func (p *People) eraseAliases(ctx context.Context, tx store.Tx, workspace, id uuid.UUID) error {
	gone, err := store.Q.EraseAliases(ctx, tx, store.EraseAliasesParams{WorkspaceID: workspace, ContactID: id})
	if err != nil {
		return fmt.Errorf("erase the identities of merged contacts: %w", err)
	}
	for _, a := range gone {
		for _, channel := range map[string][]string{kindEmail: {"email"}, kindPhone: {"sms", "whatsapp"}}[a.Kind] {
			if err := p.suppress(ctx, tx, workspace, channel, a.Value, ReasonErased, "erase", nil); err != nil {
				return err
			}
		}
	}
	return nil
}
