package calls

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/lejek/lejek/backend/facts"
	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/engine"
)

// maxVars bounds what one answer may put into its run, in bytes of JSON.
const maxVars = 32 << 10

// relock locks the person, the run and the call of an outside call, and reads them anew. It tells whether the call is still this
// attempt's: after the lease another process may have it.
func (c *Calls) relock(ctx context.Context, tx store.Tx, l *line) (now *line, ours bool, err error) {
	if _, err := facts.Contacts(ctx, tx, []facts.Key{{Workspace: l.Workspace, Contact: l.Contact}}, facts.Block); err != nil {
		return nil, false, err
	}
	rows, err := tx.Query(ctx, `SELECT `+lineColumns+` FROM runs r JOIN funnels f ON f.workspace_id = r.workspace_id AND f.id = r.funnel_id
		JOIN calls c ON c.workspace_id = r.workspace_id AND c.run_id = r.id AND c.seq = $3
		WHERE r.workspace_id = $1 AND r.id = $2 AND c.status = 'working' AND c.attempts = $4 FOR UPDATE OF r, c`, l.Workspace, l.Run, l.Seq, l.Attempt)
	if err != nil {
		return nil, false, fmt.Errorf("lock the run of a call: %w", err)
	}
	now, err = pgx.CollectExactlyOneRow(rows, scanLine)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, fmt.Errorf("lock the run of a call: %w", err)
	}
	if now.Contact != l.Contact { // merged meanwhile: the lock was the wrong person's
		l.Contact = now.Contact
		return nil, false, errMoved
	}
	return now, true, nil
}

var errMoved = errors.New("the person of the call was merged meanwhile")

// results are what a batch of calls came to, by column.
type results struct {
	keys

	statuses, errs []string
	next           []time.Time
	answers, notes [][]byte

	signals struct {
		workspaces, runs [][16]byte
		props            [][]byte
	}
}

// add takes a result in: an answer, a failure for good, or another attempt.
func (w *results) add(c *Calls, now time.Time, l *line) {
	w.keys.add(l)
	var answer []byte
	if l.err == nil {
		answer, l.err = l.encode(now)
	}
	if l.err == nil {
		w.end("answered", "", now, answer, l.note(l.answer.Why))
		w.signal(l, answer)
		return
	}
	pause := c.pauseAfter(l.Attempt, l.err)
	if next := now.Add(pause); l.Attempt < maxAttempts && !isFinal(l.err) && next.Before(l.Deadline) {
		var said []byte
		if l.Kind != engine.KindPrepare {
			said = note(map[string]any{"problem": Said(l.err), "attempts": l.Attempt, "next": next})
		}
		w.end("queued", text(l.err), next, nil, said)
		return
	}
	why := map[string]any{"failed": Said(l.err), "attempts": l.Attempt}
	l.answer = Answer{Port: l.lost, Why: why}
	answer, err := l.encode(now)
	if err != nil { // our own words cannot be unfit
		panic(err)
	}
	w.end("failed", text(l.err), now, answer, l.note(why))
	w.signal(l, answer)
}

func (w *results) end(status, err string, next time.Time, answer, note []byte) {
	w.statuses, w.errs, w.next = append(w.statuses, status), append(w.errs, err), append(w.next, next)
	w.answers, w.notes = append(w.answers, answer), append(w.notes, note)
}

// signal tells the run, if it stayed for the answer.
func (w *results) signal(l *line, props []byte) {
	if l.detached {
		return
	}
	s := &w.signals
	s.workspaces, s.runs, s.props = append(s.workspaces, l.Workspace), append(s.runs, l.Run), append(s.props, props)
}

// encode makes the signal's properties, which are kept with the call too.
func (l *line) encode(now time.Time) (props []byte, err error) {
	a := &l.answer
	if a.Port == "" && !l.detached {
		return nil, Final(errors.New("the answer names no port"))
	}
	vars, err := json.Marshal(a.Vars)
	if err == nil && len(vars) > maxVars {
		return nil, Final(fmt.Errorf("the answer is too large to keep: %d kB of at most %d", len(vars)>>10, maxVars>>10))
	}
	if err == nil {
		props, err = fit(engine.CallAnswer(l.Seq, a.Port, a.Vars, a.Until, now, a.Why).Props)
	}
	if err != nil {
		return nil, Final(fmt.Errorf("keep an answer: %w", err))
	}
	return props, nil
}

