// Package visitors keeps what browsers see of a site: anonymous at first, a person's once there is proof of who they are.
//
// A browser makes up its own id, so it proves nothing; and whoever types somebody's address into a form proves nothing either. A visitor
// becomes a person's by a signed identity token (from the customer's server, or in a link of a message), by a confirmed address, or by a
// form that made the person. What was seen before then becomes the person's history: it counts in rules and starts nothing.
package visitors

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/lejek/lejek/backend/clock"
	"github.com/lejek/lejek/backend/events"
	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/people"
	"github.com/lejek/lejek/backend/signed"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/engine"
)

const (
	maxURL   = 2000
	maxTitle = 300
	keep     = 200 // visits of one anonymous visitor
	forget   = 90 * 24 * time.Hour

	// TokenLife is how long an identity token works.
	TokenLife = time.Hour
)

// Visitors keep visitors.
type Visitors struct {
	DB      store.DB
	Clock   clock.Clock
	People  *people.People
	Reactor *events.Reactor
	Key     signed.Key
}

// Visit is one page somebody saw.
type Visit struct {
	Visitor  uuid.UUID
	URL      string
	Title    string
	Referrer string
	Identity string // token; "" says nothing
}

// Token lets the browser that shows it be taken for the person's, until the instant.
func (v *Visitors) Token(workspace, contact uuid.UUID, until time.Time) string {
	return v.Key.Make(signed.Identity, signed.Token{First: workspace, Second: contact, At: until})
}

// props are the properties of a visit. What stands behind # stays in the browser.
func (visit Visit) props() (map[string]any, error) {
	parsed, err := url.Parse(strings.TrimSpace(visit.URL))
	if err != nil || parsed.Host == "" || parsed.Scheme != "http" && parsed.Scheme != "https" || len(visit.URL) > maxURL || strings.ContainsRune(visit.URL, 0) {
		return nil, fault.InvalidField("url", "Give the whole address of the page, at most %d bytes.", maxURL)
	}
	parsed.Fragment, parsed.RawFragment, parsed.User = "", "", nil
	props := map[string]any{"url": parsed.String(), "host": parsed.Host, "path": parsed.Path}
	if title := store.Text(visit.Title, maxTitle); title != "" {
		props["title"] = title
	}
	if from, err := url.Parse(visit.Referrer); err == nil && from.Host != "" && len(visit.Referrer) <= maxURL {
		props["referrer"] = from.Scheme + "://" + from.Host + store.Text(from.Path, maxTitle)
	}
	return props, nil
}

// Track keeps one visit. Nudge the pumps "wake" and "inbox" afterwards.
func (v *Visitors) Track(ctx context.Context, workspace uuid.UUID, visit Visit) error {
	props, err := visit.props()
	if err != nil {
		return err
	}
	if visit.Visitor == uuid.Nil {
		return fault.InvalidField("visitor", "Give the visitor's id, a UUID the browser made.")
	}
	return store.InTx(ctx, v.DB, v.Clock, func(tx store.Tx) error {
		if err := v.identify(ctx, tx, workspace, visit); err != nil {
			return err
		}
		row, err := store.Q.SeeVisitor(ctx, tx, store.SeeVisitorParams{WorkspaceID: workspace, ID: visit.Visitor, Now: tx.Now})
		if err != nil {
			return fmt.Errorf("keep a visitor: %w", err)
		}
		if row.ContactID != nil {
			return v.ingest(ctx, tx, workspace, *row.ContactID, false, []events.Incoming{{Name: engine.EventPageVisited, Props: props}})
		}
		raw, err := json.Marshal(props)
		if err != nil {
			return fmt.Errorf("keep a visit: %w", err)
		}
		if err := store.Q.InsertVisit(ctx, tx, store.InsertVisitParams{WorkspaceID: workspace, VisitorID: visit.Visitor, At: tx.Now, Props: raw}); err != nil {
			return fmt.Errorf("keep a visit: %w", err)
		}
		err = store.Q.TrimVisits(ctx, tx, store.TrimVisitsParams{WorkspaceID: workspace, VisitorID: visit.Visitor, Keep: keep})
		return fault.Wrap(err, "keep a visit")
	})
}

