package engine

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// MaxNodes is how many steps a funnel may have.
const MaxNodes = 500

// Validate names everything wrong with a funnel at once, in stable order: first what concerns the whole, then node by
// node in the order of the document. Without Bundle.Workspace, references into a workspace are not judged.
func Validate(bundle Bundle) []Problem {
	i := inspect(bundle, true)
	return i.sorted()
}

// Publishable tells whether no error stands among the problems.
func Publishable(problems []Problem) bool {
	return !slices.ContainsFunc(problems, func(p Problem) bool { return p.Severity == Error })
}

// inspection is one reading of a bundle. The nodes whose config can be read are bound; the rest have problems.
type inspection struct {
	repeated bool // the text at work stands in a repeat block

	bundle   *Bundle
	content  bool // judge messages, variables and references too, not only what a plan needs
	problems []Problem
	index    map[string]int       // of the first node with an id
	nodes    map[string]*planNode // every node of a known kind
	bound    map[string]bool      // its config is sound
	triggers []trigger            // those that could be read
	senders  []string
	started  bool // there is an entry
	given    givers
	problem  Checker // of the whole graph
}

func inspect(bundle Bundle, content bool) *inspection {
	bundle.Workspace = withInternalEvents(bundle.Workspace)
	i := &inspection{
		bundle: &bundle, content: content,
		index: map[string]int{}, nodes: map[string]*planNode{}, bound: map[string]bool{},
	}
	i.problem = Checker{bundle: &bundle, problems: &i.problems, content: content}
	if !i.checkSize() {
		return i
	}
	i.checkNodes()
	i.checkConfigs()
	i.checkEdges()
	i.checkEntry()
	if content {
		i.checkReach()
		i.checkCycles()
		i.checkHoldOuts()
		i.checkRings()
		i.findGivers()
		i.checkContent()
	}
	return i
}

// withInternalEvents is a workspace that knows Lejek's own events too.
func withInternalEvents(workspace *Workspace) *Workspace {
	if workspace == nil {
		return nil
	}
	whole := *workspace
	whole.Events = map[string][]string{}
	maps.Copy(whole.Events, workspace.Events)
	maps.Copy(whole.Events, internalEvents)
	answered := set{}
	answered.add(internalEvents[EventFormSubmitted]...)
	for _, form := range workspace.Forms {
		answered.add(form.Answers...)
	}
	whole.Events[EventFormSubmitted] = answered.sorted()
	return &whole
}

// sorted puts the problems into their stable order.
func (i *inspection) sorted() []Problem {
	place := func(p Problem) int {
		if at, known := i.index[p.Node]; known {
			return at
		}
		return -1
	}
	slices.SortStableFunc(i.problems, func(a, b Problem) int { return cmp.Compare(place(a), place(b)) })
	return i.problems
}

// checkSize refuses what is not worth reading on.
func (i *inspection) checkSize() bool {
	graph := &i.bundle.Graph
	if graph.Schema != SchemaVersion {
		i.problem.Invalid("schema", fmt.Sprintf("This document has the version %d; this Lejek reads version %d.", graph.Schema, SchemaVersion)).
			with("schema", strconv.Itoa(graph.Schema)).fix("Use version 1", "schema", SchemaVersion)
	}
	if len(graph.Nodes) > MaxNodes {
		i.problem.Error(CodeLimitNodes, "nodes", fmt.Sprintf("This funnel has %d steps. Split it: a funnel may have %d.", len(graph.Nodes), MaxNodes)).
			with("count", strconv.Itoa(len(graph.Nodes))).with("max", strconv.Itoa(MaxNodes))
		return false
	}
	return true
}

