package engine

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// listPath is where a list may come from.
var listPath = regexp.MustCompile(`^[a-z_][a-zA-Z0-9_]*(\.[a-zA-Z0-9_]+)*$`)

// checkHolder judges a block as one that holds others, and what it must not stand in.
func (i *inspection) checkHolder(block Block, within []Block, at string, k *Checker) {
	repeated := slices.ContainsFunc(within, func(b Block) bool { return b.Type == BlockRepeat })
	holds := block.Type == BlockRepeat || block.Type == BlockShowIf
	switch {
	case !holds && len(block.Blocks) > 0:
		k.Invalid(at, "Only repeated and conditional parts hold other parts. Take them out.")
	case block.Type == "footer" && len(within) > 0:
		k.Invalid(at, "The footer cannot stand inside another part. Put it at the end of the message.")
	case len(within) >= 3:
		k.Invalid(at, "Parts stand inside each other three times at most. Take this one out.")
	}
	switch {
	case block.Type == BlockRepeat && repeated:
		k.Invalid(at, "A repeated part cannot stand in another one. Take it out.")
	case block.Type == BlockRepeat && strings.TrimSpace(block.Over) == "":
		k.Required(at, "Choose the list to repeat this part for, such as event.items.").with("field", at)
	case block.Type == BlockRepeat && !listPath.MatchString(block.Over):
		k.Invalid(at, fmt.Sprintf("%s is no list. Write where it is, such as event.items.", quote(block.Over)))
	case block.Type == BlockRepeat:
		i.checkText(whenText(block.Over), true, at, k)
	case block.Type == BlockShowIf && strings.TrimSpace(block.When) == "":
		k.Required(at, "Say when to show this part, such as event.coupon or event.total > 100.").with("field", at)
	case block.Type == BlockShowIf:
		i.checkPlacedText(CreativeText{Field: at, Text: whenText(block.When), Within: within}, k)
	}
}

// checkPlacedText judges a text of a message where it stands: inside a repeated part there is an item.
func (i *inspection) checkPlacedText(text CreativeText, k *Checker) {
	i.repeated = slices.ContainsFunc(text.Within, func(b Block) bool { return b.Type == BlockRepeat })
	i.checkText(text.Text, true, text.Field, k)
	i.repeated = false
}
