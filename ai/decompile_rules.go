package ai

import (
	"encoding/json"
	"slices"
	"strconv"
)

// eventWord is the word of the plan for an event of the log, "" when it has none of its own.
func eventWord(name string) string {
	for _, word := range planEvents {
		if word != "api_event" && (name == word || ownEvents[word] == name || slices.Contains(aliases[word], name)) {
			return word
		}
	}
	if name == "list_joined" {
		return "list_join"
	}
	return ""
}

// ruleStep writes a rule as the question of a branch where the plan has words for it.
func ruleStep(s Step, do string, rule json.RawMessage, last string) Step {
	op := "is"
	if inner, ok := membersOf(rule)["not"]; ok {
		rule, op = inner, "is_not"
	}
	if alternatives, ok := membersOf(rule)["any"]; ok && do == doGoal { // "any message of the funnel is clicked"
		var each []json.RawMessage
		if json.Unmarshal(alternatives, &each) == nil && len(each) > 0 {
			s = ruleStep(s, do, each[0], last)
			s.Ref = ""
			return s
		}
	}
	var r struct {
		Field   string         `json:"field"`
		Op      string         `json:"op"`
		Value   any            `json:"value"`
		Tag     string         `json:"tag"`
		List    string         `json:"list"`
		Segment string         `json:"segment"`
		Consent map[string]any `json:"consent"`
		Message struct {
			Step string `json:"step"`
			Did  string `json:"did"`
		} `json:"message"`
		Event struct {
			Name   string          `json:"name"`
			Within spanConfig      `json:"within"`
			Where  json.RawMessage `json:"where"`
		} `json:"event"`
	}
	_ = json.Unmarshal(rule, &r) // what does not fit is opaque below
	s.Do, s.Op = do, op
	switch {
	case r.Message.Did != "":
		s.Event = map[string]string{"opened": "message_opened", "clicked": "link_clicked", "replied": "message_replied"}[r.Message.Did]
		if r.Message.Step != last {
			s.Ref = r.Message.Step
		}
	case r.Event.Name != "" && len(r.Event.Where) == 0:
		s.Event, s.Ref = "api_event", r.Event.Name
		if word := eventWord(r.Event.Name); word != "" {
			s.Event, s.Ref = word, ""
		}
		if h := r.Event.Within.hours(); h > 0 {
			s.Op, s.Value = map[bool]string{true: "not_within_days", false: "within_days"}[op == "is_not"], strconv.Itoa(int(h/24))
		}
	case r.Tag != "":
		s.Event, s.Ref = "tag", bare(r.Tag)
	case r.List != "":
		s.Event, s.Ref = "list", bare(r.List)
	case r.Segment != "":
		s.Event, s.Ref = "segment", bare(r.Segment)
	case r.Consent != nil:
		s.Event = "channel_ok"
		s.Ref, _ = r.Consent["channel"].(string)
	case r.Field != "":
		s.Event, s.Ref = "field", r.Field
		if op == "is" {
			s.Op = r.Op
		}
		s.Value = valueText(r.Value)
	}
	if s.Event == "" {
		s.Event = doOpaque
	}
	return s
}

func valueText(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	default:
		return string(quote(v))
	}
}
