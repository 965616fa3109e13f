package why

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/engine"
)

// mostSteps bounds an answer; the newest are told.
const mostSteps = 200

// visit is a line of the journal with the message it made, if any.
type visit struct {
	node, kind, port string
	at               time.Time
	detail           map[string]any
	status, reason   string // of the message; "" is none
	sent, next       *time.Time
}

// steps says what happened at each step of the latest run. A stay has two lines in the journal and is told by the second.
func (a *asked) steps(ctx context.Context, tx store.Tx) ([]Step, error) {
	rows, err := tx.Query(ctx, `SELECT * FROM (SELECT j.seq, j.node, j.kind, j.port, j.at, j.detail, coalesce(m.status, ''), coalesce(m.reason, ''), m.sent_at,
			CASE WHEN m.status = 'queued' THEN m.next_attempt_at END
		FROM journal j LEFT JOIN messages m ON m.workspace_id = j.workspace_id AND m.run_id = j.run_id AND m.seq = j.seq
		WHERE j.workspace_id = $1 AND j.run_id = $2 ORDER BY j.seq DESC LIMIT $3) AS newest ORDER BY seq`, a.workspace, a.run.id, mostSteps)
	if err != nil {
		return nil, fmt.Errorf("read the journal of a run: %w", err)
	}
	var visits []visit
	var v visit
	var seq int
	var detail []byte
	_, err = pgx.ForEachRow(rows, []any{&seq, &v.node, &v.kind, &v.port, &v.at, &detail, &v.status, &v.reason, &v.sent, &v.next}, func() error {
		v.detail = map[string]any{}
		if len(detail) > 0 {
			if err := json.Unmarshal(detail, &v.detail); err != nil {
				return fmt.Errorf("read a line of the journal: %w", err)
			}
		}
		visits = append(visits, v)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the journal of a run: %w", err)
	}
	steps := make([]Step, 0, len(visits))
	for i, v := range visits {
		if v.port == "" && v.kind != engine.KindMoved && i+1 < len(visits) && visits[i+1].node == v.node {
			continue
		}
		steps = append(steps, Step{Node: v.node, At: v.at, Said: a.step(v)})
	}
	return steps, nil
}

func (a *asked) step(v visit) Sentence {
	params := map[string]any{"step": a.run.name(v.node)}
	comparisons := factsOf(v.detail)
	switch {
	case v.kind == engine.KindMoved:
		params["from"], params["to"] = v.detail["from_version"], v.detail["to_version"]
		return say("step_moved", a.zone, params)
	case v.status != "":
		return a.message(v, params)
	case v.port == "":
		if until, err := time.Parse(time.RFC3339Nano, fmt.Sprint(v.detail["until"])); err == nil {
			params["until"] = until
			if event, awaits := a.run.awaits(v.node); awaits {
				params["event"] = event
				return say("step_awaits", a.zone, params)
			}
			return say("step_waits", a.zone, params)
		}
		return say("due", a.zone, params)
	case len(comparisons) > 0:
		truth, _ := v.detail["true"].(bool)
		params["because"] = because(comparisons, truth)
		params["answer"] = part(reasons, "no", a.zone, nil)
		if truth {
			params["answer"] = part(reasons, "yes", a.zone, nil)
		}
		return say("step_decided", a.zone, params)
	default:
		params["port"] = v.port
		return say("step_passed", a.zone, params)
	}
}

// message says what became of the message of a step.
func (a *asked) message(v visit, params map[string]any) Sentence {
	reason := v.reason
	if reason == "" {
		reason = v.status
	}
	params["reason"] = part(reasons, reason, a.zone, nil)
	if name, missing := strings.CutPrefix(reason, "variable: "); missing {
		reason = "value_missing"
		params["reason"] = part(reasons, reason, a.zone, map[string]any{"missing": name})
	}
	params["why"] = reason
	switch {
	case v.status == "sent" && v.sent != nil:
		params["at"] = *v.sent
		return say("sent", a.zone, params)
	case v.status == "queued" && v.next != nil && v.next.After(a.now):
		params["until"] = *v.next
		return say("message_held", a.zone, params)
	case v.status == "queued" || v.status == "sending":
		return say("message_waits", a.zone, params)
	default:
		return say("message_never", a.zone, params)
	}
}
