package delivery

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/lejek/lejek/backend/plans"
	"github.com/lejek/lejek/backend/splice"
	"github.com/lejek/lejek/backend/store"
)

// maxTemplates bounds how many compiled creatives a process keeps.
const maxTemplates = 500

// templates keeps compiled creatives by content hash; they never change.
type templates struct {
	read  func([]byte) (Template, error)
	mu    sync.Mutex
	known map[string]Template
}

func (t *templates) get(ctx context.Context, db store.DB, workspace uuid.UUID, hash string) (Template, error) {
	key := workspace.String() + hash
	t.mu.Lock()
	known := t.known[key]
	t.mu.Unlock()
	if known != nil {
		return known, nil
	}
	var raw []byte
	err := db.QueryRow(ctx, "SELECT artifact FROM creative_artifacts WHERE workspace_id = $1 AND hash = $2", workspace, hash).Scan(&raw)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read a creative: %w", err)
	}
	if known, err = t.read(raw); err != nil {
		return nil, fmt.Errorf("read a creative: %w", err)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.known == nil || len(t.known) >= maxTemplates {
		t.known = map[string]Template{}
	}
	t.known[key] = known
	return known, nil
}

// write fills the creatives of the letters that leave. A letter that cannot be written fails alone.
func (d *Deliverer) write(ctx context.Context, tx store.Tx, r *round, letters []*letter) error {
	if err := d.loadBodies(ctx, tx, letters); err != nil {
		return err
	}
	keys := make([]plans.Key, 0, len(letters))
	for _, l := range letters {
		if l.version != nil {
			keys = append(keys, plans.Key{Workspace: l.workspace, Version: *l.version})
		}
	}
	versions, err := d.Plans.Get(ctx, tx, keys)
	if err != nil {
		return err
	}
	for _, l := range letters {
		if l.again {
			continue
		}
		hash := l.artifact
		if hash == "" && l.version != nil {
			if v := versions[plans.Key{Workspace: l.workspace, Version: *l.version}]; v != nil {
				hash = v.Artifacts[l.creative]
			}
		}
		template, err := d.templates.get(ctx, tx, l.workspace, hash)
		if err != nil {
			return err
		}
		if template == nil {
			l.stop(failed, "creative_missing")
			continue
		}
		l.hash = hash
		d.compose(r, l, template)
	}
	return nil
}

// UnsubscribeURL is where a recipient of a message leaves.
func (d *Deliverer) UnsubscribeURL(workspace, message uuid.UUID) string {
	return d.BaseURL + "/u/" + d.tokens.Make(PurposeUnsubscribe, workspace, message)
}

// ViewURL is where a message is read in a browser.
func (d *Deliverer) ViewURL(workspace, message uuid.UUID) string {
	return d.BaseURL + "/v/" + d.tokens.Make(PurposeView, workspace, message)
}

// loadBodies reads what is written already, by earlier attempts or whoever asked for a notice: it is said byte for byte.
func (d *Deliverer) loadBodies(ctx context.Context, tx store.Tx, letters []*letter) error {
	again := map[uuid.UUID]*letter{}
	var workspaces, ids [][16]byte
	for _, l := range letters {
		if l.tried || l.run == nil && l.campaign == nil { // a notice was written when it was asked for
			again[l.id] = l
			workspaces, ids = append(workspaces, l.workspace), append(ids, l.id)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	rows, err := tx.Query(ctx, `SELECT b.message_id, b.subject, b.headers, b.pdf, `+splice.Columns+` FROM unnest($1::uuid[], $2::uuid[]) AS k (workspace_id, id)
		JOIN message_bodies b ON b.workspace_id = k.workspace_id AND b.message_id = k.id`+splice.Sources, workspaces, ids)
	if err != nil {
		return fmt.Errorf("read bodies: %w", err)
	}
	var id [16]byte
	var m Mail
	var headers []byte
	var kept splice.Kept
	_, err = pgx.ForEachRow(rows, append([]any{&id, &m.Subject, &headers, &m.PDF}, kept.Into()...), func() error {
		l := again[id]
		if m.HTML, m.Text, err = kept.Whole(); err != nil {
			return err
		}
		l.mail, l.again = m, true
		l.mail.Headers = nil
		return json.Unmarshal(headers, &l.mail.Headers)
	})
	if err != nil {
		return fmt.Errorf("read bodies: %w", err)
	}
	return nil
}

const longText = 500

// clip keeps texts of errors short and fit for the database.
func clip(text string) string { return store.Text(text, longText) }