// checkNodes reads ids and kinds.
func (i *inspection) checkNodes() {
	for at := range i.bundle.Graph.Nodes {
		node := &i.bundle.Graph.Nodes[at]
		k := i.checker(node.ID)
		if _, taken := i.index[node.ID]; taken {
			k.Error(CodeIDTwice, "id", fmt.Sprintf("Two steps have the id %s. Give one of them another.", quote(node.ID))).with("id", node.ID)
			continue
		}
		i.index[node.ID] = at
		if !slugPattern.MatchString(node.ID) {
			k.Invalid("id", fmt.Sprintf("The id %s of step %d must be short: small letters, digits and -, such as mail-1.", quote(node.ID), at+1)).
				with("id", node.ID)
		}
		definition := nodeKinds[node.Kind]
		if definition == nil {
			k.unknownKind("kind", node.Kind, sortedKeys(nodeKinds), "step")
			continue
		}
		if node.Off && definition.NoIn {
			k.Invalid("off", fmt.Sprintf("%s cannot be turned off. Turn it on, or remove it.", quote(definition.Title))).
				fix("Turn it on", "off", false)
		}
		i.nodes[node.ID] = &planNode{
			id: node.ID, kind: node.Kind, name: node.Name, off: node.Off, raw: node.Config,
			ports: definition.PortsOf(node.Config), next: map[string]string{},
		}
	}
	for _, node := range i.bundle.Graph.Nodes {
		if definition := nodeKinds[node.Kind]; definition != nil && definition.Family == FamilyMessage {
			i.senders = append(i.senders, node.ID)
		}
	}
}

// eachNode visits the first node of every id whose kind is known.
func (i *inspection) eachNode(visit func(node *Node, k *Checker)) {
	for at := range i.bundle.Graph.Nodes {
		node := &i.bundle.Graph.Nodes[at]
		if i.nodes[node.ID] != nil && i.index[node.ID] == at {
			visit(node, i.checker(node.ID))
		}
	}
}

// checkConfigs reads the config of every node: the triggers first, for rules elsewhere may look at their events.
func (i *inspection) checkConfigs() {
	i.eachNode(func(node *Node, _ *Checker) {
		if node.Kind == KindEntry {
			i.readTriggers(node.Config)
		}
	})
	i.eachNode(func(node *Node, k *Checker) {
		definition := nodeKinds[node.Kind]
		before := len(i.problems)
		counted := k.checkFields(definition.Kind, node.Config)
		if hasError(i.problems[before:]) && !onlyReferences(i.problems[before:]) {
			return
		}
		raw, err := json.Marshal(counted)
		if err == nil {
			i.nodes[node.ID].step, err = definition.bind(raw)
		}
		if err != nil {
			k.Invalid("", "The settings of this step cannot be read: "+clean(err)+".")
			return
		}
		if check := i.nodes[node.ID].step.check; check != nil {
			check(k)
		}
		i.bound[node.ID] = true
	})
}

func hasError(problems []Problem) bool { return !Publishable(problems) }

// onlyReferences tells problems that do not keep a config from being read.
func onlyReferences(problems []Problem) bool {
	return !slices.ContainsFunc(problems, func(p Problem) bool {
		return p.Severity == Error && p.Code != CodeRefMissing && p.Code != CodeCreativeMissing && p.Code != CodeFieldUnknown
	})
}

// readTriggers binds the triggers that can be bound, whatever is wrong with the others.
func (i *inspection) readTriggers(config json.RawMessage) {
	var elements []triggerConfig
	if json.Unmarshal(membersOf(config)["triggers"], &elements) != nil {
		return
	}
	for _, element := range elements {
		definition := triggerKinds[element.Kind]
		if definition == nil {
			continue
		}
		if bound, err := definition.bind(element.Config); err == nil {
			i.triggers = append(i.triggers, bound)
		}
	}
}

func (i *inspection) checker(node string) *Checker {
	return &Checker{
		node: node, bundle: i.bundle, problems: &i.problems, content: i.content,
		senders: i.senders, triggerEvents: i.triggerEvents(),
	}
}

// triggerEvents names the events that can start the funnel; it is never nil.
func (i *inspection) triggerEvents() []string {
	names := make([]string, 0, len(i.triggers))
	for _, t := range i.triggers {
		names = append(names, t.event.Name)
	}
	return names
}

// nameOf is how a message calls a node: by the name its author gave it, else by its id.
func (i *inspection) nameOf(id string) string {
	if at, known := i.index[id]; known {
		if name := strings.TrimSpace(i.bundle.Graph.Nodes[at].Name); name != "" {
			return quote(name)
		}
	}
	return quote(id)
}
