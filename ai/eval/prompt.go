package eval

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// Prompt is one line of a prompt file.
type Prompt struct {
	ID     string   `json:"id"`
	Lang   string   `json:"lang"`
	Prompt string   `json:"prompt"`
	Tags   []string `json:"tags"`
	Must   Must     `json:"must"`
}

// Must is what a right answer has. An absent member is not checked.
type Must struct {
	Expect         string         `json:"expect"`
	AlsoOK         []string       `json:"also_ok"`
	Reason         []string       `json:"reason"`
	QuestionsAbout []string       `json:"questions_about"`
	Trigger        []string       `json:"trigger"`
	TriggerRef     string         `json:"trigger_ref"`
	Sends          *int           `json:"sends"`
	MinSends       *int           `json:"min_sends"`
	MaxSends       *int           `json:"max_sends"`
	ByChannel      map[string]int `json:"sends_by_channel"`
	MinByChannel   map[string]int `json:"min_sends_by_channel"`
	Channels       []string       `json:"channels"`
	Forbidden      []string       `json:"channels_forbid"`
	Waits          []float64      `json:"waits_hours"`
	Timing         []float64      `json:"timing_hours"`
	Offsets        []float64      `json:"offsets_hours"`
	Span           *Span          `json:"span_hours"`
	MinGap         *float64       `json:"min_gap_hours"`
	Before         []float64      `json:"before_hours"`
	DateOffsets    []float64      `json:"date_offsets_days"`
	TimeOfDay      string         `json:"time_of_day"`
	Weekdays       []string       `json:"weekdays"` // that are waited for
	Schedule       *Schedule      `json:"schedule"`
	Quiet          *Hours         `json:"quiet_hours"`
	Throttle       *Throttle      `json:"throttle"`
	MaxPerWeek     *int           `json:"max_per_week"`
	Repeat         *float64       `json:"repeat_hours"`
	Include        []string       `json:"nodes_include"`
	IncludeAny     []string       `json:"nodes_include_any"`
	Exclude        []string       `json:"nodes_exclude"`
	HasGoal        *bool          `json:"has_goal"`
	GoalEvent      []string       `json:"goal_event"`
	ReactsTo       []string       `json:"reacts_to"`
	SplitWays      *int           `json:"split_ways"`
	SplitWeights   []int          `json:"split_weights"`
	Discounts      []float64      `json:"discount_pct"`
	TextIncludes   []string       `json:"text_includes"`
	TextExcludes   []string       `json:"text_excludes"`
	TagsUsed       []string       `json:"tags_used"`
	CopyLang       string         `json:"copy_lang"`
	MaxPerContact  *int           `json:"max_sends_per_contact"`
	Tolerance      *float64       `json:"timing_tolerance"`
}

// Span bounds the time from entry to the last message.
type Span struct {
	Min float64 `json:"min"`
	Max float64 `json:"max"`
}

// Schedule is a recurring time.
type Schedule struct {
	Days []string `json:"days"`
	Time string   `json:"time"`
	Day  int      `json:"day"`
}

// Hours are quiet hours.
type Hours struct {
	From string `json:"from"`
	To   string `json:"to"`
}

// Throttle is so many people in a period.
type Throttle struct {
	Max int    `json:"max"`
	Per string `json:"per"`
}

// Read reads prompts, one JSON object a line. Empty lines are skipped.
func Read(from io.Reader) ([]Prompt, error) {
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, 1<<20)
	var out []Prompt
	for n := 1; lines.Scan(); n++ {
		if strings.TrimSpace(lines.Text()) == "" {
			continue
		}
		var p Prompt
		if err := json.Unmarshal(lines.Bytes(), &p); err != nil {
			return nil, fmt.Errorf("line %d is no prompt: %w", n, err)
		}
		if p.ID == "" || p.Must.Expect == "" {
			return nil, fmt.Errorf("line %d needs an id and must.expect", n)
		}
		out = append(out, p)
	}
	return out, lines.Err()
}