// identify attaches the visitor to the person of a token. A token that is no good says nothing.
func (v *Visitors) identify(ctx context.Context, tx store.Tx, workspace uuid.UUID, visit Visit) error {
	if visit.Identity == "" {
		return v.lockKnown(ctx, tx, workspace, visit.Visitor)
	}
	said, err := v.Key.Read(signed.Identity, visit.Identity)
	if err != nil || said.First != workspace || tx.Now.After(said.At) {
		return v.lockKnown(ctx, tx, workspace, visit.Visitor)
	}
	contact, err := v.People.In(tx).Get(ctx, workspace, said.Second)
	if err != nil || contact.ErasedAt != nil {
		return v.lockKnown(ctx, tx, workspace, visit.Visitor)
	}
	if _, err := store.Q.LockContacts(ctx, tx, store.LockContactsParams{WorkspaceID: workspace, Ids: []uuid.UUID{contact.ID}}); err != nil {
		return fmt.Errorf("lock a person: %w", err)
	}
	return v.Attach(ctx, tx, workspace, visit.Visitor, contact.ID)
}

// lockKnown locks the person of a visitor before the visitor, as everybody does.
func (v *Visitors) lockKnown(ctx context.Context, tx store.Tx, workspace, visitor uuid.UUID) error {
	var contact *uuid.UUID
	err := tx.QueryRow(ctx, "SELECT contact_id FROM visitors WHERE workspace_id = $1 AND id = $2", workspace, visitor).Scan(&contact)
	if errors.Is(err, pgx.ErrNoRows) || err == nil && contact == nil {
		return nil
	}
	if err == nil {
		_, err = store.Q.LockContacts(ctx, tx, store.LockContactsParams{WorkspaceID: workspace, Ids: []uuid.UUID{*contact}})
	}
	return fault.Wrap(err, "lock a person")
}

// Attach takes the visitor for the person's, whom the caller has locked, and makes what was seen so far the person's history.
func (v *Visitors) Attach(ctx context.Context, tx store.Tx, workspace, visitor, contact uuid.UUID) error {
	if _, err := store.Q.SeeVisitor(ctx, tx, store.SeeVisitorParams{WorkspaceID: workspace, ID: visitor, Now: tx.Now}); err != nil {
		return fmt.Errorf("keep a visitor: %w", err)
	}
	row, err := store.Q.LockVisitor(ctx, tx, store.LockVisitorParams{WorkspaceID: workspace, ID: visitor})
	if err != nil {
		return fmt.Errorf("lock a visitor: %w", err)
	}
	if row.ContactID != nil && *row.ContactID == contact {
		return nil
	}
	err = store.Q.IdentifyVisitor(ctx, tx, store.IdentifyVisitorParams{WorkspaceID: workspace, ID: visitor, ContactID: &contact, Now: &tx.Now})
	if err != nil {
		return fmt.Errorf("identify a visitor: %w", err)
	}
	seen, err := store.Q.TakeVisits(ctx, tx, store.TakeVisitsParams{WorkspaceID: workspace, VisitorID: visitor})
	if err != nil {
		return fmt.Errorf("read visits: %w", err)
	}
	history := make([]events.Incoming, len(seen))
	for i, visit := range seen {
		history[i] = events.Incoming{Name: engine.EventPageVisited, At: visit.At}
		if err := json.Unmarshal(visit.Props, &history[i].Props); err != nil {
			return fmt.Errorf("visit %d: %w", visit.ID, err)
		}
	}
	return v.ingest(ctx, tx, workspace, contact, true, history)
}

func (v *Visitors) ingest(ctx context.Context, tx store.Tx, workspace, contact uuid.UUID, history bool, batch []events.Incoming) error {
	for i := range batch {
		batch[i].Who, batch[i].Source, batch[i].Own, batch[i].Imported = people.Input{ID: contact}, events.SourceInternal, true, history
	}
	if len(batch) == 0 {
		return nil
	}
	outcomes, err := v.Reactor.Ingest(ctx, tx, workspace, batch)
	if err != nil {
		return err
	}
	for _, outcome := range outcomes {
		if outcome.Status == events.Rejected {
			return fmt.Errorf("keep a visit: %s", outcome.Reason)
		}
	}
	return nil
}

// Forget drops anonymous visitors who have not been back for three months.
func (v *Visitors) Forget(ctx context.Context) error {
	_, err := store.Q.ForgetVisitors(ctx, v.DB, v.Clock.Now().Add(-forget))
	return fault.Wrap(err, "forget visitors")
}
