package seal

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/lejek/lejek/backend/store"
)

// Column is where secrets are kept.
type Column struct {
	Table, Column string
	Purpose       string
	Owner         string // SQL: the owner a row's secret is sealed for, as bytea
}

// Count is what a Reseal did.
type Count struct {
	Table     string `json:"table"`
	Column    string `json:"column"`
	Sealed    int    `json:"sealed"`    // anew
	Fresh     int    `json:"fresh"`     // with the first key already
	Forgotten int    `json:"forgotten"` // no key opens them: they have to be entered again
}

// Reseal seals what is kept in a column with the first of the keys. It may run beside everything else: a secret that changes meanwhile is
// left as it is. A second run does nothing.
func Reseal(ctx context.Context, db store.DB, keys Keys, c Column) (Count, error) {
	count := Count{Table: c.Table, Column: c.Column}
	box := New(keys, c.Purpose)
	rows, err := db.Query(ctx, fmt.Sprintf("SELECT workspace_id, %s, %s FROM %s WHERE %[2]s IS NOT NULL", c.Owner, c.Column, c.Table))
	if err != nil {
		return count, fmt.Errorf("read the secrets of %s: %w", c.Table, err)
	}
	type row struct {
		Workspace     uuid.UUID
		Owner, Sealed []byte
	}
	kept, err := pgx.CollectRows(rows, pgx.RowToStructByPos[row])
	if err != nil {
		return count, fmt.Errorf("read the secrets of %s: %w", c.Table, err)
	}
	for _, r := range kept {
		text, key, err := box.open(r.Owner, r.Sealed)
		switch {
		case errors.Is(err, ErrSealed):
			count.Forgotten++
			continue
		case err != nil:
			return count, err
		case key == 0:
			count.Fresh++
			continue
		}
		fresh, err := box.Seal(r.Owner, text)
		if err != nil {
			return count, err
		}
		tag, err := db.Exec(ctx, fmt.Sprintf("UPDATE %s SET %s = $4 WHERE workspace_id = $1 AND %s = $2 AND %[2]s = $3", c.Table, c.Column, c.Owner),
			r.Workspace, r.Owner, r.Sealed, fresh)
		if err != nil {
			return count, fmt.Errorf("seal the secrets of %s anew: %w", c.Table, err)
		}
		count.Sealed += int(tag.RowsAffected())
	}
	return count, nil
}
