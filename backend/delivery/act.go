package delivery

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/backend/tracking"
)

// Act plays a recipient's act on a message of the sandbox: open, click (detail is the URL), reply (detail is the text), bounce, unsubscribe.
// It is remembered and told as a person's real one would be.
func (d *Deliverer) Act(ctx context.Context, workspace, message uuid.UUID, act, detail string) error {
	if act == "unsubscribe" {
		if err := inTestInbox(ctx, d.DB, workspace, message); err != nil {
			return err
		}
		_, err := d.Unsubscribe(ctx, d.tokens.Make(PurposeUnsubscribe, workspace, message), false)
		return err
	}
	if !tracking.Known(act) {
		return fault.InvalidField("act", "There is no act %q. Use open, click, reply, bounce or unsubscribe.", act)
	}
	err := store.InTx(ctx, d.DB, d.Clock, func(tx store.Tx) (err error) {
		if err := inTestInbox(ctx, tx, workspace, message); err != nil {
			return err
		}
		done := tracking.Act{Workspace: workspace, Message: message, Kind: act, At: tx.Now}
		switch act {
		case tracking.ActClick:
			if done.URL, err = d.target(ctx, tx, detail); err != nil {
				return err
			}
		case tracking.ActReply:
			done.Text = detail
		}
		return tracking.Happened(ctx, tx, []tracking.Act{done})
	})
	if err == nil {
		d.nudge()
	}
	return err
}

// Leads tells whether a link stands in a message of the Test inbox: only what the recipient could follow is followed in their place.
func (d *Deliverer) Leads(ctx context.Context, workspace, message uuid.UUID, address string) error {
	if err := inTestInbox(ctx, d.DB, workspace, message); err != nil {
		return err
	}
	var there bool
	err := d.DB.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM message_bodies b, jsonb_array_elements(b.links) AS l
		WHERE b.workspace_id = $1 AND b.message_id = $2 AND l ->> 'url' = $3)`, workspace, message, address).Scan(&there)
	if err != nil {
		return fmt.Errorf("look for a link in a message: %w", err)
	}
	if !there {
		return fault.InvalidField("url", "There is no such link in this message.")
	}
	return nil
}

// inTestInbox refuses a message that did not arrive there.
func inTestInbox(ctx context.Context, db store.DB, workspace, message uuid.UUID) error {
	var there bool
	err := db.QueryRow(ctx, "SELECT EXISTS (SELECT 1 FROM messages WHERE workspace_id = $1 AND id = $2 AND provider_id = $3 AND status = 'sent')",
		workspace, message, Sandbox).Scan(&there)
	if err != nil {
		return fmt.Errorf("act on a message: %w", err)
	}
	if !there {
		return fault.New(fault.NotFound, "There is no such message in the Test inbox.")
	}
	return nil
}

// target is where an address in a message leads in the end: in the Test inbox people click the tracked ones.
func (d *Deliverer) target(ctx context.Context, tx store.Tx, address string) (string, error) {
	parsed, err := url.Parse(address)
	if err != nil {
		return address, nil
	}
	if token, ours := strings.CutPrefix(parsed.Path, "/c/"); ours {
		if target, err := d.links.ReadClick(token); err == nil {
			return target.URL, nil
		}
		return address, nil
	}
	code, ours := strings.CutPrefix(parsed.Path, "/s/")
	if !ours || !tracking.IsCode(code) {
		return address, nil
	}
	var target string
	err = tx.QueryRow(ctx, "SELECT url FROM short_links WHERE code = $1", code).Scan(&target)
	if errors.Is(err, pgx.ErrNoRows) {
		return address, nil
	}
	if err != nil {
		return "", fmt.Errorf("read a short link: %w", err)
	}
	return target, nil
}
