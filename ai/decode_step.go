package ai

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// wireStep is every member any written step can have.
type wireStep struct {
	ID        string      `json:"id"`
	Wait      string      `json:"wait"`
	N         json.Number `json:"n"`
	At        *string     `json:"at"`
	WaitUntil string      `json:"wait_until"`
	Ref       *string     `json:"ref"`
	TimeoutH  json.Number `json:"timeout_h"`
	Send      string      `json:"send"`
	Message   string      `json:"message"`
	Tag       string      `json:"tag"`
	List      string      `json:"list"`
	Name      *string     `json:"name"`
	Set       string      `json:"set"`
	Field     string      `json:"field"`
	Value     *string     `json:"value"`
	If        string      `json:"if"`
	Op        string      `json:"op"`
	Yes       string      `json:"yes"`
	No        string      `json:"no"`
	Split     string      `json:"split"`
	Arms      []wireArm   `json:"arms"`
	Goal      string      `json:"goal"`
}

type wireArm struct {
	Label string      `json:"label"`
	Pct   json.Number `json:"pct"`
	To    string      `json:"to"`
}

// wordless are the discriminators whose value is the kind and whose step is kept as plain config: kinds that are known by
// name before the catalogue has them.
var wordless = []string{"notify", "list", "call", "pay", "book", "funnel", "ai", "limit"}

func decodeStep(body json.RawMessage) (Step, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(body, &members); err != nil {
		return Step{}, errors.New("a step must be an object")
	}
	var w wireStep
	if err := unmarshal(body, &w); err != nil && !slices.ContainsFunc(wordless, func(k string) bool { _, ok := members[k]; return ok }) {
		return Step{}, err
	}
	s := Step{ID: w.ID, Ref: str(w.Ref), At: str(w.At), Message: w.Message, Name: str(w.Name), Field: w.Field, Op: w.Op, Value: str(w.Value), Yes: w.Yes, No: w.No}
	var err error
	switch {
	case w.WaitUntil != "":
		s.Do, s.Event = doWaitUntil, w.WaitUntil
		s.TimeoutHours, err = count(w.TimeoutH, "timeout_h")
	case w.Wait != "":
		s.Do, s.Unit = doWait, w.Wait
		s.N, err = count(w.N, "n")
	case w.Send != "":
		s.Do = w.Send
	case w.Tag != "":
		s.Do = w.Tag
	case w.Set != "":
		s.Do = doSetField
	case w.If != "":
		s.Do, s.Event = doIf, w.If
	case w.Split != "" || len(w.Arms) > 0:
		s.Do = doSplit
		for _, a := range w.Arms {
			pct, e := count(a.Pct, "pct")
			if e != nil {
				return Step{}, e
			}
			s.Arms = append(s.Arms, Arm{Label: a.Label, Pct: pct, To: a.To})
		}
	case w.Goal != "":
		s.Do, s.Event = doGoal, w.Goal
	default:
		return derivedFrom(members, w.ID)
	}
	return s, err
}

// derivedFrom reads a step of a kind the plan has no words for: {"<kind>":"<kind>", fields...}, or one of the wordless forms.
func derivedFrom(members map[string]json.RawMessage, id string) (Step, error) {
	s := Step{ID: id, Config: map[string]any{}}
	for key, value := range members {
		var v any
		if err := json.Unmarshal(value, &v); err != nil {
			return Step{}, err
		}
		word, isText := v.(string)
		if isText && (word == key || slices.Contains(wordless, key)) {
			s.Do = word
			continue
		}
		if key != "id" && v != nil {
			s.Config[key] = v
		}
	}
	if s.Do == "" {
		return Step{}, fmt.Errorf("the step has none of the known first members (wait, wait_until, send, tag, set, if, split, goal)")
	}
	s.Config = limits(s.Do, s.Config)
	return s, nil
}

// limits brings the plan's one form of both limits, {limit, max, per, frm, to}, to the settings of the kind it names.
func limits(kind string, plan map[string]any) map[string]any {
	_, limit := plan["frm"]
	switch {
	case kind == "quiet_hours" && limit:
		return map[string]any{"from": plan["frm"], "to": plan["to"]}
	case kind == "throttle" && plan["max"] != nil && plan["count"] == nil:
		config := map[string]any{"count": plan["max"]}
		if unit, ok := plan["per"].(string); ok && perUnits[unit] != "" {
			config["per"] = map[string]any{"amount": 1, "unit": perUnits[unit]}
		}
		return config
	default:
		return plan
	}
}

var perUnits = map[string]string{"minute": "minutes", "hour": "hours", "day": "days", "week": "weeks"}
