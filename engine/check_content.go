package engine

import (
	"fmt"
	"slices"
	"strings"
)

// sending is a message as checks and the plan see it, whatever its channel.
type sending struct {
	Creative string
	Channel  string
	Class    string
}

// sender is a config that sends a message.
type sender interface{ sends() sending }

// checkContent judges what people will read: messages, and merge text in configs.
func (i *inspection) checkContent() {
	i.eachNode(func(node *Node, k *Checker) {
		i.checkMergeFields(node, k)
		bound := i.nodes[node.ID].step
		message, sends := bound.config.(sender)
		if !sends {
			return
		}
		sending := message.sends()
		if creative, there := i.bundle.Creatives[sending.Creative]; there {
			i.checkCreative(creative, sending, k.inside("creative"))
		}
	})
}

// checkMergeFields judges the config fields that hold merge text.
func (i *inspection) checkMergeFields(node *Node, k *Checker) {
	members := membersOf(node.Config)
	for _, field := range nodeKinds[node.Kind].Fields {
		if !shown(field.ShowIf, members, nodeKinds[node.Kind].Fields) {
			continue
		}
		switch field.Type {
		case TypeMerge, TypeLines:
			if text := choiceOf(field.Key, members, nil); text != "" {
				i.checkText(text, false, field.Key, k)
			}
		case TypePairs:
			pairs, _ := pairsOf(members[field.Key], field.Of)
			for at, pair := range pairs {
				if field.Of == "value" {
					i.checkText(pair.text, false, joinPath(joinIndex("", field.Key, at), field.Of), k)
				}
			}
		}
	}
}

// checkCreative judges one message.
func (i *inspection) checkCreative(creative Creative, sending sending, k *Checker) {
	if creative.Channel != sending.Channel {
		k.Invalid("channel", fmt.Sprintf("This message is written for %s, but the step sends %s. Choose another.", quote(creative.Channel), sending.Channel)).
			with("channel", creative.Channel)
	}
	if strings.TrimSpace(creative.Subject) == "" {
		k.Error(CodeSubjectEmpty, "subject", "The message has no subject. Write one.")
	}
	if !slices.ContainsFunc(creative.Blocks, Block.says) {
		k.Error(CodeBodyEmpty, "blocks", "The message is empty. Write something in it.")
	}
	texts, unreadable := creative.Texts()
	k.take(unreadable, "")
	if sending.Class == ClassMarketing && !creative.unsubscribes(texts) {
		footer := append(slices.Clone(creative.Blocks), Block{ID: freeBlockID(creative.Blocks), Type: "footer"})
		k.Error(CodeUnsubscribe, "blocks", "People cannot unsubscribe from this message. Add the footer, which holds the link.").
			fix("Add the footer", "blocks", footer)
	}
	i.checkBlocks(creative.Blocks, k)
	for _, text := range texts {
		i.checkText(text.Text, true, text.Field, k)
	}
}

// says tells whether a block has anything to see.
func (b Block) says() bool {
	switch b.Type {
	case "heading", "button":
		return strings.TrimSpace(b.Text) != ""
	case "text":
		doc, err := DecodeDoc(b.Doc)
		return strings.TrimSpace(b.Text) != "" || err != nil || !doc.IsEmpty()
	case "image":
		return b.URL != ""
	default:
		return false
	}
}

// unsubscribes tells whether the message has a footer or a link of its own to unsubscribe.
func (c Creative) unsubscribes(texts []CreativeText) bool {
	return slices.ContainsFunc(c.Blocks, func(b Block) bool { return b.Type == "footer" }) ||
		slices.ContainsFunc(texts, func(t CreativeText) bool { return strings.Contains(t.Text, "unsubscribe_url") })
}

func freeBlockID(blocks []Block) string {
	id := "footer"
	for slices.ContainsFunc(blocks, func(b Block) bool { return b.ID == id }) {
		id += "-1"
	}
	return id
}

// blockTypes are the parts a message can be made of.
var blockTypes = []string{"heading", "text", "button", "image", "divider", "spacer", "footer"}

func (i *inspection) checkBlocks(blocks []Block, k *Checker) {
	seen := map[string]bool{}
	for _, block := range blocks {
		at := "blocks." + block.ID
		if seen[block.ID] {
			k.Error(CodeIDTwice, at, fmt.Sprintf("Two parts of the message have the id %s. Give one of them another.", quote(block.ID))).with("id", block.ID)
		}
		seen[block.ID] = true
		if !slices.Contains(blockTypes, block.Type) {
			k.Invalid(at, fmt.Sprintf("A message has no part of the type %s. Choose one of %s.", quote(block.Type), strings.Join(blockTypes, ", "))).
				with("type", block.Type)
		}
		if block.Type == "button" && strings.TrimSpace(block.URL) == "" {
			button := "A button"
			if strings.TrimSpace(block.Text) != "" {
				button = "The button " + quote(block.Text)
			}
			k.Required(at, button+" leads nowhere. Enter its address.").with("field", at)
		}
	}
}

// checkText judges one merge text: its form, and each use of a variable.
func (i *inspection) checkText(text string, message bool, path string, k *Checker) {
	if !strings.Contains(text, "{{") {
		return
	}
	scope := VarScope{Workspace: i.bundle.Workspace, Events: i.triggerEvents(), Links: message, Vars: i.given()}
	merge, err := ParseMerge(text)
	if err != nil {
		k.take(CheckMerge(text, scope), path)
		return
	}
	for _, hole := range merge.Holes() {
		for _, ref := range hole.Refs {
			without := i.triggersWithout(ref.Path)
			scope.NoEvent = without
			problem, found := merge.checkRef(hole, ref, scope)
			if nobody := len(without) > 0 && len(without) == len(i.triggers); nobody && problem.Code != CodeVarUnknown {
				k.Error(CodeVarUnknown, path, fmt.Sprintf("Nothing that starts this funnel brings %s. Choose another variable.", quote(ref.Path))).
					with("name", ref.Path).with("hole", hole.Source)
				continue
			}
			if !found {
				continue
			}
			if strings.HasPrefix(path, "blocks.") {
				problem.Fix = nil // a fix replaces a whole field, and a block has several
			}
			k.take([]Problem{problem}, path)
		}
	}
}

// given names the variables that steps of the funnel set.
func (i *inspection) given() []string {
	var names []string
	for _, node := range i.bundle.Graph.Nodes {
		if bound := i.nodes[node.ID]; bound != nil && !bound.off {
			names = append(names, bound.step.gives...)
		}
	}
	return names
}

// triggersWithout names the triggers whose event is known to lack a property, while others may have it: then it exists
// on some paths only.
func (i *inspection) triggersWithout(path string) []string {
	property, ofEvent := strings.CutPrefix(path, "event.")
	if !ofEvent {
		return nil
	}
	var without []string
	for _, t := range i.triggers {
		if !i.mayCarry(t.event, property) {
			without = append(without, t.event.Name)
		}
	}
	return without
}

// mayCarry tells whether an event may have a property. What an application sends is only known from what it has sent.
func (i *inspection) mayCarry(event TriggerEvent, property string) bool {
	known := event.Props
	if event.Open {
		if i.bundle.Workspace == nil || len(i.bundle.Workspace.Events[event.Name]) == 0 {
			return true
		}
		known = i.bundle.Workspace.Events[event.Name]
		if form, ok := event.Usual[propForm].(string); ok && event.Name == EventFormSubmitted {
			known = append(slices.Clone(event.Props), i.bundle.Workspace.answers(form)...)
		}
	}
	return hasProp(known, property)
}
