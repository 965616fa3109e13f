package funnels

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/lejek/lejek/backend/clock"
	"github.com/lejek/lejek/backend/store"
)

// Traffic is where people are and went.
type Traffic struct {
	Runs   Counts
	Here   map[string]int            // by step: who stands there now
	Passed map[string]map[string]int // by step and port: how often it was left that way
	Came   map[string]int            // by step: how often somebody came to it
	Lost   map[string]int            // by step: who left the funnel there without its goal
	Sent   map[string]Messages       // by step that sends: what became of its messages
}

// Messages are those of one step. Who opens or clicks twice counts once. Skipped ones were passed over by the gate or came too
// late; failed ones were handed over in vain, or nobody knows.
type Messages struct{ Sent, Delivered, Opened, Clicked, Skipped, Failed int }

// Traffic counts over all versions, or those of one number (0 is all), what happened since an instant (the zero one is always); who
// stands where is always of now. Over very many runs the answer may be half a minute old. Nobody may change it.
func (f *Funnels) Traffic(ctx context.Context, workspace, id uuid.UUID, n int, since time.Time) (Traffic, error) {
	key := fmt.Sprint(workspace, id, n, since.Truncate(time.Minute).Unix())
	return f.tallies.traffic.get(key, clock.Machine{}, func() (Traffic, error) { return f.traffic(ctx, workspace, id, n, since) })
}

func (f *Funnels) traffic(ctx context.Context, workspace, id uuid.UUID, n int, since time.Time) (Traffic, error) {
	traffic := Traffic{
		Here: map[string]int{}, Passed: map[string]map[string]int{}, Came: map[string]int{}, Lost: map[string]int{}, Sent: map[string]Messages{},
	}
	var only *uuid.UUID
	if n != 0 {
		version, _, err := f.Version(ctx, workspace, id, n)
		if err != nil {
			return Traffic{}, err
		}
		only = &version.ID
	} else if _, err := store.Q.Funnel(ctx, f.db, store.FunnelParams{WorkspaceID: workspace, ID: id}); err != nil {
		return Traffic{}, orNotFound(err, id)
	}
	totals, err := store.Q.CountRunsOfFunnel(ctx, f.db, store.CountRunsOfFunnelParams{WorkspaceID: workspace, FunnelID: id, Version: only})
	if err != nil {
		return Traffic{}, fmt.Errorf("count runs: %w", err)
	}
	for _, total := range totals {
		traffic.Runs.add(total.Status, total.Runs)
	}
	here, err := store.Q.CountActiveRunsByNode(ctx, f.db, store.CountActiveRunsByNodeParams{WorkspaceID: workspace, FunnelID: id})
	if err != nil {
		return Traffic{}, fmt.Errorf("count people inside: %w", err)
	}
	for _, row := range here {
		if only == nil || row.VersionID == *only {
			traffic.Here[row.Node] += int(row.Runs)
		}
	}
	visits, err := store.Q.CountVisits(ctx, f.db, store.CountVisitsParams{WorkspaceID: workspace, FunnelID: id, Version: only, Since: since})
	if err != nil {
		return Traffic{}, fmt.Errorf("count visits: %w", err)
	}
	for _, row := range visits {
		traffic.Came[row.Node] += int(row.Arrivals)
		if row.Port == "" {
			continue
		}
		if traffic.Passed[row.Node] == nil {
			traffic.Passed[row.Node] = map[string]int{}
		}
		traffic.Passed[row.Node][row.Port] += int(row.Visits)
	}
	lost, err := store.Q.CountLost(ctx, f.db, store.CountLostParams{WorkspaceID: workspace, FunnelID: id, Version: only, Since: since})
	if err != nil {
		return Traffic{}, fmt.Errorf("count who left: %w", err)
	}
	for _, row := range lost {
		traffic.Lost[row.Node] = int(row.Runs)
	}
	messages, err := store.Q.CountMessages(ctx, f.db, store.CountMessagesParams{WorkspaceID: workspace, FunnelID: &id, Version: only, Since: since})
	if err != nil {
		return Traffic{}, fmt.Errorf("count messages: %w", err)
	}
	for _, row := range messages {
		traffic.Sent[row.Node] = Messages{
			Sent: int(row.Sent), Delivered: int(row.Delivered), Opened: int(row.Opened), Clicked: int(row.Clicked),
			Skipped: int(row.Skipped), Failed: int(row.Failed),
		}
	}
	return traffic, nil
}
