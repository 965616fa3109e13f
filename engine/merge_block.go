package engine

import "strings"

// maxRepeats bounds what a repeat block makes of one list; the rest of a longer list is left out.
const maxRepeats = 50

// The blocks that hold others.
const (
	BlockRepeat = "repeat"
	BlockShowIf = "show_if"
)

// Each calls visit with the scope of every time the inside of a block is to be read: once for each element of the list of
// a repeat block, once or never for a show_if block, once for any other. What is no list has no elements.
func (s *MergeScope) Each(block Block, visit func(*MergeScope) error) error {
	switch block.Type {
	case BlockShowIf:
		shown, err := s.holds(block.When)
		if err != nil || !shown {
			return err
		}
		return visit(s)
	case BlockRepeat:
		list, _ := s.find(strings.Split(strings.TrimSpace(block.Over), ".")).([]any)
		for i, item := range list {
			if i == maxRepeats {
				break
			}
			inner := MergeScope{}
			if s != nil {
				inner = *s
			}
			inner.Item = item
			if err := visit(&inner); err != nil {
				return err
			}
		}
		return nil
	default:
		return visit(s)
	}
}

// EachWithin is Each for blocks inside one another, the outermost first.
func (s *MergeScope) EachWithin(blocks []Block, visit func(*MergeScope) error) error {
	if len(blocks) == 0 {
		return visit(s)
	}
	return s.Each(blocks[0], func(inner *MergeScope) error { return inner.EachWithin(blocks[1:], visit) })
}

// whenText is a condition as merge text; a variable in it may be missing.
func whenText(when string) string { return "{{ (" + when + `) | default("") }}` }

// holds evaluates a condition. One whose variables are missing is not met.
func (s *MergeScope) holds(when string) (bool, error) {
	merge, err := ParseMerge(whenText(when))
	if err != nil {
		return false, err
	}
	value, err := merge.Value(s)
	return holds(value), err
}
