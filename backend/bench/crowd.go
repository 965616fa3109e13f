package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/lejek/lejek/backend/clock"
	"github.com/lejek/lejek/backend/events"
	"github.com/lejek/lejek/backend/people"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/engine"
)

// crowd is what was generated, so that what the database says of it can be checked.
type crowd struct {
	ids       []uuid.UUID
	cities    []uint8
	purchases []uint16
	last      []time.Time // purchase
	silent    []int       // people who fell silent and whom the sweep has yet to look at
	later     time.Time   // until when it is kept from them
}

const (
	cities  = 40
	silence = 90 * 24 * time.Hour
	history = 360 * 24 * time.Hour
)

// cityName is a city; the first ones have names whose folding matters.
func cityName(city int) string {
	names := []string{"Kraków", "Warszawa", "Łódź", "Gdańsk", "Санкт-Петербург", "Poznań", "München", "Wrocław", "İzmir"}
	if city < len(names) {
		return names[city]
	}
	return fmt.Sprintf("Town %d", city)
}

// match counts those whom audienceRule is true for at an instant.
func (c *crowd) match(city int, now time.Time) (n int) {
	for i := range c.ids {
		if int(c.cities[i]) == city && c.purchases[i] >= 3 && !c.last[i].After(now.Add(-silence)) {
			n++
		}
	}
	return n
}

// gather generates people, a year of their events, and a segment of those who are silent as if it had been built, but for those whom the
// sweep has yet to look at.
func (in *installation) gather(ctx context.Context, contacts, happened int, segment uuid.UUID, progress io.Writer) (*crowd, error) {
	now := clock.Micro(in.app.Clock.Now())
	c := &crowd{ids: make([]uuid.UUID, contacts), cities: make([]uint8, contacts), purchases: make([]uint16, contacts), last: make([]time.Time, contacts)}
	for back := 12; back >= 0; back -= 4 {
		if err := events.Prepare(ctx, in.db.Pool, now.AddDate(0, -back, 0)); err != nil {
			return nil, err
		}
	}
	if _, err := in.db.Pool.Exec(ctx, `INSERT INTO field_defs (workspace_id, key, type, label, created_at) VALUES ($1, 'city', 'text', 'City', $2)`, in.workspace, now); err != nil {
		return nil, fmt.Errorf("make the field: %w", err)
	}
	fmt.Fprintf(progress, "Adding %d contacts ...\n", contacts)
	if err := in.copyPeople(ctx, c, now); err != nil {
		return nil, err
	}
	fmt.Fprintf(progress, "Adding %d events ...\n", happened)
	if err := in.copyEvents(ctx, c, happened, now); err != nil {
		return nil, err
	}
	fmt.Fprintln(progress, "Adding members ...")
	if err := in.copyMembers(ctx, c, segment, now); err != nil {
		return nil, err
	}
	for _, table := range []string{"contacts", "consents", "suppressions", "events", "event_rollups", "segment_members", "segments"} {
		if _, err := in.db.Pool.Exec(ctx, "VACUUM ANALYZE "+table); err != nil {
			return nil, err
		}
	}
	_, err := in.db.Pool.Exec(ctx, "CHECKPOINT")
	return c, err
}

// copyIn copies n rows in portions.
func (in *installation) copyIn(ctx context.Context, table string, columns []string, n int, row func(i int) ([]any, error)) error {
	for from := 0; from < n; from += portion {
		_, err := in.db.Pool.CopyFrom(ctx, pgx.Identifier{table}, columns, pgx.CopyFromSlice(min(portion, n-from), func(i int) ([]any, error) { return row(from + i) }))
		if err != nil {
			return fmt.Errorf("add %s: %w", table, err)
		}
	}
	return nil
}

