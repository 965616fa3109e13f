package ai

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// substitutes are the steps that stand in for a kind the catalogue does not have yet, and are said so. Kinds without one
// are left out, and said so.
var substitutes = map[string]string{doSendSMS: doSendEmail, doSendWhatsApp: doSendEmail, doSendPush: doSendEmail}

// ends are the names a plan may use for "the run ends here".
var ends = []string{"", "end", "exit", "stop", "done", "null", "none"}

// mend repairs by rule what a rule can repair: missing and doubled ids, shares that do not add up, waits of nothing, steps after a
// branch, ways to blocks that do not exist, kinds that cannot be drawn.
func (b *builder) mend() {
	s := &b.spec
	s.Blocks = slices.Clone(s.Blocks)
	s.Messages = slices.Clone(s.Messages)
	blocks := map[string]bool{}
	for i := range s.Blocks {
		p := &s.Blocks[i]
		if p.ID == "" || blocks[p.ID] {
			if p.ID != "" {
				b.problem("ID_TWICE", p.ID, "two blocks have the id "+p.ID+"; give each its own")
			}
			p.ID = "block-" + strconv.Itoa(i+1)
		}
		blocks[p.ID] = true
	}
	seen := map[string]bool{}
	for i := range s.Blocks {
		p := &s.Blocks[i]
		p.Next = b.way(p.Next, p.ID, blocks)
		var kept []Step
		for j, step := range p.Steps {
			if step.ID == "" || seen[step.ID] {
				step.ID = p.ID + ".s" + strconv.Itoa(j+1)
			}
			seen[step.ID] = true
			if step, ok := b.mendStep(step, blocks); ok {
				kept = append(kept, step)
				if step.ends() {
					if j+1 < len(p.Steps) {
						b.problem("UNREACHABLE", p.Steps[j+1].ID, "a step after a branch is never reached; put it into the block the branch leads to")
					}
					p.Next = ""
					break
				}
			}
		}
		p.Steps = kept
	}
}

// way checks where a step leads.
func (b *builder) way(to, at string, blocks map[string]bool) string {
	switch {
	case blocks[to]:
		return to
	case slices.Contains(ends, strings.ToLower(to)):
		return ""
	default:
		b.problem("EDGE_BROKEN", at, "leads to block "+to+", which does not exist; name an existing block or end the run with null")
		return ""
	}
}

func (b *builder) mendStep(s Step, blocks map[string]bool) (Step, bool) {
	if !b.set.Kinds.can(s.Do) {
		sub, ok := substitutes[s.Do]
		if !ok || !b.set.Kinds.can(sub) {
			b.note("kind_left_out", b.say.kind(s.Do))
			return s, false
		}
		b.note("kind_substituted", b.say.kind(s.Do), b.say.kind(sub))
		s.Do = sub
	}
	switch s.Do {
	case doWait:
		if s.N <= 0 {
			return s, false
		}
	case doIf:
		s.Yes, s.No = b.way(s.Yes, s.ID, blocks), b.way(s.No, s.ID, blocks)
		if slices.Contains([]string{"segment", "tag", "list", "field"}, s.Event) && slug(s.Ref) == "" {
			b.problem("FIELD_REQUIRED", s.ID, "name the "+s.Event+" in ref")
			s.Ref = s.Event
		}
	case doSplit:
		s.Arms = b.mendArms(s, blocks)
		if len(s.Arms) < 2 {
			b.problem("SPLIT_WEIGHTS", s.ID, "a split needs at least two arms")
			if len(s.Arms) == 0 {
				return s, false
			}
			s.Arms = append(s.Arms, Arm{Label: "B", Pct: 100 - s.Arms[0].Pct})
		}
	case doSendEmail, doSendSMS, doSendWhatsApp, doSendPush, doSendLetter:
		s.Message = b.messageFor(cmp.Or(s.Message, s.ID), channelOf(s.Do))
	case doAddTag, doRemoveTag:
		if slug(s.Name) == "" {
			b.problem("FIELD_REQUIRED", s.ID, "name the tag")
			return s, false
		}
	case doAddToList, doRemoveFromList:
		if slug(s.Name) == "" {
			b.problem("FIELD_REQUIRED", s.ID, "name the list")
			return s, false
		}
	case doEnterFunnel:
		if slug(s.Name) == "" {
			b.problem("FIELD_REQUIRED", s.ID, "name the funnel")
			return s, false
		}
	case doQuietHours:
		if from := clockTime(s.From); from != "" && from == clockTime(s.Until) && len(s.Days) != 1 {
			s.Until = "" // hours that never end let no message through
		}
	case doSetField:
		if slug(s.Field) == "" {
			b.problem("FIELD_REQUIRED", s.ID, "name the field")
			return s, false
		}
	}
	return s, true
}

// messageFor makes sure that a sent message is among the plan's messages. One that goes out by two channels is written for each.
func (b *builder) messageFor(id, channel string) string {
	brief := Brief{ID: id}
	listed := func(id string) bool {
		return slices.ContainsFunc(b.spec.Messages, func(m Brief) bool {
			if m.ID == id {
				brief = m
			}
			return m.ID == id
		})
	}
	known := listed(id)
	if way, taken := b.ways[slug(id)]; taken && way != channel {
		brief.ID = id + "-" + channel
		known = listed(brief.ID)
	}
	if !known {
		b.spec.Messages = append(b.spec.Messages, brief)
	}
	b.ways[slug(brief.ID)] = channel
	return brief.ID
}

// channelOf is the channel a sending step uses.
func channelOf(do string) string { return strings.TrimPrefix(do, "send_") }

// mendArms makes the shares of a split sum to 100 in whole numbers, each at least 1.
func (b *builder) mendArms(s Step, blocks map[string]bool) []Arm {
	arms := slices.Clone(s.Arms)
	sum := 0
	for i := range arms {
		arms[i].To = b.way(arms[i].To, s.ID, blocks)
		arms[i].Pct = max(arms[i].Pct, 0)
		sum += arms[i].Pct
	}
	if sum == 100 || len(arms) == 0 {
		return arms
	}
	if sum < 99 || sum > 101 {
		b.note("split_rescaled")
	}
	left := 100
	for i := range arms {
		share := 100 / len(arms)
		if sum > 0 {
			share = max(1, arms[i].Pct*100/sum)
		}
		arms[i].Pct = share
		left -= share
	}
	arms[0].Pct += left
	return arms
}
