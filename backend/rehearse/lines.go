package rehearse

import (
	"bytes"
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/lejek/lejek/engine"
)

// maxLooks bounds how often everybody is looked at: a throttle in a ring may change who comes to it time and again.
const maxLooks = 10

// lines are the people before the throttles of a funnel. When one is let through depends on all who came before, so that everybody is
// looked at several times: at first nobody is let through, which tells who comes and who leaves of their own accord; then each at the
// instant that follows from that, until a look finds the lines as the look before left them.
type lines struct {
	throttles int
	home      *time.Location
	given     map[turn]time.Time // by the look before
	stays     map[string][]*stay // of this look, by throttle
	looks     int
}

// turn is one coming of a run to a throttle.
type turn struct {
	contact uuid.UUID
	run     string
	seq     int
}

// stay is a turn with what became of it.
type stay struct {
	turn

	wanted engine.TakeTicket
	until  time.Time
	left   time.Time // before its turn; zero when it waited
	run    *engine.Run
}

// linesOf are the lines of a funnel; nil when nothing holds people back.
func linesOf(graph engine.Graph, zone string) *lines {
	l := &lines{home: engine.ZoneOf(zone), given: map[turn]time.Time{}, stays: map[string][]*stay{}}
	for _, node := range graph.Nodes {
		if node.Kind == engine.KindThrottle && !node.Off {
			l.throttles++
		}
	}
	if l.throttles == 0 {
		return nil
	}
	return l
}

// enough are the looks that suffice where each throttle is reached once.
func (l *lines) enough() int64 {
	if l == nil {
		return 1
	}
	return int64(max(l.throttles, l.looks) + 1)
}

// stand puts a run into a line and tells how long it stays there by what is known.
func (l *lines) stand(contact uuid.UUID, run *engine.Run, wanted engine.TakeTicket) *stay {
	s := &stay{turn: turn{contact, run.ID, wanted.Seq}, wanted: wanted, run: run, until: wanted.At.AddDate(100, 0, 0)}
	if given, known := l.given[s.turn]; known {
		s.until = given
	}
	l.stays[wanted.Node] = append(l.stays[wanted.Node], s)
	return s
}

// over tells whether the run no longer stands there, and notes when it left before its turn.
func (s *stay) over(now time.Time) bool {
	if s.run.Status == engine.Active && s.run.Seq == s.seq {
		return false
	}
	if now.Before(s.until) {
		s.left = now
	}
	s.run = nil
	return true
}

// settle works out the slots from who came and left, and tells whether they are those by which this look went.
func (l *lines) settle() bool {
	slots := map[turn]time.Time{}
	for _, line := range l.stays {
		giveOut(line, l.home, slots)
	}
	settled := maps.EqualFunc(slots, l.given, time.Time.Equal)
	l.given, l.stays = slots, map[string][]*stay{}
	l.looks++
	return settled || l.looks == maxLooks
}

// giveOut gives one throttle's slots in the order of arrival, as the runner does: who leaves before their turn leaves it to the next who comes.
func giveOut(line []*stay, home *time.Location, slots map[turn]time.Time) {
	slices.SortFunc(line, func(a, b *stay) int {
		return cmp.Or(a.wanted.At.Compare(b.wanted.At), bytes.Compare(a.contact[:], b.contact[:]), cmp.Compare(a.seq, b.seq))
	})
	var made, free []time.Time
	var leaving []*stay // in the order of leaving
	back := func(n int) time.Time {
		if n < 1 || n > len(made) {
			return time.Time{}
		}
		return made[len(made)-n]
	}
	for _, s := range line {
		now := s.wanted.At
		for len(leaving) > 0 && !leaving[0].left.After(now) {
			slot := slots[leaving[0].turn]
			at, _ := slices.BinarySearchFunc(free, slot, time.Time.Compare)
			free, leaving = slices.Insert(free, at, slot), leaving[1:]
		}
		for len(free) > 0 && free[0].Before(now) {
			free = free[1:]
		}
		slot := s.wanted.Slot(back(1), back(s.wanted.Count), home)
		if len(free) > 0 && free[0].Before(slot) {
			slot, free = free[0], free[1:]
		} else {
			made = append(made, slot)
		}
		slots[s.turn] = slot
		if !s.left.IsZero() && s.left.Before(slot) {
			at, _ := slices.BinarySearchFunc(leaving, s.left, func(l *stay, left time.Time) int { return l.left.Compare(left) })
			leaving = slices.Insert(leaving, at, s)
		}
	}
}
