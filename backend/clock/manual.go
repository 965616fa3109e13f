package clock

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
)

// Manual is business time that moves only when told: one row that all processes of an installation read.
type Manual struct {
	query Querier

	mu   sync.Mutex
	last time.Time // what Now answers when the database does not
}

// NewManual returns the manual clock kept in the database behind query, and sets it to start where it was never set.
func NewManual(ctx context.Context, query Querier, start time.Time) (*Manual, error) {
	start = Micro(start)
	_, err := query.Exec(ctx, "INSERT INTO clock (id, now, due) VALUES (1, $1, $1) ON CONFLICT (id) DO NOTHING", start)
	if err != nil {
		return nil, fmt.Errorf("set up the manual clock: %w", err)
	}
	manual := &Manual{query: query, last: start}
	if manual.last, err = manual.NowIn(ctx, query); err != nil {
		return nil, err
	}
	return manual, nil
}

// Now reads the row. When the database does not answer it is the instant read last.
func (m *Manual) Now() time.Time {
	now, err := m.NowIn(context.Background(), m.query)
	m.mu.Lock()
	defer m.mu.Unlock()
	if err == nil {
		m.last = now
	}
	return m.last
}

// NowIn reads the row through q.
func (m *Manual) NowIn(ctx context.Context, q Querier) (time.Time, error) {
	now, _, err := m.Read(ctx, q)
	return now, err
}

// Due reads through q up to which instant waits may be taken.
func (m *Manual) Due(ctx context.Context, q Querier) (time.Time, error) {
	_, due, err := m.Read(ctx, q)
	return due, err
}

// Settled is always true.
func (m *Manual) Settled() bool { return true }

// Read reads both instants.
func (m *Manual) Read(ctx context.Context, q Querier) (now, due time.Time, err error) {
	if err := q.QueryRow(ctx, "SELECT now, due FROM clock WHERE id = 1").Scan(&now, &due); err != nil {
		return time.Time{}, time.Time{}, fmt.Errorf("read the manual clock: %w", err)
	}
	return now.UTC(), due.UTC(), nil
}

// ErrBackwards refuses to set the clock to an instant before the one it shows.
var ErrBackwards = errors.New("the manual clock does not go backwards")

// SetNow moves now to t; waits up to due stay the only ones taken.
func (m *Manual) SetNow(ctx context.Context, t time.Time) error {
	return m.set(ctx, "UPDATE clock SET now = $1 WHERE id = 1 AND now <= $1 RETURNING id", t)
}

// SetDue lets waits up to t be taken. It answers ErrBackwards for a t after now or before the present due.
func (m *Manual) SetDue(ctx context.Context, t time.Time) error {
	return m.set(ctx, "UPDATE clock SET due = $1 WHERE id = 1 AND due <= $1 AND now >= $1 RETURNING id", t)
}

func (m *Manual) set(ctx context.Context, sql string, t time.Time) error {
	var id int
	err := m.query.QueryRow(ctx, sql, Micro(t)).Scan(&id)
	if errors.Is(err, pgx.ErrNoRows) {
		return ErrBackwards
	}
	if err != nil {
		return fmt.Errorf("set the manual clock: %w", err)
	}
	return nil
}
