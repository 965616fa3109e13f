package events

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/lejek/lejek/backend/runs"
	"github.com/lejek/lejek/engine"
)

// write puts what the meeting decided into the tables: ends first, so that slots are free for what starts.
func (m *meeting) write(ctx context.Context) error {
	if err := m.writeEnds(ctx); err != nil {
		return err
	}
	if err := m.writeStarts(ctx); err != nil {
		return err
	}
	if err := m.writeSignals(ctx); err != nil {
		return err
	}
	return m.writeNews(ctx)
}

// writeNews posts that runs started, where some funnel or webhook listens for that.
func (m *meeting) writeNews(ctx context.Context) error {
	if len(m.created) == 0 {
		return nil
	}
	heard := slices.ContainsFunc(m.funnels, func(f funnel) bool { return f.version.Hears("run_started") })
	if !heard {
		err := m.tx.QueryRow(ctx, "SELECT EXISTS (SELECT 1 FROM webhook_endpoints WHERE workspace_id = $1 AND enabled)", m.workspace).Scan(&heard)
		if err != nil {
			return fmt.Errorf("look for webhooks: %w", err)
		}
	}
	if !heard {
		return nil
	}
	var contacts [][16]byte
	var at []time.Time
	var props [][]byte
	var chains []int16
	for _, run := range m.created {
		if run.ended != "" {
			continue
		}
		raw := fmt.Appendf(nil, `{"funnel": %q, "run": %q}`, run.funnel, run.id)
		contacts, at, props = append(contacts, run.contact), append(at, run.cause.arrived), append(props, raw)
		chains = append(chains, int16(run.cause.chain)+1)
	}
	if len(props) == 0 {
		return nil
	}
	_, err := m.tx.Exec(ctx, `INSERT INTO inbox (workspace_id, contact_id, name, at, due_at, props, chain)
		SELECT $1, c, 'run_started', at, at, props, chain FROM unnest($2::uuid[], $3::timestamptz[], $4::jsonb[], $5::smallint[]) AS x (c, at, props, chain)`,
		m.workspace, contacts, at, props, chains)
	if err != nil {
		return fmt.Errorf("post started runs: %w", err)
	}
	return nil
}

func (m *meeting) writeEnds(ctx context.Context) error {
	ends := map[string][]uuid.UUID{}
	for _, list := range m.runs {
		for _, run := range list {
			if run.ended != "" && run.cause == nil {
				ends[run.ended] = append(ends[run.ended], run.id)
			}
		}
	}
	for reason, ids := range ends {
		if _, err := runs.End(ctx, m.tx, m.workspace, m.tx.Now, ids, reason); err != nil {
			return err
		}
	}
	return nil
}

const insertRuns = `INSERT INTO runs (workspace_id, id, funnel_id, version_id, contact_id, node, seq, status, lane, wake_at, at, started_at, ended_at,
		void_before, chain, slot, occurrence, key, event, end_reason, since)
	SELECT $1, id, funnel, version, contact, node, 0, CASE WHEN reason = '' THEN 'active' ELSE 'exited' END, lane,
		CASE WHEN reason = '' THEN at END, at, at, CASE WHEN reason <> '' THEN $2::timestamptz END,
		CASE WHEN reason = '' THEN 0 ELSE 1 END, chain, nullif(slot, ''), occurrence, nullif(key, ''), event, nullif(reason, ''), nullif(since, at)
	FROM unnest($3::uuid[], $4::uuid[], $5::uuid[], $6::uuid[], $7::text[], $8::timestamptz[], $9::smallint[], $10::text[], $11::text[], $12::text[],
		$13::jsonb[], $14::text[], $15::smallint[], $16::timestamptz[]) AS x (id, funnel, version, contact, node, at, chain, slot, occurrence, key, event, reason, lane, since)
	ON CONFLICT DO NOTHING RETURNING id`

// Lanes of runs: what somebody waits for, and what comes in bulk and must not delay it.
const (
	laneNow  int16 = 0
	laneBulk int16 = 2
)

