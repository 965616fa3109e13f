package ai

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Limits of a plan as it is read. A reply beyond them is refused, not cut.
const (
	maxReply  = 256 << 10
	maxSteps  = 120
	maxNumber = 1_000_000
)

// ErrNotJSON says that a reply holds no JSON object.
var ErrNotJSON = errors.New("the reply holds no JSON object")

// DecodeSpec reads a model's reply. It takes the object out of code fences and prose around it, ignores members it does not
// know, and names the first member that has the wrong form, so that the message can go back to the model.
func DecodeSpec(reply []byte) (Spec, error) {
	body, err := objectIn(reply)
	if err != nil {
		return Spec{}, err
	}
	var w wireSpec
	if err := unmarshal(body, &w); err != nil {
		return Spec{}, err
	}
	return w.spec()
}

// objectIn returns the first complete JSON object of a text.
func objectIn(reply []byte) ([]byte, error) {
	if len(reply) > maxReply {
		return nil, fmt.Errorf("the reply is %d bytes long; %d are allowed", len(reply), maxReply)
	}
	if !utf8.Valid(reply) {
		reply = bytes.ToValidUTF8(reply, []byte("\uFFFD"))
	}
	// Prose may hold braces of its own; a reply with many is no plan, and each costs a look at the rest.
	from := 0
	for range 16 {
		at := bytes.IndexByte(reply[from:], '{')
		if at < 0 {
			return nil, ErrNotJSON
		}
		dec := json.NewDecoder(bytes.NewReader(reply[from+at:]))
		var body json.RawMessage
		err := dec.Decode(&body)
		if err == nil {
			return body, nil
		}
		if from == 0 && !strings.Contains(err.Error(), "invalid character") {
			return nil, fmt.Errorf("the reply breaks off or is not JSON: %w", err)
		}
		from += at + 1
	}
	return nil, ErrNotJSON
}

func unmarshal(body []byte, into any) error {
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.UseNumber()
	if err := dec.Decode(into); err != nil {
		if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
			return fmt.Errorf("%s: a %s cannot stand here", wrong.Field, wrong.Value)
		}
		return fmt.Errorf("not the agreed JSON: %w", err)
	}
	return nil
}

// wireSpec is a Spec as it stands in JSON: nulls, and numbers not yet trusted.
type wireSpec struct {
	Status      string      `json:"status"`
	Lang        string      `json:"lang"`
	Plan        string      `json:"plan"`
	Assumptions []string    `json:"assumptions"`
	Questions   []Question  `json:"questions"`
	Reason      *string     `json:"reason"`
	Trigger     wireTrigger `json:"trigger"`
	Reentry     string      `json:"reentry"`
	ReentryDays json.Number `json:"reentry_days"`
	ReentryKey  *string     `json:"reentry_key"`
	Blocks      []wirePart  `json:"blocks"`
	Messages    []Brief     `json:"messages"`
}

type wireTrigger struct {
	Kind       string      `json:"kind"`
	Ref        *string     `json:"ref"`
	When       *string     `json:"when"`
	OffsetDays json.Number `json:"offset_days"`
	Times      json.Number `json:"times"`
	AtLeast    json.Number `json:"at_least"`
}

type wirePart struct {
	ID    string            `json:"id"`
	Steps []json.RawMessage `json:"steps"`
	Next  *string           `json:"next"`
}

func (w wireSpec) spec() (Spec, error) {
	s := Spec{
		Status: Status(w.Status), Lang: w.Lang, Plan: w.Plan, Assumptions: w.Assumptions, Questions: w.Questions, Reason: str(w.Reason),
		Trigger: Trigger{Kind: w.Trigger.Kind, Ref: str(w.Trigger.Ref), When: str(w.Trigger.When)},
		Reentry: w.Reentry, ReentryKey: str(w.ReentryKey), Messages: w.Messages,
	}
	switch s.Status {
	case StatusGraph, StatusClarify, StatusRefuse:
	default:
		return Spec{}, fmt.Errorf("status is %q; it must be graph, clarify or refuse", w.Status)
	}
	var err error
	if s.ReentryDays, err = count(w.ReentryDays, "reentry_days"); err != nil {
		return Spec{}, err
	}
	if s.Trigger.OffsetDays, err = count(w.Trigger.OffsetDays, "trigger.offset_days"); err != nil {
		return Spec{}, err
	}
	if s.Trigger.Times, err = count(w.Trigger.Times, "trigger.times"); err != nil {
		return Spec{}, err
	}
	if s.Trigger.AtLeast, err = amount(w.Trigger.AtLeast, "trigger.at_least"); err != nil {
		return Spec{}, err
	}
	steps := 0
	for i, b := range w.Blocks {
		part := Part{ID: b.ID, Next: str(b.Next)}
		for j, r := range b.Steps {
			step, err := decodeStep(r)
			if err != nil {
				return Spec{}, fmt.Errorf("blocks[%d].steps[%d]: %w", i, j, err)
			}
			part.Steps = append(part.Steps, step)
		}
		if steps += len(part.Steps); steps > maxSteps {
			return Spec{}, fmt.Errorf("the plan has more than %d steps", maxSteps)
		}
		s.Blocks = append(s.Blocks, part)
	}
	return s, nil
}

func str(s *string) string {
	if s == nil {
		return ""
	}
	return strings.TrimSpace(*s)
}

// count reads a whole number that a grammar may have let through as 9e56 or 3.5.
func count(n json.Number, where string) (int, error) {
	if n == "" {
		return 0, nil
	}
	f, err := strconv.ParseFloat(n.String(), 64)
	if err != nil || math.Trunc(f) != f || math.Abs(f) > maxNumber {
		return 0, fmt.Errorf("%s is %s; it must be a whole number up to %d", where, n, maxNumber)
	}
	return int(f), nil
}

// amount reads a number of a sensible size.
func amount(n json.Number, where string) (float64, error) {
	if n == "" {
		return 0, nil
	}
	f, err := strconv.ParseFloat(n.String(), 64)
	if err != nil || math.Abs(f) > maxNumber {
		return 0, fmt.Errorf("%s is %s; it must be a number up to %d", where, n, maxNumber)
	}
	return f, nil
}
