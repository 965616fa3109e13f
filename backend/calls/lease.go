package calls

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/lejek/lejek/backend/pauses"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/engine"
)

// perKind is how many outside calls of one kind one drain makes at once: a kind whose other side hangs leaves room for the rest.
const perKind = 8

// cutOff is said of a call whose process died while it was being made.
const cutOff = "the program ended while the call was being made; it is made again with the same key"

// line is a call together with its run.
type line struct {
	Request

	lost       string
	detached   bool
	runSeq     int
	runStatus  engine.Status
	voidBefore int
	funnel     string // its state

	answer Answer
	err    error
}

// wanted tells whether anybody still waits for the answer: the run is where it asked, or goes on without ending early.
func (l *line) wanted() bool {
	if l.Seq < l.voidBefore || l.runStatus == engine.Exited {
		return false
	}
	return l.detached || l.runSeq == l.Seq && l.runStatus != engine.Done
}

// due tells the calls that may be made now; the others rest.
func (l *line) due() bool { return l.funnel != "paused" }

const lineColumns = `c.workspace_id, c.run_id, c.seq, c.node, c.kind, c.request, c.lost, c.detached, c.due_at, c.deadline, c.attempts,
	r.contact_id, r.funnel_id, r.chain, r.seq, r.status, r.void_before, f.state`

func scanLine(row pgx.CollectableRow) (*line, error) {
	var l line
	var workspace, run, contact, funnel [16]byte
	err := row.Scan(&workspace, &run, &l.Seq, &l.Node, &l.Kind, &l.Payload, &l.lost, &l.detached, &l.Due, &l.Deadline, &l.Attempt,
		&contact, &funnel, &l.Chain, &l.runSeq, &l.runStatus, &l.voidBefore, &l.funnel)
	l.Workspace, l.Run, l.Contact, l.Funnel = workspace, run, contact, funnel
	l.Key = l.Run.String() + "-" + strconv.Itoa(l.Seq)
	return &l, err
}

// leaseLines locks what is due, kind by kind; rows somebody else works on are left aside.
const leaseLines = `SELECT ` + lineColumns + ` FROM unnest($1::text[]) AS k (kind)
	CROSS JOIN LATERAL (SELECT * FROM calls WHERE status = 'queued' AND calls.kind = k.kind AND next_attempt_at <= $2
		ORDER BY next_attempt_at LIMIT $3 FOR UPDATE SKIP LOCKED) AS c
	JOIN runs r ON r.workspace_id = c.workspace_id AND r.id = c.run_id
	JOIN funnels f ON f.workspace_id = r.workspace_id AND f.id = r.funnel_id`

// lease takes due outside calls: what nobody waits for becomes void, what is paused rests, the rest is marked as being made. Those that
// are used up come back with an error, to be failed.
func (c *Calls) lease(ctx context.Context, kinds []string) (going []*line, rows int, err error) {
	err = store.InTx(ctx, c.config.DB, c.config.Clock, func(tx store.Tx) error {
		going, rows = nil, 0
		found, err := tx.Query(ctx, leaseLines, kinds, tx.Now, perKind)
		if err != nil {
			return fmt.Errorf("lease calls: %w", err)
		}
		lines, err := pgx.CollectRows(found, scanLine)
		if err != nil {
			return fmt.Errorf("lease calls: %w", err)
		}
		rows = len(lines)
		var void, leased keys
		var rest []*line
		for _, l := range lines {
			switch {
			case !l.wanted():
				void.add(l)
			case !l.due():
				rest = append(rest, l)
			default:
				if l.err = l.usedUp(tx.Now); l.err == nil {
					l.Attempt++
				}
				leased.add(l)
				going = append(going, l)
			}
		}
		if err := c.setVoid(ctx, tx, void); err != nil {
			return err
		}
		if err := c.setResting(ctx, tx, rest); err != nil {
			return err
		}
		return c.setWorking(ctx, tx, leased)
	})
	return going, rows, err
}

// usedUp is the error of a call that must not be made once more.
func (l *line) usedUp(now time.Time) error {
	switch {
	case l.Attempt >= maxAttempts:
		return Final(errors.New("it was tried " + strconv.Itoa(l.Attempt) + " times"))
	case !now.Before(l.Deadline):
		return Final(errors.New("nobody could answer in time"))
	}
	return nil
}

// keys name calls, by column, with the attempt each is at.
type keys struct {
	workspaces, runs [][16]byte
	seqs             []int32
	attempts         []int16
}

func (k *keys) add(l *line) {
	k.workspaces, k.runs = append(k.workspaces, l.Workspace), append(k.runs, l.Run)
	k.seqs, k.attempts = append(k.seqs, int32(l.Seq)), append(k.attempts, int16(l.Attempt))
}

const ofKeys = ` FROM unnest($1::uuid[], $2::uuid[], $3::int[], $4::smallint[]) AS x (w, run, seq, attempts)
	WHERE c.workspace_id = x.w AND c.run_id = x.run AND c.seq = x.seq`

func (c *Calls) setVoid(ctx context.Context, tx store.Tx, k keys) error {
	return set(ctx, tx, k, `UPDATE calls c SET status = 'void', lease_until = NULL, attempts = x.attempts, ended_at = $5`+ofKeys, tx.Now)
}

// setResting leaves alone what its funnel's pause holds.
func (c *Calls) setResting(ctx context.Context, tx store.Tx, lines []*line) error {
	funnels := make([]pauses.Key, len(lines))
	for i, l := range lines {
		funnels[i] = pauses.Key{Workspace: l.Workspace, ID: l.Funnel}
	}
	rests, err := pauses.Rests(ctx, tx, pauses.Funnel, funnels)
	if err != nil {
		return err
	}
	var soon, long keys
	for i, l := range lines {
		if rests[funnels[i]] == pauses.Long {
			long.add(l)
		} else {
			soon.add(l)
		}
	}
	const sql = `UPDATE calls c SET next_attempt_at = $5` + ofKeys
	return errors.Join(set(ctx, tx, soon, sql, tx.Now.Add(pauses.Soon)), set(ctx, tx, long, sql, tx.Now.Add(pauses.Long)))
}

func (c *Calls) setWorking(ctx context.Context, tx store.Tx, k keys) error {
	return set(ctx, tx, k, `UPDATE calls c SET status = 'working', lease_until = $5, attempts = x.attempts`+ofKeys, c.config.Machine.Now().Add(c.config.Lease))
}

func set(ctx context.Context, tx store.Tx, k keys, sql string, at time.Time) error {
	if len(k.seqs) == 0 {
		return nil
	}
	if _, err := tx.Exec(ctx, sql, k.workspaces, k.runs, k.seqs, k.attempts, at); err != nil {
		return fmt.Errorf("mark calls: %w", err)
	}
	return nil
}

// reclaim makes calls due again whose process did not come back within the lease.
func (c *Calls) reclaim(ctx context.Context) error {
	_, err := c.config.DB.Exec(ctx, `UPDATE calls c SET status = 'queued', lease_until = NULL, last_error = $2
		FROM (SELECT workspace_id, run_id, seq FROM calls WHERE status = 'working' AND lease_until < $1 LIMIT 500 FOR UPDATE SKIP LOCKED) AS x
		WHERE c.workspace_id = x.workspace_id AND c.run_id = x.run_id AND c.seq = x.seq`, c.config.Machine.Now(), cutOff)
	if err != nil {
		return fmt.Errorf("take back calls that were cut off: %w", err)
	}
	return nil
}
