package engine

import (
	"maps"
	"math"
	"slices"
	"sort"
	"time"
)

// Predicate is a rule at one instant, ready to be written in the language of a database: a tree of comparisons whose
// bounds are values. Exactly one member is set. A comparison with a missing value is false, Not is the complement.
type Predicate struct {
	All  []Predicate
	Any  []Predicate
	Not  *Predicate
	Leaf *Comparison
}

// Comparison is one leaf of a Predicate.
type Comparison struct {
	Rule    *Rule      // what is looked at: a field, an event, a tag, a list, a segment, a consent, a message
	Kind    ValueKind  // what the value is brought to; "" is a membership, which is compared with nothing
	SQL     string     // of $x, the value or NULL, and the Bounds $1 and $2
	Bounds  []any      // string, float64, bool, []string or []float64; of a date int64: From and To
	Span    *DateSpan  // of a date
	Negated bool       // the answer is the complement
	Opens   time.Time  // of an event in a window: it counts after this instant ...
	Now     time.Time  // ... up to this one
	Where   *Predicate // which events count; nil is all
}

// ValueKind is the kind of value a comparison needs: text (folded), number, boolean, date or any.
type ValueKind = valueKind

// The kinds of values.
const (
	KindText   = kindText
	KindNumber = kindNumber
	KindTruth  = kindTruth
	KindDate   = kindDate
	KindAny    = kindAny
)

// DateSpan is what a date is compared with: From <= date < To, as microseconds since 1970 for instants, and as FoldedFace
// for days and local times, which mean different instants in different zones. An open end is math.MinInt64 or MaxInt64.
type DateSpan struct {
	From, To         int64
	FromFace, ToFace string
}

// Predicate is the rule as of an instant, in the workspace's zone (nil is UTC).
func (c *CompiledRule) Predicate(now time.Time, zone *time.Location) Predicate {
	if zone == nil {
		zone = time.UTC
	}
	next := 0
	return c.rule.predicate(func() *Comparison {
		next++
		return c.leaves[next-1].comparison(now, zone)
	})
}

func (r *Rule) predicate(leaf func() *Comparison) (p Predicate) {
	group := func(parts []Rule) []Predicate {
		written := make([]Predicate, len(parts))
		for i := range parts {
			written[i] = parts[i].predicate(leaf)
		}
		return written
	}
	switch {
	case r.All != nil:
		p.All = group(r.All)
	case r.Any != nil:
		p.Any = group(r.Any)
	case r.Not != nil:
		inner := r.Not.predicate(leaf)
		p.Not = &inner
	default:
		p.Leaf = leaf()
	}
	return p
}

func (l *compiledLeaf) comparison(now time.Time, zone *time.Location) *Comparison {
	c := &Comparison{Rule: l.rule}
	if event := l.rule.Event; event != nil {
		c.Now = now
		if event.Within != nil {
			c.Opens = now.Add(-event.Within.Window())
		}
		if l.where != nil {
			where := l.where.Predicate(now, zone)
			c.Where = &where
		}
	}
	if l.form.bind == nil {
		return c
	}
	c.Kind, c.SQL, c.Negated = l.form.kind, l.form.sql, operatorOf(l.op).not != ""
	for _, bound := range l.form.bind(l.value, binding{now: now, zone: zone}) {
		switch set := bound.(type) {
		case map[string]bool:
			bound = slices.Sorted(maps.Keys(set))
		case map[float64]bool:
			bound = slices.Sorted(maps.Keys(set))
		}
		c.Bounds = append(c.Bounds, bound)
	}
	if c.Kind == kindDate {
		from, to := c.Bounds[0].(int64), c.Bounds[1].(int64)
		c.Span = &DateSpan{From: from, To: to, FromFace: faceAt(from, zone), ToFace: faceAt(to, zone)}
	}
	return c
}

// Holds tells what the comparison answers for a number, or for a missing one (nil).
func (c *Comparison) Holds(number any) bool {
	x, _ := number.(float64)
	ordered := number != nil
	var truth bool
	switch c.SQL {
	case "$x = $1":
		truth = ordered && x == c.Bounds[0]
	case "$x > $1":
		truth = ordered && x > c.Bounds[0].(float64)
	case "$x >= $1":
		truth = ordered && x >= c.Bounds[0].(float64)
	case "$x < $1":
		truth = ordered && x < c.Bounds[0].(float64)
	case "$x <= $1":
		truth = ordered && x <= c.Bounds[0].(float64)
	case "$x BETWEEN $1 AND $2":
		truth = ordered && c.Bounds[0].(float64) <= x && x <= c.Bounds[1].(float64)
	default:
		truth = ordered
	}
	return truth != c.Negated
}

// faceFormat writes days and local times so that they sort as texts: years have four digits.
const faceFormat = "2006-01-02T15:04:05.000000"

// faceAt is the least face that stands for the instant (µs) or a later one: faces never run backwards, so a date is not
// before the instant exactly when its face is not before this one.
func faceAt(instant int64, zone *time.Location) string {
	switch instant {
	case math.MinInt64:
		return ""
	case math.MaxInt64:
		return "~"
	}
	at := time.UnixMicro(instant).UTC()
	first := at.Add(-widestOffset)
	width := int(2 * widestOffset / time.Microsecond)
	n := sort.Search(width, func(n int) bool {
		return !resolveFace(first.Add(time.Duration(n)*time.Microsecond), zone).Before(at)
	})
	face := first.Add(time.Duration(n) * time.Microsecond)
	switch {
	case face.Year() > 9999:
		return "~"
	case face.Year() < 1:
		return ""
	}
	return face.Format(faceFormat)
}

// resolveFace is the instant of a face, given as if it were in UTC.
func resolveFace(face time.Time, zone *time.Location) time.Time {
	day := face.Truncate(24 * time.Hour)
	return ResolveLocal(DateOf(face, time.UTC), face.Sub(day), zone)
}
