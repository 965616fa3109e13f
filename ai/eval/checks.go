package eval

import (
	"encoding/json"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/lejek/lejek/ai"
)

var percents = regexp.MustCompile(`\d+ ?%`)

// check is one member of Must and how it is looked for.
type check struct {
	key string
	met func(*view, Must) (met, asked bool)
}

var checks = []check{
	{"trigger", func(v *view, m Must) (bool, bool) {
		return slices.ContainsFunc(v.entry().config.Triggers, func(t trigger) bool {
			return slices.Contains(m.Trigger, t.Kind) || t.Kind == "api_event" && slices.Contains(m.Trigger, t.Name) // an event that has no trigger of its own
		}), len(m.Trigger) > 0
	}},
	{"trigger_ref", func(v *view, m Must) (bool, bool) {
		entry := strings.ToLower(string(v.entry().Node.Config) + v.entry().Name)
		return strings.Contains(entry, strings.ToLower(m.TriggerRef)) || strings.Contains(entry, ai.Slug(m.TriggerRef)), m.TriggerRef != ""
	}},
	{"sends", func(v *view, m Must) (bool, bool) {
		return m.Sends != nil && len(v.sends()) == *m.Sends, m.Sends != nil
	}},
	{"min_sends", func(v *view, m Must) (bool, bool) {
		return m.MinSends != nil && len(v.sends()) >= *m.MinSends, m.MinSends != nil
	}},
	{"max_sends", func(v *view, m Must) (bool, bool) {
		return m.MaxSends != nil && len(v.steps) > 0 && len(v.sends()) <= *m.MaxSends, m.MaxSends != nil
	}},
	{"sends_by_channel", func(v *view, m Must) (bool, bool) {
		for channel, n := range m.ByChannel {
			if len(v.of("send_"+channel)) != n {
				return false, true
			}
		}
		return true, len(m.ByChannel) > 0
	}},
	{"min_sends_by_channel", func(v *view, m Must) (bool, bool) {
		for channel, n := range m.MinByChannel {
			if len(v.of("send_"+channel)) < n {
				return false, true
			}
		}
		return true, len(m.MinByChannel) > 0
	}},
	{"channels", func(v *view, m Must) (bool, bool) {
		return allOf(m.Channels, func(c string) bool { return len(v.of("send_"+c)) > 0 }), len(m.Channels) > 0
	}},
	{"channels_forbid", func(v *view, m Must) (bool, bool) {
		return len(v.steps) > 0 && allOf(m.Forbidden, func(c string) bool { return len(v.of("send_"+c)) == 0 }), len(m.Forbidden) > 0
	}},
	{"nodes_include", func(v *view, m Must) (bool, bool) {
		return allOf(m.Include, func(kind string) bool { return len(v.of(kind)) > 0 }), len(m.Include) > 0
	}},
	{"nodes_include_any", func(v *view, m Must) (bool, bool) {
		return slices.ContainsFunc(m.IncludeAny, func(kind string) bool { return len(v.of(kind)) > 0 }), len(m.IncludeAny) > 0
	}},
	{"nodes_exclude", func(v *view, m Must) (bool, bool) {
		return len(v.steps) > 0 && allOf(m.Exclude, func(kind string) bool { return len(v.of(kind)) == 0 }), len(m.Exclude) > 0
	}},
	{"waits_hours", waits},
	{"timing_hours", timing},
	{"offsets_hours", offsets},
	{"span_hours", span},
	{"min_gap_hours", minGap},
	{"before_hours", before},
	{"date_offsets_days", dateOffsets},
	{"time_of_day", timeOfDay},
	{"weekdays", func(v *view, m Must) (bool, bool) {
		return allOf(m.Weekdays, func(day string) bool {
			return slices.ContainsFunc(v.of("wait"), func(s step) bool { return s.config.Mode == "weekday" && slices.Contains(s.config.Weekdays, day) })
		}), len(m.Weekdays) > 0
	}},
	{"schedule", schedule},
	{"quiet_hours", func(v *view, m Must) (bool, bool) {
		return slices.ContainsFunc(v.of("quiet_hours"), func(s step) bool {
			return m.Quiet != nil && s.config.From == m.Quiet.From && s.config.To == m.Quiet.To
		}), m.Quiet != nil
	}},
	{"throttle", func(v *view, m Must) (bool, bool) {
		return slices.ContainsFunc(v.of("throttle"), func(s step) bool {
			return m.Throttle != nil && s.config.Count == m.Throttle.Max && s.config.Per.hours() == map[string]float64{"minute": 1.0 / 60, "hour": 1, "day": 24, "week": 168}[m.Throttle.Per]
		}), m.Throttle != nil
	}},
	{"max_per_week", maxPerWeek},
	{"repeat_hours", repeats},
	{"has_goal", func(v *view, m Must) (bool, bool) {
		return m.HasGoal != nil && len(v.steps) > 0 && *m.HasGoal == (len(v.of("goal")) > 0 || len(v.of("exit_funnel")) > 0), m.HasGoal != nil
	}},
	{"goal_event", func(v *view, m Must) (bool, bool) {
		return slices.ContainsFunc(v.of("goal"), func(s step) bool { return mentions(s, m.GoalEvent) }), len(m.GoalEvent) > 0
	}},
	{"reacts_to", func(v *view, m Must) (bool, bool) {
		return slices.ContainsFunc(v.of("goal", "condition", "wait"), func(s step) bool { return mentions(s, m.ReactsTo) }), len(m.ReactsTo) > 0
	}},
	{"split_ways", func(v *view, m Must) (bool, bool) {
		return slices.ContainsFunc(v.of("split"), func(s step) bool { return m.SplitWays != nil && len(s.config.Arms) == *m.SplitWays }), m.SplitWays != nil
	}},
	{"split_weights", func(v *view, m Must) (bool, bool) {
		want := slices.Sorted(slices.Values(m.SplitWeights))
		return slices.ContainsFunc(v.of("split"), func(s step) bool {
			var got []int
			for _, a := range s.config.Arms {
				got = append(got, a.Weight)
			}
			slices.Sort(got)
			return slices.Equal(want, got)
		}), len(m.SplitWeights) > 0
	}},
	{"discount_pct", func(v *view, m Must) (bool, bool) {
		return allOf(m.Discounts, func(n float64) bool {
			return regexp.MustCompile(`(^|\D)` + regexp.QuoteMeta(number(n)) + ` ?(%|procent|percent|процент)`).MatchString(v.text)
		}), len(m.Discounts) > 0
	}},
	{"text_includes", func(v *view, m Must) (bool, bool) {
		return allOf(m.TextIncludes, func(s string) bool { return strings.Contains(strings.ToLower(v.text), strings.ToLower(s)) }), len(m.TextIncludes) > 0
	}},
	{"text_excludes", func(v *view, m Must) (bool, bool) {
		return len(v.steps) > 0 && allOf(m.TextExcludes, func(s string) bool { return !strings.Contains(strings.ToLower(v.text), strings.ToLower(s)) }), len(m.TextExcludes) > 0
	}},
	{"tags_used", func(v *view, m Must) (bool, bool) {
		return allOf(m.TagsUsed, func(name string) bool {
			return slices.ContainsFunc(v.of("add_tag", "remove_tag"), func(s step) bool { return same(name, s.config.Tag) || strings.EqualFold(s.Name, name) })
		}), len(m.TagsUsed) > 0
	}},
	{"copy_lang", func(v *view, m Must) (bool, bool) {
		return v.text != "" && ai.LanguageOf(v.text) == m.CopyLang, m.CopyLang != ""
	}},
	{"max_sends_per_contact", func(v *view, m Must) (bool, bool) {
		most := 0
		for _, p := range v.paths {
			most = max(most, len(p.sends))
		}
		return m.MaxPerContact != nil && most <= *m.MaxPerContact, m.MaxPerContact != nil
	}},
}

