package engine

import (
	"encoding/json"
	"time"
)

// Question is a rule inside a config.
type Question struct {
	raw json.RawMessage
}

// UnmarshalJSON keeps the rule.
func (q *Question) UnmarshalJSON(raw []byte) error {
	q.raw = append(q.raw[:0], raw...)
	return nil
}

// MarshalJSON writes the rule as it was read.
func (q Question) MarshalJSON() ([]byte, error) { return q.raw, nil }

// answer is what a question came to.
type answer struct {
	True       bool
	NextChange time.Time
	Explain    any
}

// questions are those that were asked.
func questions(asked ...*Question) []*Question {
	var set []*Question
	for _, q := range asked {
		if q != nil {
			set = append(set, q)
		}
	}
	return set
}

// Ask puts a question about the person and the run.
func (m *Moment) Ask(q *Question) answer { return answer{} }

// AskOfSignal puts a question about the properties of the signal.
func (m *Moment) AskOfSignal(q *Question) answer { return answer{} }

// Value fills merge text in.
func (m *Moment) Value(text string) (any, error) { return text, nil }
