package drafts

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/lejek/lejek/engine"
)

// Expected is how many people a funnel would meet, by what happened in the last 30 days or by who is inside now, and how many messages
// that makes at most.
type Expected struct {
	People   int64
	Messages int64  // at most: if each of them goes the longest way
	Basis    string // month: people in 30 days; now: people there are; unknown
}

// month is what "lately" means.
const month = 30 * 24 * time.Hour

// Expect reckons what a proposal would do. What cannot be counted is unknown.
func (d *Drafts) Expect(ctx context.Context, workspace uuid.UUID, graph engine.Graph) (Expected, error) {
	sends := int64(0)
	var triggers []trigger
	for _, n := range graph.Nodes {
		if strings.HasPrefix(n.Kind, "send_") {
			sends++
		}
		if n.Kind == "entry" {
			var c struct {
				Triggers []trigger `json:"triggers"`
			}
			if err := json.Unmarshal(n.Config, &c); err != nil {
				return Expected{Basis: "unknown"}, nil
			}
			triggers = c.Triggers
		}
	}
	e := Expected{Basis: "unknown"}
	for _, t := range triggers {
		people, basis, err := d.meets(ctx, workspace, t)
		if err != nil {
			return Expected{}, err
		}
		if basis != "" {
			e.People, e.Basis = e.People+people, basis
		}
	}
	e.Messages = e.People * sends
	return e, nil
}

type trigger struct {
	Kind     string `json:"kind"`
	Name     string `json:"name"`
	List     string `json:"list"`
	Tag      string `json:"tag"`
	Segment  string `json:"segment"`
	Field    string `json:"field"`
	Audience string `json:"audience"`
}

// eventsOf are the events of the log behind triggers.
var eventsOf = map[string]string{
	"form_submit": engine.EventFormSubmitted, "page_visit": engine.EventPageVisited, "booking_made": engine.EventBookingMade, "payment_made": engine.EventPaymentMade,
	"message_opened": "message_opened", "link_clicked": "link_clicked", "contact_created": "contact_created",
}

func (d *Drafts) meets(ctx context.Context, workspace uuid.UUID, t trigger) (people int64, basis string, err error) {
	count := func(sql string, args ...any) error {
		if err := d.DB.QueryRow(ctx, sql, append([]any{workspace}, args...)...).Scan(&people); err != nil {
			return fmt.Errorf("reckon what a funnel would do: %w", err)
		}
		return nil
	}
	since := d.Clock.Now().Add(-month)
	bare := func(ref string) string { return ref[strings.IndexByte(ref, ':')+1:] }
	const happened = "SELECT count(DISTINCT contact_id) FROM events WHERE workspace_id = $1 AND name = $2 AND at > $3"
	switch t.Kind {
	case "api_event":
		err := count(happened, t.Name, since)
		return people, "month", err
	case "list_join":
		err := count(happened+" AND props ->> 'list' = $4", "list_joined", since, bare(t.List))
		return people, "month", err
	case "tag_added":
		err := count(happened+" AND props ->> 'tag' = $4", "tag_added", since, bare(t.Tag))
		return people, "month", err
	case "segment_enter":
		err := count("SELECT count(*) FROM segment_members m JOIN segments s ON s.workspace_id = m.workspace_id AND s.id = m.segment_id WHERE m.workspace_id = $1 AND s.slug = $2 AND m.since IS NOT NULL", bare(t.Segment))
		return people, "now", err
	case "date_field":
		err := count("SELECT count(*) FROM contacts WHERE workspace_id = $1 AND fields ? $2", bare(t.Field))
		return people, "now", err
	case "schedule":
		if list, ok := strings.CutPrefix(t.Audience, "list:"); ok {
			err := count("SELECT count(*) FROM contacts WHERE workspace_id = $1 AND lists @> ARRAY[$2]", list)
			return people, "now", err
		}
		return 0, "", nil
	default:
		if name := eventsOf[t.Kind]; name != "" {
			err := count(happened, name, since)
			return people, "month", err
		}
		return 0, "", nil
	}
}