// note is what the journal of a visit that is over is told. A run that stayed tells it by itself, when it leaves; what is prepared is no
// part of a person's way.
func (l *line) note(why map[string]any) []byte {
	if !l.detached || l.Kind == engine.KindPrepare {
		return nil
	}
	return note(why)
}

func note(detail map[string]any) []byte {
	if len(detail) == 0 {
		return nil
	}
	raw, err := fit(detail)
	if err != nil {
		return nil
	}
	return raw
}

// write stores the results and wakes the runs. The runs are locked.
func (w *results) write(ctx context.Context, tx store.Tx) error {
	if len(w.seqs) == 0 {
		return nil
	}
	_, err := tx.Exec(ctx, `UPDATE calls c SET status = x.status, lease_until = NULL, attempts = x.attempts, next_attempt_at = x.next, last_error = nullif(x.error, ''),
			answer = x.answer, ended_at = CASE WHEN x.status <> 'queued' THEN $1::timestamptz END
		FROM unnest($2::uuid[], $3::uuid[], $4::int[], $5::smallint[], $6::text[], $7::timestamptz[], $8::text[], $9::jsonb[])
			AS x (w, run, seq, attempts, status, next, error, answer)
		WHERE c.workspace_id = x.w AND c.run_id = x.run AND c.seq = x.seq`, tx.Now, w.workspaces, w.runs, w.seqs, w.attempts, w.statuses, w.next, w.errs, w.answers)
	if err != nil {
		return fmt.Errorf("store what calls came to: %w", err)
	}
	_, err = tx.Exec(ctx, `UPDATE journal j SET detail = coalesce(j.detail, '{}') || x.note
		FROM unnest($1::uuid[], $2::uuid[], $3::int[], $4::jsonb[]) AS x (w, run, seq, note)
		WHERE j.workspace_id = x.w AND j.run_id = x.run AND j.seq = x.seq AND x.note IS NOT NULL`, w.workspaces, w.runs, w.seqs, w.notes)
	if err != nil {
		return fmt.Errorf("note what calls came to: %w", err)
	}
	s := &w.signals
	if len(s.runs) == 0 {
		return nil
	}
	_, err = tx.Exec(ctx, `INSERT INTO signals (workspace_id, run_id, event_id, name, at, props)
		SELECT w, run, nextval('event_ids'), $1, $2, props FROM unnest($3::uuid[], $4::uuid[], $5::jsonb[]) AS x (w, run, props)
		JOIN runs r ON r.workspace_id = x.w AND r.id = x.run AND r.status IN ('active', 'paused', 'parked')`,
		engine.EventCallAnswered, tx.Now, s.workspaces, s.runs, s.props)
	if err != nil {
		return fmt.Errorf("signal answers to runs: %w", err)
	}
	_, err = tx.Exec(ctx, `UPDATE runs r SET lane = 0, wake_at = CASE WHEN r.status = 'active' THEN least(r.wake_at, $1) END,
			resume_at = CASE WHEN r.status IN ('paused', 'parked') THEN least(r.resume_at, $1) END
		FROM unnest($2::uuid[], $3::uuid[]) AS x (w, run) WHERE r.workspace_id = x.w AND r.id = x.run AND r.status IN ('active', 'paused', 'parked')`,
		tx.Now, s.workspaces, s.runs)
	if err != nil {
		return fmt.Errorf("wake runs for their answers: %w", err)
	}
	return nil
}

// Said is an error in the words that may be shown: without the stack of a panic, and with the public words of a fault.
func Said(err error) string {
	if public, ok := errors.AsType[*fault.Error](err); ok {
		return store.Text(public.Message, longText)
	}
	said, _, _ := strings.Cut(err.Error(), "\n")
	return store.Text(said, longText)
}

func text(err error) string { return store.Text(err.Error(), longText) }

// fit is JSON of a value without what Postgres cannot keep in JSON.
func fit(value map[string]any) ([]byte, error) {
	raw, err := json.Marshal(value)
	if err != nil || !bytes.Contains(raw, []byte(`\u0000`)) {
		return raw, err
	}
	var members any
	if err := json.Unmarshal(raw, &members); err != nil {
		return nil, err
	}
	return json.Marshal(clean(members))
}

// clean takes the character zero out of every text.
func clean(value any) any {
	switch v := value.(type) {
	case string:
		return strings.ReplaceAll(v, "\x00", "")
	case []any:
		for i, element := range v {
			v[i] = clean(element)
		}
	case map[string]any:
		members := make(map[string]any, len(v))
		for key, member := range v {
			members[strings.ReplaceAll(key, "\x00", "")] = clean(member)
		}
		return members
	}
	return value
}
