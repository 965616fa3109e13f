package delivery

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"github.com/lejek/lejek/backend/mailwire"
	"github.com/lejek/lejek/backend/store"
)

// domainOwner binds a sealed key to its row.
func domainOwner(workspace uuid.UUID, name string) []byte { return append(workspace[:], name...) }

// selectorName is the name under which we ask for keys to be published.
const selectorName = "lejek"

// EnsureDomain makes the row and the key of a domain, if there is none, and answers the public part as DNS has it.
func (d *Deliverer) EnsureDomain(ctx context.Context, tx store.Tx, workspace uuid.UUID, name string) (public string, err error) {
	err = tx.QueryRow(ctx, "SELECT coalesce((SELECT public_key FROM domains WHERE workspace_id = $1 AND name = $2), '')", workspace, name).Scan(&public)
	if err != nil {
		return "", fmt.Errorf("read a domain: %w", err)
	}
	if public != "" {
		return public, nil
	}
	der, public, err := mailwire.GenerateKey()
	if err != nil {
		return "", err
	}
	sealed, err := d.domainKeys().Seal(domainOwner(workspace, name), string(der))
	if err != nil {
		return "", err
	}
	err = tx.QueryRow(ctx, `INSERT INTO domains (workspace_id, name, selector, private_key, public_key, created_at) VALUES ($1, $2, $3, $4, $5, $6)
		ON CONFLICT (workspace_id, name) DO UPDATE SET name = excluded.name RETURNING public_key`, workspace, name, selectorName, sealed, public, tx.Now).Scan(&public)
	if err != nil {
		return "", fmt.Errorf("keep a domain's key: %w", err)
	}
	return public, nil
}

// SetSigning says whether mails of a domain are signed: once its key was seen in DNS. Open connections take it in.
func SetSigning(ctx context.Context, tx store.Tx, workspace uuid.UUID, name string, signing bool) error {
	tag, err := tx.Exec(ctx, "UPDATE domains SET signing = $3 WHERE workspace_id = $1 AND name = $2 AND signing <> $3", workspace, name, signing)
	if err != nil {
		return fmt.Errorf("let a domain sign: %w", err)
	}
	if tag.RowsAffected() == 0 {
		return nil
	}
	if _, err := tx.Exec(ctx, "UPDATE providers SET revision = revision + 1 WHERE workspace_id = $1", workspace); err != nil {
		return fmt.Errorf("let a domain sign: %w", err)
	}
	return nil
}
