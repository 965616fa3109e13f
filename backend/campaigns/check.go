package campaigns

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/lejek/lejek/backend/funnels"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/engine"
)

// Codes of the problems that only campaigns have. Those of a message are the funnels'.
const (
	CodeAudienceEmpty    = "AUDIENCE_EMPTY"
	CodeAudienceBuilding = "AUDIENCE_BUILDING"
	CodeTimePast         = "TIME_PAST"
	CodeTimeInvalid      = "TIME_INVALID"
	CodeTestInvalid      = "TEST_INVALID"
	CodeTestLocal        = "TEST_LOCAL"
	CodeGoalMissing      = "GOAL_MISSING"
	CodeLimitInvalid     = "LIMIT_INVALID"
)

// checked is a document that was looked at: what is wrong with it, and its messages made ready.
type checked struct {
	problems  []engine.Problem
	compiled  map[string]funnels.Compiled // by variant
	startAt   time.Time                   // when its audience would be frozen
	reference *engine.Workspace
}

// Check tells everything that keeps a campaign from being sent, and what looks doubtful. A problem's Node is the variant it is in; Field
// begins with the part: audience, creative, when, test, goal, limit.
func (c *Campaigns) Check(ctx context.Context, workspace uuid.UUID, d Document) ([]engine.Problem, error) {
	found, err := c.check(ctx, workspace, d)
	return found.problems, err
}

func (c *Campaigns) check(ctx context.Context, workspace uuid.UUID, d Document) (checked, error) {
	found := checked{problems: []engine.Problem{}, compiled: map[string]funnels.Compiled{}}
	var err error
	if found.reference, err = funnels.References(ctx, c.DB, workspace); err != nil {
		return found, err
	}
	now, err := c.Clock.NowIn(ctx, c.DB)
	if err != nil {
		return found, err
	}
	if err := c.checkAudience(ctx, workspace, d, &found); err != nil {
		return found, err
	}
	for i := range d.Variants {
		if err := c.checkMessage(&d, &d.Variants[i], &found); err != nil {
			return found, err
		}
	}
	found.checkTest(&d)
	if err := c.checkWhen(ctx, workspace, &d, now, &found); err != nil {
		return found, err
	}
	return found, nil
}

func (f *checked) wrong(code, field, message string, args ...any) {
	f.problems = append(f.problems, engine.Problem{Code: code, Severity: engine.Error, Field: field, Message: fmt.Sprintf(message, args...)})
}

func (c *Campaigns) checkAudience(ctx context.Context, workspace uuid.UUID, d Document, found *checked) error {
	if len(d.Audience.Include) == 0 {
		found.wrong(CodeAudienceEmpty, "audience", "Nobody would receive this. Choose a segment or a list.")
		return nil
	}
	rule, problems := engine.DecodeRule(d.Audience.Rule())
	if len(problems) == 0 {
		problems = rule.Check(engine.RuleScope{Workspace: found.reference})
	}
	found.problems = append(found.problems, engine.PlaceProblems(problems, "", "audience")...)
	if len(problems) > 0 {
		return nil
	}
	var building []string
	rows, err := c.DB.Query(ctx, "SELECT name FROM segments WHERE workspace_id = $1 AND state = 'building' AND slug = ANY($2) ORDER BY name", workspace, rule.SegmentSlugs())
	if err != nil {
		return fmt.Errorf("look at the segments of an audience: %w", err)
	}
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return fmt.Errorf("look at the segments of an audience: %w", err)
		}
		building = append(building, name)
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("look at the segments of an audience: %w", err)
	}
	if len(building) > 0 {
		found.wrong(CodeAudienceBuilding, "audience", "People are still being looked at for %s. Wait until it is done, then start.", strings.Join(building, ", "))
	}
	return nil
}

// checkMessage judges a variant as the validator judges the step of a funnel that would send it.
func (c *Campaigns) checkMessage(d *Document, v *Variant, found *checked) error {
	config, err := json.Marshal(map[string]string{"creative": "creative:" + v.ID, "class": engine.ClassMarketing, "topic": d.Topic, "sender": d.Sender})
	if d.Channel == engine.ChannelPush {
		config, err = json.Marshal(map[string]string{"creative": "creative:" + v.ID, "class": engine.ClassMarketing, "topic": d.Topic})
	}
	if err != nil {
		return fmt.Errorf("write a step: %w", err)
	}
	step := "message-" + v.ID
	bundle := engine.Bundle{
		Graph: engine.Graph{
			Schema: engine.SchemaVersion,
			Nodes: []engine.Node{
				{ID: "start", Kind: "entry", Name: "Start", Config: json.RawMessage(`{"triggers":[{"kind":"manual"}]}`)},
				{ID: step, Kind: "send_" + d.Channel, Name: "Message", Config: config},
			},
			Edges: []engine.Edge{{From: "start", Port: "next", To: step}},
		},
		Creatives: map[string]engine.Creative{v.ID: v.Creative}, Workspace: found.reference,
	}
	compiled, problems, err := c.Compile(v.Creative)
	if err != nil {
		return fmt.Errorf("compile the message of a campaign: %w", err)
	}
	found.compiled[v.ID] = compiled
	for _, problem := range append(engine.Validate(bundle), problems...) {
		if problem.Code == engine.CodeQuietExpires {
			continue // a campaign's message waits for as long as it has to
		}
		if problem.Node == step || problem.Node == "" {
			problem.Node, problem.Port = v.ID, ""
			found.problems = append(found.problems, problem)
		}
	}
	return nil
}

