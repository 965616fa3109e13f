package webhooks

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/lejek/lejek/backend/events"
	"github.com/lejek/lejek/backend/store"
)

// payload is the body of a delivery.
type payload struct {
	Type      string         `json:"type"`
	Timestamp time.Time      `json:"timestamp"`
	Data      map[string]any `json:"data"`
}

// person is what is told of whom an event is about.
type person struct {
	ID         uuid.UUID `json:"id"`
	ExternalID *string   `json:"external_id,omitempty"`
	Email      *string   `json:"email,omitempty"`
	Phone      *string   `json:"phone,omitempty"`
}

// Tell makes a delivery of each event for each endpoint that wants it, in the transaction that records the events. It is called by the
// inbox.
func (w *Webhooks) Tell(ctx context.Context, tx store.Tx, workspace uuid.UUID, told []events.Told) error {
	told = slices.DeleteFunc(slices.Clone(told), func(t events.Told) bool { return names[t.Name] == "" })
	if len(told) == 0 {
		return nil
	}
	endpoints, err := listeners(ctx, tx, workspace)
	if err != nil || len(endpoints) == 0 {
		return err
	}
	people, err := peopleOf(ctx, tx, workspace, told)
	if err != nil {
		return err
	}
	var news batch
	for _, t := range told {
		data := map[string]any{"event_id": strconv.FormatInt(t.ID, 10), "contact": people[t.Contact]}
		for key, value := range t.Props {
			if _, ours := data[key]; !ours {
				data[key] = value
			}
		}
		body, err := json.Marshal(payload{names[t.Name], t.At.UTC(), data})
		if err != nil {
			return fmt.Errorf("describe an event: %w", err)
		}
		for endpoint, wanted := range endpoints {
			if len(wanted) == 0 || slices.Contains(wanted, names[t.Name]) {
				news.add(endpoint, names[t.Name], t.Contact, body)
			}
		}
	}
	return news.write(ctx, tx, workspace, w.Machine.Now())
}

// listeners are the endpoints that are on, with what they want.
func listeners(ctx context.Context, tx store.Tx, workspace uuid.UUID) (map[uuid.UUID][]string, error) {
	rows, err := tx.Query(ctx, "SELECT id, events FROM webhook_endpoints WHERE workspace_id = $1 AND enabled", workspace)
	if err != nil {
		return nil, fmt.Errorf("read endpoints: %w", err)
	}
	all := map[uuid.UUID][]string{}
	var id [16]byte
	var wanted []string
	_, err = pgx.ForEachRow(rows, []any{&id, &wanted}, func() error {
		all[id] = slices.Clone(wanted)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read endpoints: %w", err)
	}
	return all, nil
}

func peopleOf(ctx context.Context, tx store.Tx, workspace uuid.UUID, told []events.Told) (map[uuid.UUID]person, error) {
	ids := make([]uuid.UUID, len(told))
	for i, t := range told {
		ids[i] = t.Contact
	}
	rows, err := store.Q.ContactsByID(ctx, tx, store.ContactsByIDParams{WorkspaceID: workspace, Ids: ids})
	if err != nil {
		return nil, fmt.Errorf("read contacts: %w", err)
	}
	people := make(map[uuid.UUID]person, len(rows))
	for _, row := range rows {
		people[row.ID] = person{row.ID, row.ExternalID, row.Email, row.Phone}
	}
	return people, nil
}

// batch are deliveries on their way into the table.
type batch struct {
	ids, endpoints, contacts [][16]byte
	names, bodies            []string
}

func (b *batch) add(endpoint uuid.UUID, name string, contact uuid.UUID, body []byte) {
	b.ids, b.endpoints, b.contacts = append(b.ids, store.NewID()), append(b.endpoints, endpoint), append(b.contacts, contact)
	b.names, b.bodies = append(b.names, name), append(b.bodies, string(body))
}

func (b *batch) write(ctx context.Context, tx store.Tx, workspace uuid.UUID, due time.Time) error {
	if len(b.ids) == 0 {
		return nil
	}
	_, err := tx.Exec(ctx, `INSERT INTO webhook_deliveries (workspace_id, id, endpoint_id, name, contact_id, body, status, next_attempt_at, created_at)
		SELECT $1, id, endpoint, name, nullif(contact, '00000000-0000-0000-0000-000000000000'), body, 'queued', $2, $3
		FROM unnest($4::uuid[], $5::uuid[], $6::text[], $7::uuid[], $8::text[]) AS x (id, endpoint, name, contact, body)`,
		workspace, due, tx.Now, b.ids, b.endpoints, b.names, b.contacts, b.bodies)
	if err != nil {
		return fmt.Errorf("queue deliveries: %w", err)
	}
	return nil
}
