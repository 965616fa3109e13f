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
	Topic    string
	Expires  Duration // after it was due
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
		k.checkQuiet(sending)
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
		default: // people never read the others
		}
	}
}

// checkText judges one merge text: its form, and each use of a variable.
func (i *inspection) checkText(text string, message bool, path string, k *Checker) {
	if !strings.Contains(text, "{{") {
		return
	}
	scope := VarScope{Workspace: i.bundle.Workspace, Events: i.triggerEvents(), Vars: i.given.before(k.node), Links: message, Item: i.repeated, OpenVars: i.callable()}
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
			if bypass := i.given.bypass(k.node, ref.Path); !ref.HasFallback && len(bypass) > 0 && problem.Code != CodeVarUnknown {
				problem, found = merge.onSomePaths(hole, ref, i.wayOf(bypass)), true
			} else if problem.Code == CodeVarNoFallback && i.given.surely(k.node, ref.Path) {
				found = false
			}
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
