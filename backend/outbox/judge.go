package outbox

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/lejek/lejek/backend/funnels"
	"github.com/lejek/lejek/engine"
)

// judge tells what is wrong with a creative in the place of the one waiting messages have. A correction leaves as they would, so it answers
// to what publishing their funnel or starting their campaign answers to: marketing without a way to unsubscribe is no correction.
func (o *Outbox) judge(ctx context.Context, workspace uuid.UUID, s Selection, now time.Time, creative engine.Creative) ([]engine.Problem, error) {
	rows, err := o.DB.Query(ctx, `SELECT DISTINCT m.node, m.creative, m.class, v.bundle FROM messages m
		LEFT JOIN funnel_versions v ON v.workspace_id = m.workspace_id AND v.id = m.version_id
		WHERE m.workspace_id = $1 AND `+waits+` AND `+chosen+` AND m.attempts = 0 AND m.channel = $7`, append(s.args(workspace, now), creative.Channel)...)
	if err != nil {
		return nil, fmt.Errorf("look where a correction goes: %w", err)
	}
	defer rows.Close()
	var places []place
	for rows.Next() {
		var at place
		var class string
		var raw []byte
		if err := rows.Scan(&at.node, &at.creative, &class, &raw); err != nil {
			return nil, fmt.Errorf("look where a correction goes: %w", err)
		}
		if raw == nil {
			at = alone(creative.Channel, class)
		} else if err := json.Unmarshal(raw, &at.bundle); err != nil {
			return nil, fmt.Errorf("read the version of a message: %w", err)
		}
		places = append(places, at)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("look where a correction goes: %w", err)
	}
	if len(places) == 0 {
		return nil, nil
	}
	known, err := funnels.References(ctx, o.DB, workspace)
	if err != nil {
		return nil, err
	}
	problems := []engine.Problem{}
	for _, at := range places {
		at.bundle.Workspace = known
		if at.bundle.Creatives == nil {
			at.bundle.Creatives = map[string]engine.Creative{}
		}
		at.bundle.Creatives[at.creative] = creative
		for _, problem := range engine.Validate(at.bundle) {
			if problem.Node == at.node && strings.HasPrefix(problem.Field, "creative.") {
				problems = append(problems, problem)
			}
		}
	}
	return problems, nil
}

// place is a step whose messages are corrected, and the document around it.
type place struct {
	node, creative string
	bundle         engine.Bundle
}

// alone is the place of a message no funnel sent, a campaign's.
func alone(channel, class string) place {
	config, _ := json.Marshal(map[string]string{"creative": "creative:message", "class": class}) //nolint:errchkjson // texts always are JSON
	kind := "send_" + channel
	if channel == engine.ChannelWhatsApp {
		kind = "send_" + engine.ChannelSMS
	}
	return place{node: "message", creative: "message", bundle: engine.Bundle{Graph: engine.Graph{
		Schema: engine.SchemaVersion,
		Nodes: []engine.Node{
			{ID: "start", Kind: "entry", Name: "Start", Config: json.RawMessage(`{"triggers":[{"kind":"manual"}]}`)},
			{ID: "message", Kind: kind, Name: "Message", Config: config},
		},
		Edges: []engine.Edge{{From: "start", Port: "next", To: "message"}},
	}}}
}
