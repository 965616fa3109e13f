package engine

import (
	"cmp"
	"hash/fnv"
	"slices"
	"strconv"
)

// splitConfig deals people out at random; a person always gets the same arm of the same split.
type splitConfig struct {
	Arms []Arm `json:"arms"`
}

// Arm is one way out of a split; its id is the port. Weight is in percent. A hold-out is the arm reports compare the others
// with: its people get nothing.
type Arm struct {
	ID      string `json:"id"`
	Label   string `json:"label"`
	Weight  int    `json:"weight"`
	HoldOut bool   `json:"hold_out,omitempty"`
}

var _ = Define(Spec[splitConfig]{
	Kind: Kind{
		Kind: "split", Family: FamilyLogic, Order: 2,
		Title:   "Split at random",
		Purpose: "Deals people out by percentages, to compare two ways or to hold some back. Everyone keeps their way.",
		Synonyms: []string{"split", "a/b test", "ab", "experiment", "random", "hold-out", "podziel", "podział", "test a/b",
			"losowo", "разделить", "сплит", "тест", "случайно"},
		Fields: []Field{{Key: "arms", Type: TypeArms, Label: "Ways", Required: true,
			Default: []Arm{{ID: "a", Label: "A", Weight: 50}, {ID: "b", Label: "B", Weight: 50}},
			Help:    "The percentages add up to 100. Of one way you may say that its people are held back, to compare the others with."}},
		Ports: []PortSpec{{Each: "arms"}},
	},
	Check: checkSplit,
	Run: func(c splitConfig, m *Moment) Outcome {
		draw := drawOf(m.Contact.ID, m.Node)
		arm := c.pick(draw)
		detail := map[string]any{"draw": draw, "arm": arm.Label}
		if arm.HoldOut {
			detail["hold_out"] = true
		}
		return leave(arm.ID, detail)
	},
})

func checkSplit(c splitConfig, k *Checker) {
	total := 0
	for _, arm := range c.Arms {
		total += arm.Weight
	}
	if total != 100 {
		k.Error("SPLIT_WEIGHTS", "arms", "The ways add up to "+strconv.Itoa(total)+" %. Make them add up to 100 %.").
			with("total", strconv.Itoa(total)).
			fix("Share out evenly", "arms", evenly(c.Arms))
	}
	held := 0
	for i, arm := range c.Arms {
		if !arm.HoldOut {
			continue
		}
		if held++; held > 1 {
			key := joinPath(joinIndex("", "arms", i), "hold_out")
			k.Invalid(key, "Two ways are marked as hold-out. Mark one: it is what all others are compared with.").
				fix("Take the mark away", key, false)
		}
	}
}

// holdOut is the port of the people who are held back; "" when there is none.
func (c splitConfig) holdOut() string {
	for _, arm := range c.Arms {
		if arm.HoldOut {
			return arm.ID
		}
	}
	return ""
}

// pick finds the arm a draw from 0 to 99 falls into. Arms lie by their ids, so that nobody changes sides when somebody puts them in another order.
func (c splitConfig) pick(draw int) Arm {
	arms := slices.SortedFunc(slices.Values(c.Arms), func(a, b Arm) int { return cmp.Compare(a.ID, b.ID) })
	for _, arm := range arms {
		if draw < arm.Weight {
			return arm
		}
		draw -= arm.Weight
	}
	return arms[len(arms)-1]
}

// drawOf is the contact's lot at a node, from 0 to 99: the same for ever, and unrelated between nodes.
func drawOf(contact, node string) int {
	h := fnv.New64a()
	h.Write([]byte(contact))
	h.Write([]byte{0})
	h.Write([]byte(node))
	// FNV leaves the low bits of short texts related to their last byte; this spreads them.
	x := h.Sum64()
	x ^= x >> 33
	x *= 0xff51afd7ed558ccd
	x ^= x >> 33
	x *= 0xc4ceb9fe1a85ec53
	x ^= x >> 33
	return int(x % 100)
}

// evenly gives the arms equal weights that add up to 100.
func evenly(arms []Arm) []Arm {
	even := make([]Arm, len(arms))
	for i, arm := range arms {
		arm.Weight = 100 / len(arms)
		if i < 100%len(arms) {
			arm.Weight++
		}
		even[i] = arm
	}
	return even
}
