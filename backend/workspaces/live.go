package workspaces

import (
	"context"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/store"
)

// How a workspace begins to send: slowly, because nobody knows its address yet, or at once, because the address is known for its mail.
const (
	WarmupSlow  = "slow"
	WarmupKnown = "known"
)

// What has to be there before anything leaves.
const (
	NeedsProvider = "provider" // somebody who carries e-mail
	NeedsSender   = "sender"   // a verified address to send from
	NeedsAddress  = "address"  // the postal address that belongs below every mail
	NeedsWarmup   = "warmup"   // a word on how to begin
)

// Check is one thing that has to be there, and whether it is.
type Check struct {
	Key string
	OK  bool
}

// Checklist tells what is there of all that a workspace needs to go live.
func Checklist(ctx context.Context, db store.DB, id uuid.UUID) ([]Check, error) {
	checks := []Check{{Key: NeedsProvider}, {Key: NeedsSender}, {Key: NeedsAddress}, {Key: NeedsWarmup}}
	err := db.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM providers p WHERE p.workspace_id = w.id AND p.channel = 'email' AND p.active),
			EXISTS (SELECT 1 FROM senders s WHERE s.workspace_id = w.id AND s.is_default AND s.verified_at IS NOT NULL),
			trim(w.postal_address) <> '', w.warmup <> '' FROM workspaces w WHERE w.id = $1`, id).
		Scan(&checks[0].OK, &checks[1].OK, &checks[2].OK, &checks[3].OK)
	if err != nil {
		return nil, fmt.Errorf("look at what a workspace needs: %w", err)
	}
	return checks, nil
}

var lacks = map[string]string{
	NeedsProvider: "There is nobody who carries your e-mail. Connect a mail server or a provider.",
	NeedsSender:   "The default sender is not verified. Verify it, or make another one the default.",
	NeedsAddress:  "The postal address is missing. It stands below every mail, as the law asks; enter it in the settings.",
	NeedsWarmup:   "Say how to begin: slowly with a new address, or at once with one that is known.",
}

// GoLive lets messages leave from now on. It is refused, field by field, while something of the checklist is missing. warmup "" keeps what was
// said before.
func GoLive(ctx context.Context, tx store.Tx, id uuid.UUID, warmup string, by *uuid.UUID) error {
	if warmup != "" && !slices.Contains([]string{WarmupSlow, WarmupKnown}, warmup) {
		return fault.InvalidField("warmup", "Say slow or known.")
	}
	if _, err := tx.Exec(ctx, "UPDATE workspaces SET warmup = coalesce(nullif($2, ''), warmup) WHERE id = $1", id, warmup); err != nil {
		return fmt.Errorf("note how a workspace begins: %w", err)
	}
	checks, err := Checklist(ctx, tx, id)
	if err != nil {
		return err
	}
	var missing []fault.Field
	for _, check := range checks {
		if !check.OK {
			missing = append(missing, fault.Field{Path: check.Key, Message: lacks[check.Key]})
		}
	}
	if err := fault.InvalidFields(missing); err != nil {
		return err
	}
	_, err = tx.Exec(ctx, "UPDATE workspaces SET sending_mode = 'live', live_at = coalesce(live_at, $2), live_by = $3, updated_at = $2 WHERE id = $1", id, tx.Now, by)
	if err != nil {
		return fmt.Errorf("go live: %w", err)
	}
	if warmup == WarmupSlow {
		_, err = tx.Exec(ctx, "UPDATE providers SET warming_at = coalesce(warming_at, $2) WHERE workspace_id = $1 AND channel = 'email' AND active", id, tx.Now)
		if err != nil {
			return fmt.Errorf("begin the warm-up: %w", err)
		}
	}
	return nil
}

// GoSandbox keeps everything inside again.
func GoSandbox(ctx context.Context, tx store.Tx, id uuid.UUID) error {
	if _, err := tx.Exec(ctx, "UPDATE workspaces SET sending_mode = 'sandbox', updated_at = $2 WHERE id = $1", id, tx.Now); err != nil {
		return fmt.Errorf("go back to the sandbox: %w", err)
	}
	return nil
}

// InSandbox refuses what is for trying out where messages really leave. The answer holds until the transaction ends.
func InSandbox(ctx context.Context, tx store.Tx, id uuid.UUID) error {
	var mode string
	if err := tx.QueryRow(ctx, "SELECT sending_mode FROM workspaces WHERE id = $1 FOR SHARE", id).Scan(&mode); err != nil {
		return fmt.Errorf("read how a workspace sends: %w", err)
	}
	if mode != "sandbox" {
		return fault.New(fault.Conflict, "Messages really leave in this workspace, so a wait is kept. Waits can be skipped in the sandbox only.")
	}
	return nil
}
