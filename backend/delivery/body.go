package delivery

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/google/uuid"

	"github.com/lejek/lejek/backend/splice"
	"github.com/lejek/lejek/backend/store"
)

// ReadBody is a message exactly as it left; pgx.ErrNoRows before anything did, and after the person was erased.
func ReadBody(ctx context.Context, db store.DB, workspace, message uuid.UUID) (m Mail, err error) {
	var kept splice.Kept
	var headers []byte
	err = db.QueryRow(ctx, "SELECT b.subject, b.headers, b.pdf, "+splice.Columns+" FROM message_bodies b"+splice.Sources+" WHERE b.workspace_id = $1 AND b.message_id = $2",
		workspace, message).Scan(append([]any{&m.Subject, &headers, &m.PDF}, kept.Into()...)...)
	if err != nil {
		return m, err
	}
	if err := json.Unmarshal(headers, &m.Headers); err != nil {
		return m, fmt.Errorf("read a body: %w", err)
	}
	m.HTML, m.Text, err = kept.Whole()
	return m, err
}
