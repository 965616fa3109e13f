package delivery

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/google/uuid"

	"github.com/lejek/lejek/backend/splice"
	"github.com/lejek/lejek/backend/store"
)

// bodyColumns and bodySources read of message_bodies b what bodyRow takes.
const (
	bodyColumns = `b.html, b.text, b.spliced, coalesce(k9.artifact -> 'html' ->> 'source', ''), coalesce(k9.artifact -> 'text' ->> 'source', '')`
	bodySources = ` LEFT JOIN creative_artifacts k9 ON b.artifact <> '' AND k9.workspace_id = b.workspace_id AND k9.hash = b.artifact`
)

// bodyRow is a kept body: whole, or as the values in the holes of a creative.
type bodyRow struct {
	html, text             string
	spliced                []byte
	htmlSource, textSource string
}

func (b *bodyRow) into() []any {
	return []any{&b.html, &b.text, &b.spliced, &b.htmlSource, &b.textSource}
}

func (b *bodyRow) join() (html, text string, err error) {
	if b.spliced == nil {
		return b.html, b.text, nil
	}
	lists, err := splice.Decode(b.spliced, 2)
	if err != nil {
		return "", "", fmt.Errorf("read a body: %w", err)
	}
	if html, err = splice.Join(b.htmlSource, lists[0]); err != nil {
		return "", "", fmt.Errorf("read a body: %w", err)
	}
	if text, err = splice.Join(b.textSource, lists[1]); err != nil {
		return "", "", fmt.Errorf("read a body: %w", err)
	}
	return html, text, nil
}

// ReadBody is a message exactly as it left; pgx.ErrNoRows before anything did, and after the person was erased.
func ReadBody(ctx context.Context, db store.DB, workspace, message uuid.UUID) (m Mail, err error) {
	var kept bodyRow
	var headers []byte
	err = db.QueryRow(ctx, "SELECT b.subject, b.headers, b.pdf, "+bodyColumns+" FROM message_bodies b"+bodySources+" WHERE b.workspace_id = $1 AND b.message_id = $2",
		workspace, message).Scan(append([]any{&m.Subject, &headers, &m.PDF}, kept.into()...)...)
	if err != nil {
		return m, err
	}
	if err := json.Unmarshal(headers, &m.Headers); err != nil {
		return m, fmt.Errorf("read a body: %w", err)
	}
	m.HTML, m.Text, err = kept.join()
	return m, err
}
