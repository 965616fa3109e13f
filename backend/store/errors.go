package store

import (
	"errors"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// IsData says whether err is the database refusing the data it was given (classes 22 and 23), so that the same statement would
// fail again and a batch is worth splitting.
func IsData(err error) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && len(pg.Code) == 5 && (pg.Code[:2] == "22" || pg.Code[:2] == "23")
}

// Text makes a foreign text, such as an error's, fit for a text column: valid, without NUL, at most limit bytes.
func Text(text string, limit int) string {
	if len(text) > limit {
		text = text[:limit]
	}
	return strings.ReplaceAll(strings.ToValidUTF8(text, ""), "\x00", "")
}
