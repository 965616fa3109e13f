package ai

import (
	"encoding/json"
	"errors"
	"strings"
)

// wireStep is every member any written step can have. The first group holds the discriminators.
type wireStep struct {
	Wait      string `json:"wait"`
	WaitUntil string `json:"wait_until"`
	Send      string `json:"send"`
	Notify    string `json:"notify"`
	Tag       string `json:"tag"`
	List      string `json:"list"`
	Set       string `json:"set"`
	Call      string `json:"call"`
	Pay       string `json:"pay"`
	Book      string `json:"book"`
	Funnel    string `json:"funnel"`
	AI        string `json:"ai"`
	If        string `json:"if"`
	Split     string `json:"split"`
	Goal      string `json:"goal"`
	Limit     string `json:"limit"`

	ID         string      `json:"id"`
	N          json.Number `json:"n"`
	At         *string     `json:"at"`
	Ref        *string     `json:"ref"`
	TimeoutH   json.Number `json:"timeout_h"`
	BeforeH    json.Number `json:"before_h"`
	Message    string      `json:"message"`
	To         *string     `json:"to"`
	Text       string      `json:"text"`
	Name       *string     `json:"name"`
	Field      string      `json:"field"`
	Value      *string     `json:"value"`
	Connection string      `json:"connection"`
	Amount     string      `json:"amount"`
	Title      string      `json:"title"`
	Service    string      `json:"service"`
	Vars       []wireVar   `json:"vars"`
	Op         string      `json:"op"`
	Yes        string      `json:"yes"`
	No         string      `json:"no"`
	Arms       []wireArm   `json:"arms"`
	Max        json.Number `json:"max"`
	Per        *string     `json:"per"`
	From       *string     `json:"frm"`
	Days       *string     `json:"days"`
}

type wireArm struct {
	Label string      `json:"label"`
	Pct   json.Number `json:"pct"`
	To    string      `json:"to"`
}

type wireVar struct {
	Name     string      `json:"name"`
	Ask      string      `json:"ask"`
	Max      json.Number `json:"max"`
	Fallback string      `json:"fallback"`
}

func decodeStep(body json.RawMessage) (Step, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(body, &members); err != nil {
		return Step{}, errors.New("a step must be an object")
	}
	if !discriminated(members) {
		return derivedFrom(members)
	}
	var w wireStep
	if err := unmarshal(body, &w); err != nil {
		return Step{}, err
	}
	return w.step()
}

// discriminators are the first members of the plan's own steps.
var discriminators = []string{"wait", "wait_until", "send", "notify", "tag", "list", "set", "call", "pay", "book", "funnel", "ai", "if", "split", "goal", "limit"}

func discriminated(members map[string]json.RawMessage) bool {
	for _, d := range discriminators {
		if _, ok := members[d]; ok {
			return true
		}
	}
	_, arms := members["arms"]
	return arms
}

func (w wireStep) step() (Step, error) {
	s := Step{
		ID: w.ID, At: str(w.At), Ref: str(w.Ref), Message: w.Message, Name: str(w.Name), Field: w.Field, Op: w.Op, Value: str(w.Value), Yes: w.Yes,
		No: w.No, Text: w.Text, Amount: w.Amount, Title: w.Title, Per: str(w.Per), From: str(w.From),
	}
	for _, d := range []struct{ word, do string }{
		{w.Send, w.Send}, {w.Notify, doNotify}, {w.Tag, w.Tag}, {w.List, w.List}, {w.Set, doSetField}, {w.Call, doRequest}, {w.Pay, doPayment},
		{w.Book, doBook}, {w.Funnel, w.Funnel}, {w.AI, doGenerate}, {w.Split, doSplit}, {w.Limit, w.Limit},
	} {
		if d.word != "" {
			s.Do = d.do
		}
	}
	var err error
	read := func(n json.Number, where string) int {
		v, e := count(n, where)
		err = errors.Join(err, e)
		return v
	}
	switch {
	case w.WaitUntil != "":
		s.Do, s.Event = doWaitUntil, w.WaitUntil
		s.TimeoutHours, s.BeforeHours = read(w.TimeoutH, "timeout_h"), read(w.BeforeH, "before_h")
	case w.Wait != "":
		s.Do, s.Unit, s.N = doWait, w.Wait, read(w.N, "n")
	case w.If != "":
		s.Do, s.Event = doIf, w.If
	case w.Goal != "":
		s.Do, s.Event = doGoal, w.Goal
	case len(w.Arms) > 0:
		s.Do = doSplit
	}
	switch s.Do {
	case doNotify:
		s.To = str(w.To)
	case doRequest:
		s.Name = w.Connection
	case doBook:
		s.Name = w.Service
	case doThrottle, doQuietHours:
		s.Max, s.Until, s.Days = read(w.Max, "max"), str(w.To), weekdayNames(str(w.Days))
	}
	for _, a := range w.Arms {
		s.Arms = append(s.Arms, Arm{Label: a.Label, Pct: read(a.Pct, "pct"), To: a.To})
	}
	for _, v := range w.Vars {
		s.Vars = append(s.Vars, Variable{Name: v.Name, Ask: v.Ask, Max: read(v.Max, "vars.max"), Fallback: v.Fallback})
	}
	if err == nil && s.Do == "" {
		err = errNoDiscriminator
	}
	return s, err
}

var errNoDiscriminator = errors.New("the step has none of the known first members (" + strings.Join(discriminators, ", ") + ")")

// derivedFrom reads a step of a kind the plan has no words for: {"<kind>":"<kind>", fields...}.
func derivedFrom(members map[string]json.RawMessage) (Step, error) {
	s := Step{Config: map[string]any{}}
	for key, value := range members {
		var v any
		if err := json.Unmarshal(value, &v); err != nil {
			return Step{}, err
		}
		word, isText := v.(string)
		switch {
		case key == "id":
			s.ID = word
		case isText && word == key:
			s.Do = word
		case v != nil:
			s.Config[key] = v
		}
	}
	if s.Do == "" {
		return Step{}, errNoDiscriminator
	}
	return s, nil
}