// copyPeople adds the people. A hundredth of their addresses are suppressed.
func (in *installation) copyPeople(ctx context.Context, c *crowd, now time.Time) error {
	random := dice(1)
	since := now.Add(-history)
	columns := []string{
		"workspace_id", "id", "email", "email_folded", "first_name", "last_name", "name_folded", "last_name_folded", "zone", "language", "fields", "tags",
		"lists", "source", "created_at", "updated_at", "folded",
	}
	err := in.copyIn(ctx, "contacts", columns, len(c.ids), func(i int) ([]any, error) {
		c.ids[i] = store.NewID()
		c.cities[i] = uint8(math.Pow(cities, random.Float64()) - 1)
		city, mail := cityName(int(c.cities[i])), customer(i)
		fields, err := json.Marshal(map[string]any{"city": city})
		folded := engine.FoldValues(map[string]any{"city": city, "email": mail, "first_name": "Anna", "source": "api"})
		return []any{in.workspace, c.ids[i], mail, mail, "Anna", "", "anna", "", "", "", json.RawMessage(fields), []string{}, []string{}, "api", since, since, folded}, err
	})
	if err != nil {
		return err
	}
	err = in.copyIn(ctx, "consents", []string{"workspace_id", "contact_id", "channel", "topic", "state", "source", "at"}, len(c.ids), func(i int) ([]any, error) {
		return []any{in.workspace, c.ids[i], "email", "", "granted", "bench", since}, nil
	})
	if err != nil {
		return err
	}
	key := people.NewSuppressionKey(in.app.Config.Secret)
	columns = []string{"workspace_id", "channel", "address_hmac", "reason", "contact_id", "source", "at"}
	return in.copyIn(ctx, "suppressions", columns, len(c.ids)/100, func(i int) ([]any, error) {
		return []any{in.workspace, "email", key.Hash(in.workspace, "email", customer(i*100)), "bounced", c.ids[i*100], "bench", since}, nil
	})
}

// copyEvents adds events in the order of time, more of some people than of others, and counts them as taking them in does.
func (in *installation) copyEvents(ctx context.Context, c *crowd, n int, now time.Time) error {
	random := dice(2)
	columns := []string{"workspace_id", "id", "contact_id", "name", "at", "received_at", "source", "props"}
	err := in.copyIn(ctx, "events", columns, n, func(i int) ([]any, error) {
		who := int(float64(len(c.ids)) * math.Pow(random.Float64(), 1.6))
		at := clock.Micro(now.Add(-history + time.Duration(float64(history)*float64(i)/float64(n))))
		name := "product_viewed"
		if random.IntN(5) < 3 {
			name = "purchase"
			c.purchases[who]++
			c.last[who] = at
		}
		props := fmt.Appendf(nil, `{"sku": %d, "total": %.2f}`, random.IntN(1000), 100*random.Float64())
		return []any{in.workspace, int64(i + 1), c.ids[who], name, at, at, "api", json.RawMessage(props)}, nil
	})
	if err != nil {
		return err
	}
	if _, err := in.db.Pool.Exec(ctx, "SELECT setval('event_ids', $1)", n); err != nil {
		return fmt.Errorf("number events: %w", err)
	}
	_, err = in.db.Pool.Exec(ctx, `INSERT INTO event_rollups (workspace_id, contact_id, name, count, first_at, last_at)
		SELECT workspace_id, contact_id, name, count(*), min(at), max(at) FROM events GROUP BY 1, 2, 3`)
	if err != nil {
		return fmt.Errorf("count events: %w", err)
	}
	return nil
}

// copyMembers adds who is silent and when others will be. Of the silent, every other one has not been looked at.
func (in *installation) copyMembers(ctx context.Context, c *crowd, segment uuid.UUID, now time.Time) error {
	c.later = now.AddDate(10, 0, 0)
	var buyers []int
	for i, n := range c.purchases {
		if n > 0 {
			buyers = append(buyers, i)
		}
	}
	looked := false
	err := in.copyIn(ctx, "segment_members", []string{"workspace_id", "contact_id", "segment_id", "since", "recheck_at"}, len(buyers), func(n int) ([]any, error) {
		i := buyers[n]
		var since, recheck any
		switch due := c.last[i].Add(silence); {
		case due.After(now):
			recheck = due
		case looked:
			c.silent, looked = append(c.silent, i), false
			recheck = c.later
		default:
			since, looked = due, true
		}
		return []any{in.workspace, c.ids[i], segment, since, recheck}, nil
	})
	if err != nil {
		return err
	}
	if _, err := in.db.Pool.Exec(ctx, "UPDATE segments SET state = 'live', built_to = NULL WHERE id = $1", segment); err != nil {
		return fmt.Errorf("finish the segment: %w", err)
	}
	return nil
}
