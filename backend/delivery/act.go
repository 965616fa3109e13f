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
		_, err := d.Unsubscribe(ctx, d.tokens.Make(PurposeUnsubscribe, workspace, message), false)
		return err
	}
	if !tracking.Known(act) {
		return fault.InvalidField("act", "There is no act %q. Use open, click, reply, bounce or unsubscribe.", act)
	}
	err := store.InTx(ctx, d.DB, d.Clock, func(tx store.Tx) error {
		var there bool
		err := tx.QueryRow(ctx, "SELECT EXISTS (SELECT 1 FROM messages WHERE workspace_id = $1 AND id = $2 AND provider_id = $3 AND status = 'sent')",
			workspace, message, Sandbox).Scan(&there)
		if err != nil {
			return fmt.Errorf("act on a message: %w", err)
		}
		if !there {
			return fault.New(fault.NotFound, "There is no such message in the Test inbox.")
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