func (f *checked) checkTest(d *Document) {
	if len(d.Variants) > 1 {
		for _, v := range d.Variants {
			if v.Weight < 1 || v.Weight > 100 {
				f.wrong(CodeTestInvalid, "test.weight", "Give every variant a share of 1 to 100.")
				break
			}
		}
		if e := d.Experiment; e != nil && d.tested() < everybody {
			f.checkExperiment(d, e)
		}
	}
	if d.Goal != nil {
		if d.Goal.Event == "" {
			f.wrong(CodeGoalMissing, "goal.event", "Choose what counts as success, or take the goal out.")
		}
		if err := d.Goal.Within.Check(); err != nil {
			f.wrong(CodeGoalMissing, "goal.within", "Say within how many days after the message it counts: %s.", err.Error())
		}
	}
	if t := d.Throttle; t != nil && (t.Count < 1 || t.Count > 10_000_000 || t.period() == 0) {
		f.wrong(CodeLimitInvalid, "limit", "Say how many messages may leave per minute, hour or day.")
	}
}

func (f *checked) checkExperiment(d *Document, e *Experiment) {
	if e.Share < 1 {
		f.wrong(CodeTestInvalid, "test.share", "At least one in a hundred people has to try the variants.")
	}
	if err := e.After.Check(); err != nil || e.After.IsZero() {
		f.wrong(CodeTestInvalid, "test.after", "Say how long to wait before the winner is chosen.")
	}
	switch {
	case e.Metric == MetricGoal && d.Goal == nil:
		f.wrong(CodeGoalMissing, "test.metric", "The winner is to be chosen by a goal, but the campaign has none. Add a goal, or choose opens or clicks.")
	case e.Metric != MetricOpened && e.Metric != MetricClicked && e.Metric != MetricGoal:
		f.wrong(CodeTestInvalid, "test.metric", "Choose what decides: opens, clicks or the goal.")
	}
	if d.When.Mode == ModeLocal {
		f.wrong(CodeTestLocal, "when", "With people held back for a test, all have to get the message at one time. Choose one time for everybody, or hold nobody back.")
	}
}

// checkWhen finds out when the audience would be frozen.
func (c *Campaigns) checkWhen(ctx context.Context, workspace uuid.UUID, d *Document, now time.Time, found *checked) error {
	found.startAt = now
	if d.When.Mode == ModeNow {
		return nil
	}
	if d.When.Mode != ModeAt && d.When.Mode != ModeLocal {
		found.wrong(CodeTimeInvalid, "when", "Choose when it is sent: now, at one time, or at that time where each person lives.")
		return nil
	}
	if d.When.Zone != "" {
		if _, err := engine.LoadZone(d.When.Zone); err != nil {
			found.wrong(CodeTimeInvalid, "when.zone", "There is no time zone %s.", strconv.Quote(d.When.Zone))
			return nil
		}
	}
	at, err := engine.ParseLocal(d.When.At, engine.ZoneOf(d.When.Zone, found.reference.Zone))
	if err != nil {
		found.wrong(CodeTimeInvalid, "when.at", "Choose the day and the time it is sent.")
		return nil
	}
	last := at
	if d.When.Mode == ModeLocal {
		zones, err := zonesOf(ctx, c.DB, "SELECT DISTINCT zone FROM contacts WHERE workspace_id = $1 AND erased_at IS NULL", workspace)
		if err != nil {
			return err
		}
		for _, due := range duesIn(zones, d.When.At, found.reference.Zone) {
			if due.Before(at) {
				at = due
			}
			if due.After(last) {
				last = due
			}
		}
	}
	if !last.After(now) {
		found.wrong(CodeTimePast, "when.at", "This time has passed. Choose a later one, or send it now.")
	}
	found.startAt = at
	return nil
}

func zonesOf(ctx context.Context, db store.DB, query string, args ...any) ([]string, error) {
	rows, err := db.Query(ctx, query, args...)
	if err != nil {
		return nil, fmt.Errorf("read the zones of people: %w", err)
	}
	defer rows.Close()
	var zones []string
	for rows.Next() {
		var zone string
		if err := rows.Scan(&zone); err != nil {
			return nil, fmt.Errorf("read the zones of people: %w", err)
		}
		zones = append(zones, zone)
	}
	return zones, rows.Err()
}

// duesIn are the instants at which clocks in the zones show a time.
func duesIn(zones []string, face, home string) []time.Time {
	dues := make([]time.Time, len(zones))
	for i, zone := range zones {
		at, err := engine.ParseLocal(face, engine.ZoneOf(zone, home))
		if err != nil {
			at = time.Time{} // the document was checked
		}
		dues[i] = at
	}
	return dues
}
