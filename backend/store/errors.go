package store

import (
	"errors"
	"io"
	"net"
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

// IsDown says whether err means that the database cannot be asked just now: it is not there, is stopping or starting, has no connection left, or
// the line broke. The same request may well succeed in a moment.
func IsDown(err error) bool {
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok {
		switch {
		case strings.HasPrefix(pg.Code, "08"), strings.HasPrefix(pg.Code, "53"), strings.HasPrefix(pg.Code, "57P"):
			return true
		case pg.Code == "40001", pg.Code == "40P01", pg.Code == "55P03", pg.Code == "57014": // a clash with others, a lock not got, a query cancelled
			return true
		}
		return false
	}
	if _, ok := errors.AsType[*pgconn.ConnectError](err); ok {
		return true
	}
	if _, ok := errors.AsType[*net.OpError](err); ok {
		return true
	}
	return pgconn.SafeToRetry(err) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed) || pgconn.Timeout(err)
}
