package bench

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/lejek/lejek/backend/events"
)

// instant is what a shop has to tell at one moment.
type instant struct {
	at     time.Time
	events []apiEvent
}

// purchases reads a file of purchases (customer_id, date and more) in the order of time, limit rows at most, and says whose they are. A row has
// the same id as in an import. A customer is told of with address and consent at their first purchase, later by their number alone.
func purchases(file io.Reader, limit int) (instants []instant, customers int, err error) {
	rows, err := events.ReadRows(file, events.ImportOptions{Contact: "customer_id", At: "date", Name: "purchase"})
	if err != nil {
		return nil, 0, err
	}
	var all []events.Incoming
	for len(all) < limit {
		in, line, err := rows.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, 0, fmt.Errorf("read the purchases: %w", err)
		}
		if in.Who.ExternalID == "" {
			return nil, 0, fmt.Errorf("read the purchases: line %d: %q is not a customer's number", line, in.Who.Email)
		}
		all = append(all, in)
	}
	slices.SortStableFunc(all, func(a, b events.Incoming) int { return a.At.Compare(b.At) })
	known := map[string]bool{}
	for _, in := range all {
		who := apiContact{ExternalID: in.Who.ExternalID}
		if !known[who.ExternalID] {
			known[who.ExternalID] = true
			who.Email, who.Consents = who.ExternalID+"@cdnow.example", granted()
		}
		if len(instants) == 0 || !instants[len(instants)-1].at.Equal(in.At) {
			instants = append(instants, instant{at: in.At.UTC()})
		}
		last := &instants[len(instants)-1]
		last.events = append(last.events, apiEvent{Name: in.Name, ID: in.ID, At: &last.at, Contact: who, Properties: in.Props})
	}
	for i := range instants { // the slice may have moved while it grew
		for j := range instants[i].events {
			instants[i].events[j].At = &instants[i].at
		}
	}
	return instants, len(known), nil
}
