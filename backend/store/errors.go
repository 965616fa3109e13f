package store

import (
	"errors"

	"github.com/jackc/pgx/v5/pgconn"
)

// IsData says whether err is the database refusing the data it was given (classes 22 and 23), so that the same statement would
// fail again and a batch is worth splitting.
func IsData(err error) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && len(pg.Code) == 5 && (pg.Code[:2] == "22" || pg.Code[:2] == "23")
}
