package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/lejek/lejek/backend/clock"
	"github.com/lejek/lejek/backend/rehearse"
	"github.com/lejek/lejek/backend/segments"
	"github.com/lejek/lejek/backend/timeline"
	"github.com/lejek/lejek/engine"
)

// SegmentResult is who is in which segment when the last sweep is done, and how often somebody fell into 90 days of silence: as the
// sweep saw it, and as a rehearsal over the same recorded events does, which knows nothing of segments. The two must agree.
type SegmentResult struct {
	Members3And90  int     `json:"members_3_and_90"`
	Members90      int     `json:"members_90"`
	Sum500         int     `json:"sum_500"`
	Sum100In90     int     `json:"sum_100_in_90"`
	Entries        int     `json:"entries"`
	Rehearsed      int     `json:"rehearsed"` // what a rehearsal of "a mail after 90 days of silence" says of the same period
	Seconds        float64 `json:"seconds"`
	EventsPerS     float64 `json:"events_per_s"`
	SegmentsMoved  int     `json:"moves"`
	ContactsInFile int     `json:"contacts"`
}

// nobody is a funnel that nothing starts by itself.
const nobody = `{"graph": {"schema": 1, "nodes": [{"id": "start", "kind": "entry", "name": "Start", "config": {"triggers": [{"kind": "manual"}]}}], "edges": []}}`

// The segments of the bench, by the member of the result that counts them.
var benchSegments = []struct{ name, rule string }{
	{"members 3 and 90", `{"all": [{"event": {"name": "purchase", "op": "gte", "value": 3}}, {"event": {"name": "purchase"}},
		{"event": {"name": "purchase", "agg": "last", "op": "not_within_last", "value": {"amount": 90, "unit": "days"}}}]}`},
	{"members 90", `{"all": [{"event": {"name": "purchase"}},
		{"event": {"name": "purchase", "agg": "last", "op": "not_within_last", "value": {"amount": 90, "unit": "days"}}}]}`},
	{"sum 500", `{"event": {"name": "purchase", "agg": "sum", "property": "amount_usd", "op": "gte", "value": 500}}`},
	{"sum 100 in 90", `{"event": {"name": "purchase", "agg": "sum", "property": "amount_usd", "op": "gte", "value": 100, "within": {"amount": 90, "unit": "days"}}}`},
}

// Segments hands real purchases to a server, an instant at a time, and lets a worker keep segments up to date in between.
func Segments(ctx context.Context, options ReplayOptions, progress io.Writer) (result SegmentResult, err error) {
	r := &replay{options: options, progress: progress}
	if options.Rows == 0 {
		r.options.Rows = 1 << 40
	}
	if r.instants, result.ContactsInFile, err = purchases(options.Events, r.options.Rows); err != nil {
		return result, err
	}
	if len(r.instants) == 0 {
		return result, errors.New("the file holds no purchase")
	}
	if options.Until.IsZero() {
		r.options.Until = r.instants[len(r.instants)-1].at.Truncate(24*time.Hour).AddDate(0, 0, 1)
	}
	db, err := OpenDatabase(ctx, 12, progress)
	if err != nil {
		return result, err
	}
	defer func() { err = errors.Join(err, db.Close(context.WithoutCancel(ctx))) }()
	if r.manual, err = clock.NewManual(ctx, db.Pool, r.instants[0].at.Add(-time.Second)); err != nil {
		return result, err
	}
	if r.installation, err = install(ctx, db, map[string]string{"LEJEK_CLOCK": "manual"}, []byte(nobody)); err != nil {
		return result, err
	}
	defer func() { err = errors.Join(err, r.stop(context.WithoutCancel(ctx))) }()
	for _, s := range benchSegments {
		if _, err := r.app.Segments.Create(ctx, r.workspace, segments.Input{Name: &s.name, Rule: json.RawMessage(s.rule)}); err != nil {
			return result, fmt.Errorf("make the segment %q: %w", s.name, err)
		}
	}
	if err := r.start(ctx); err != nil {
		return result, err
	}
	if err := r.sweepAll(ctx, &result); err != nil {
		return result, err
	}
	return result, r.rehearse(ctx, &result)
}

// rehearse takes the people of the file through the funnel of the replay in virtual time, from what was recorded of them.
func (r *replay) rehearse(ctx context.Context, result *SegmentResult) error {
	var bundle engine.Bundle
	if err := json.Unmarshal(winBack, &bundle); err != nil {
		return fmt.Errorf("read the funnel to rehearse: %w", err)
	}
	began := r.machine.Now()
	options := rehearse.Options{Workspace: r.workspace, Bundle: bundle, From: r.instants[0].at, To: r.options.Until}
	told, err := rehearse.Run(ctx, r.db.Pool, options, nil, nil)
	if err != nil {
		return fmt.Errorf("rehearse: %w", err)
	}
	result.Rehearsed = told.Sent
	fmt.Fprintf(r.progress, "Rehearsed in %.1f s: %d runs of %d people, %d mails\n", r.machine.Now().Sub(began).Seconds(), told.Entries, told.Entered, told.Sent)
	if result.Rehearsed != result.Entries {
		return fmt.Errorf("%d mails were rehearsed, and %d times somebody fell silent", result.Rehearsed, result.Entries)
	}
	return nil
}

// sweepAll replays the file and counts.
func (r *replay) sweepAll(ctx context.Context, result *SegmentResult) error {
	r.shop = r.intake(1)
	began := r.machine.Now()
	for n, i := range r.instants {
		if err := r.pass(ctx, i); err != nil {
			return fmt.Errorf("at %s: %w", i.at.Format(time.RFC3339), err)
		}
		if n%50 == 49 {
			fmt.Fprintf(r.progress, "%s: %d events, %.0f s\n", i.at.Format(time.DateOnly), r.handed, r.machine.Now().Sub(began).Seconds())
		}
	}
	if err := timeline.Walk(ctx, r.db.Pool, r.manual, r.options.Until, r.settle); err != nil {
		return err
	}
	result.Seconds = r.machine.Now().Sub(began).Seconds()
	result.EventsPerS = float64(r.handed) / result.Seconds
	const inside = "(SELECT count(*) FROM segment_members m JOIN segments s ON s.workspace_id = m.workspace_id AND s.id = m.segment_id WHERE s.slug = '%s' AND m.since IS NOT NULL)"
	query := fmt.Sprintf("SELECT "+inside+", "+inside+", "+inside+", "+inside+`,
		(SELECT count(*) FROM events WHERE name = 'segment_entered' AND props->>'segment' = 'members-90'),
		(SELECT count(*) FROM events WHERE name IN ('segment_entered', 'segment_left'))`, "members-3-and-90", "members-90", "sum-500", "sum-100-in-90")
	err := r.db.Pool.QueryRow(ctx, query).Scan(&result.Members3And90, &result.Members90, &result.Sum500, &result.Sum100In90, &result.Entries, &result.SegmentsMoved)
	if err != nil {
		return fmt.Errorf("count the members: %w", err)
	}
	return nil
}