func allOf[T any](list []T, ok func(T) bool) bool {
	return !slices.ContainsFunc(list, func(v T) bool { return !ok(v) })
}

func number(n float64) string {
	b, err := json.Marshal(n)
	if err != nil {
		return ""
	}
	return string(b)
}

// did are the words of a rule on a message for the event it asks about.
var did = map[string]string{"message_opened": "opened", "link_clicked": "clicked", "message_replied": "replied"}

// eventNames are the names an event has in the journal.
var eventNames = map[string]string{"form_submit": "form_submitted", "page_visit": "page_visited", "list_join": "list_joined"}

// mentions tells whether a step looks at one of the events.
func mentions(s step, events []string) bool {
	raw := string(s.Node.Config)
	for _, e := range events {
		names := []string{`"name":"` + e + `"`, `"name":"` + eventNames[e] + `"`}
		if word := did[e]; word != "" {
			names = append(names, `"did":"`+word+`"`)
		}
		for _, n := range names {
			if n != `"name":""` && strings.Contains(raw, n) {
				return true
			}
		}
	}
	return false
}

// near compares hours within the prompt's tolerance, 5 % where it has none.
func (m Must) near(got, want float64) bool {
	tolerance := 0.05
	if m.Tolerance != nil {
		tolerance = *m.Tolerance
	}
	return math.Abs(got-want) <= tolerance*math.Abs(want)+1e-9
}