// writeStarts inserts the new runs. The unique indexes are the last word: a run that one of them refuses was not started.
func (m *meeting) writeStarts(ctx context.Context) error {
	if len(m.created) == 0 {
		return nil
	}
	n := len(m.created)
	var (
		ids, funnels, versions, contacts         = make([][16]byte, n), make([][16]byte, n), make([][16]byte, n), make([][16]byte, n)
		nodes, slots, occurrences, keys, reasons = make([]string, n), make([]string, n), make([]string, n), make([]string, n), make([]string, n)
		at, since                                = make([]time.Time, n), make([]time.Time, n)
		chains, lanes                            = make([]int16, n), make([]int16, n)
		events                                   = make([][]byte, n)
	)
	for i, run := range m.created {
		ids[i], funnels[i], versions[i], contacts[i] = run.id, run.funnel, run.version.Version, run.contact
		nodes[i], keys[i], reasons[i] = run.node, run.key, run.ended
		if run.ended == "" || run.slot != runs.SlotActive {
			slots[i] = run.slot
		}
		occurrences[i] = cmp.Or(run.occurrence, run.cause.stands, "e"+strconv.FormatInt(run.cause.id, 10))
		since[i] = run.since
		at[i], chains[i], lanes[i], events[i] = run.cause.arrived, int16(run.cause.chain), run.cause.lane(), run.cause.raw
	}
	rows, err := m.tx.Query(ctx, insertRuns, m.workspace, m.tx.Now, ids, funnels, versions, contacts, nodes, at, chains, slots, occurrences, keys, events, reasons, lanes, since)
	if err != nil {
		return fmt.Errorf("start runs: %w", err)
	}
	inserted, err := pgx.CollectRows(rows, pgx.RowTo[[16]byte])
	if err != nil {
		return fmt.Errorf("start runs: %w", err)
	}
	if len(inserted) == n {
		return nil
	}
	started := make(map[uuid.UUID]bool, len(inserted))
	for _, id := range inserted {
		started[id] = true
	}
	for _, run := range m.created {
		if !started[run.id] {
			run.retract()
		}
	}
	return nil
}

// retract takes back what was said about a run that turned out to exist already.
func (r *run) retract() {
	r.ended = runs.ReasonReplaced
	for i, ref := range r.cause.done.Started {
		if ref.Run == r.id {
			r.cause.done.Started = append(r.cause.done.Started[:i], r.cause.done.Started[i+1:]...)
			break
		}
	}
	r.cause.done.Refused = append(r.cause.done.Refused, Refusal{Funnel: r.funnel, Why: RefusedActive})
}

const (
	insertSignals = `INSERT INTO signals (workspace_id, run_id, event_id, name, at, props)
		SELECT $1, * FROM unnest($2::uuid[], $3::bigint[], $4::text[], $5::timestamptz[], $6::jsonb[])`
	wakeRuns = `UPDATE runs r SET wake_at = least(r.wake_at, x.at), lane = $4
		FROM unnest($2::uuid[], $3::timestamptz[]) AS x (id, at) WHERE r.workspace_id = $1 AND r.id = x.id AND r.status IN ('active', 'done')`
)

// writeSignals puts the events in front of the runs that listen, and makes those due.
func (m *meeting) writeSignals(ctx context.Context) error {
	var signalled, woken [][16]byte
	var ids []int64
	var names []string
	var at, wake []time.Time
	var props [][]byte
	for _, list := range m.runs {
		for _, run := range list {
			if run.ended != "" || len(run.signals) == 0 {
				continue
			}
			for _, h := range run.signals {
				signalled, ids, names, at, props = append(signalled, run.id), append(ids, h.id), append(names, h.name), append(at, h.arrived), append(props, h.raw)
			}
			if run.cause == nil && (run.status == string(engine.Active) || run.lingers()) {
				woken, wake = append(woken, run.id), append(wake, run.signals[0].arrived)
			}
		}
	}
	if len(signalled) == 0 {
		return nil
	}
	if _, err := m.tx.Exec(ctx, insertSignals, m.workspace, signalled, ids, names, at, props); err != nil {
		return fmt.Errorf("signal runs: %w", err)
	}
	if len(woken) == 0 {
		return nil
	}
	if _, err := m.tx.Exec(ctx, wakeRuns, m.workspace, woken, wake, laneNow); err != nil {
		return fmt.Errorf("wake runs: %w", err)
	}
	return nil
}
