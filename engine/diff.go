package engine

import (
	"cmp"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// Codes of a Change.
const (
	ChangeStepAdded      = "step_added"      // After names the step it follows
	ChangeStepRemoved    = "step_removed"    //
	ChangeStepMoved      = "step_moved"      // From and To: the steps it followed and follows
	ChangeStepReplaced   = "step_replaced"   // From and To: kinds
	ChangeStepRenamed    = "step_renamed"    // From and To: names
	ChangeStepOff        = "step_off"        // it is skipped from now on
	ChangeStepOn         = "step_on"         //
	ChangeField          = "field"           // Field of the step's kind; From and To: its values
	ChangeText           = "text"            // Field of the message: subject, preheader, reply_to, blocks.<id>; From and To: what is read
	ChangeTriggerAdded   = "trigger_added"   // To: the trigger
	ChangeTriggerRemoved = "trigger_removed" // From: the trigger
	ChangePathEnds       = "path_ends"       // Field: the port that leads nowhere now
)

// Change is one difference between two versions, to be said in any language: Code chooses the sentence, the rest are its
// parts. From and To are values as they stand in the document; nil is nothing.
type Change struct {
	Code  string
	Node  string
	Kind  string // of the step
	Name  string // as the author called it, "" when nobody did
	Field string
	Label string // of the field, in English; translated by <kind>.<field>
	From  any
	To    any
}

// Diff tells what separates two documents, by the ids of steps: in the order of the later one, what was removed at the end.
// Steps keep their place when others come or go between them. Equal documents have no difference.
func Diff(before, after Bundle) []Change {
	d := &diff{before: before, after: after, old: nodesByID(before.Graph), new: nodesByID(after.Graph), changes: []Change{}}
	for _, node := range after.Graph.Nodes {
		if was, ok := d.old[node.ID]; ok {
			d.compare(was, node)
		} else {
			d.add(node, Change{Code: ChangeStepAdded, To: orNil(d.follows(after.Graph, node.ID, nil))})
		}
	}
	for _, node := range before.Graph.Nodes {
		if _, stays := d.new[node.ID]; !stays {
			d.add(node, Change{Code: ChangeStepRemoved})
		}
	}
	return d.changes
}

type diff struct {
	before, after Bundle
	old, new      map[string]Node
	changes       []Change
}

func nodesByID(graph Graph) map[string]Node {
	nodes := make(map[string]Node, len(graph.Nodes))
	for _, node := range graph.Nodes {
		nodes[node.ID] = node
	}
	return nodes
}

func (d *diff) add(node Node, c Change) {
	c.Node, c.Kind, c.Name = node.ID, node.Kind, node.Name
	d.changes = append(d.changes, c)
}

func (d *diff) compare(was, is Node) {
	if was.Kind != is.Kind {
		d.add(is, Change{Code: ChangeStepReplaced, From: was.Kind, To: is.Kind})
	}
	if was.Name != is.Name {
		d.add(is, Change{Code: ChangeStepRenamed, From: orNil(was.Name), To: orNil(is.Name)})
	}
	if was.Off != is.Off {
		code := ChangeStepOn
		if is.Off {
			code = ChangeStepOff
		}
		d.add(is, Change{Code: code})
	}
	from, to := d.follows(d.before.Graph, is.ID, d.new), d.follows(d.after.Graph, is.ID, d.old)
	if !slices.Equal(from, to) {
		d.add(is, Change{Code: ChangeStepMoved, From: orNil(steps(from)), To: orNil(steps(to))})
	}
	if was.Kind == is.Kind {
		d.compareConfig(was, is)
	}
	d.compareTexts(was, is)
	d.comparePorts(is)
}

// follows are the steps, each with the port, that lead to a node; those the other document lacks are looked through.
func (d *diff) follows(graph Graph, id string, other map[string]Node) []string {
	into := map[string][]Edge{}
	for _, edge := range graph.Edges {
		into[edge.To] = append(into[edge.To], edge)
	}
	found, seen := set{}, map[string]bool{}
	todo := []string{id}
	for len(todo) > 0 {
		at := todo[0]
		todo = todo[1:]
		for _, edge := range into[at] {
			_, known := other[edge.From]
			switch {
			case known || other == nil:
				found.add(edge.From + ":" + edge.Port)
			case !seen[edge.From]:
				seen[edge.From] = true
				todo = append(todo, edge.From)
			}
		}
	}
	return found.sorted()
}

// steps are the ids in what follows answers.
func steps(follows []string) []string {
	ids := set{}
	for _, at := range follows {
		id, _, _ := strings.Cut(at, ":")
		ids.add(id)
	}
	return ids.sorted()
}

// comparePorts tells a path that went on before and ends now, while the step it led to stays.
func (d *diff) comparePorts(node Node) {
	now := map[string]bool{}
	for _, edge := range d.after.Graph.Edges {
		if edge.From == node.ID {
			now[edge.Port] = true
		}
	}
	for _, edge := range d.before.Graph.Edges {
		if _, stays := d.new[edge.To]; edge.From == node.ID && !now[edge.Port] && stays {
			d.add(node, Change{Code: ChangePathEnds, Field: edge.Port})
		}
	}
}

// compareConfig tells the fields of a step that hold another value. Triggers are told one by one.
func (d *diff) compareConfig(was, is Node) {
	from, to := configOf(was), configOf(is)
	definition := nodeKinds[is.Kind]
	known := set{}
	if definition != nil {
		for _, field := range definition.Fields {
			known.add(field.Key)
			switch {
			case reflect.DeepEqual(from[field.Key], to[field.Key]):
			case field.Type == TypeTriggers:
				d.compareTriggers(is, listOf(from[field.Key]), listOf(to[field.Key]))
			default:
				d.add(is, Change{Code: ChangeField, Field: field.Key, Label: field.Label, From: from[field.Key], To: to[field.Key]})
			}
		}
	}
	rest := set{}
	rest.add(slices.Collect(maps.Keys(from))...)
	rest.add(slices.Collect(maps.Keys(to))...)
	for _, key := range rest.sorted() {
		if _, told := known[key]; !told && !reflect.DeepEqual(from[key], to[key]) {
			d.add(is, Change{Code: ChangeField, Field: key, Label: key, From: from[key], To: to[key]})
		}
	}
}

// compareTriggers matches equal triggers whatever their order; the others went or came.
func (d *diff) compareTriggers(node Node, from, to []any) {
	for _, trigger := range from {
		if !slices.ContainsFunc(to, equals(trigger)) {
			d.add(node, Change{Code: ChangeTriggerRemoved, From: trigger})
		}
	}
	for _, trigger := range to {
		if !slices.ContainsFunc(from, equals(trigger)) {
			d.add(node, Change{Code: ChangeTriggerAdded, To: trigger})
		}
	}
}

func equals(a any) func(any) bool { return func(b any) bool { return reflect.DeepEqual(a, b) } }

// compareTexts tells what reads differently in the message a step sends.
func (d *diff) compareTexts(was, is Node) {
	from, to := creativeOf(d.before, was), creativeOf(d.after, is)
	if from == nil || to == nil {
		return // the step or its choice of a message is new, which is told already
	}
	for _, part := range []struct{ field, from, to string }{
		{"subject", from.Subject, to.Subject}, {"preheader", from.Preheader, to.Preheader}, {"reply_to", from.ReplyTo, to.ReplyTo},
	} {
		if part.from != part.to {
			d.add(is, Change{Code: ChangeText, Field: part.field, From: orNil(part.from), To: orNil(part.to)})
		}
	}
	rest := func(c Creative) Creative {
		c.Name, c.Subject, c.Preheader, c.ReplyTo, c.Blocks = "", "", "", "", nil
		return c
	}
	if !reflect.DeepEqual(rest(*from), rest(*to)) {
		d.add(is, Change{Code: ChangeText, Field: "content"})
	}
	d.compareBlocks(is, from.Blocks, to.Blocks)
}

func (d *diff) compareBlocks(node Node, from, to []Block) {
	old, now, order := map[string]Block{}, map[string]Block{}, [2][]string{}
	for _, block := range from {
		old[block.ID] = block
	}
	for _, block := range to {
		now[block.ID] = block
		was, ok := old[block.ID]
		if !ok {
			d.add(node, Change{Code: ChangeText, Field: "blocks." + block.ID, To: reads(block)})
			continue
		}
		order[1] = append(order[1], block.ID)
		if !sameBlock(was, block) {
			d.add(node, Change{Code: ChangeText, Field: "blocks." + block.ID, From: reads(was), To: reads(block)})
		}
	}
	for _, block := range from {
		if _, stays := now[block.ID]; stays {
			order[0] = append(order[0], block.ID)
		} else {
			d.add(node, Change{Code: ChangeText, Field: "blocks." + block.ID, From: reads(block)})
		}
	}
	if !slices.Equal(order[0], order[1]) {
		d.add(node, Change{Code: ChangeText, Field: "order"})
	}
}

func sameBlock(a, b Block) bool {
	one, other := valueOf(a), valueOf(b)
	return reflect.DeepEqual(one, other)
}

// reads is what a person sees of a block: its words, or its kind when it has none.
func reads(block Block) any {
	text := cmp.Or(block.Text, docText(block.Doc), block.Alt, block.URL, block.Type)
	return text
}

// docText joins the words of a rich text.
func docText(raw json.RawMessage) string {
	var node struct {
		Text    string            `json:"text"`
		Content []json.RawMessage `json:"content"`
	}
	if json.Unmarshal(raw, &node) != nil {
		return ""
	}
	text := node.Text
	for _, child := range node.Content {
		if words := docText(child); words != "" && text != "" && node.Text == "" && isBlock(child) {
			text += " " + words
		} else {
			text += words
		}
	}
	return text
}

// isBlock tells a paragraph or list item, which begins a new line, from a run of text.
func isBlock(raw json.RawMessage) bool {
	var node struct {
		Type string `json:"type"`
	}
	return json.Unmarshal(raw, &node) == nil && node.Type != "text"
}

func creativeOf(bundle Bundle, node Node) *Creative {
	slug, _ := configOf(node)["creative"].(string)
	creative, ok := bundle.Creatives[slugOf(slug)]
	if slug == "" || !ok {
		return nil
	}
	return &creative
}

func configOf(node Node) map[string]any {
	config := map[string]any{}
	if json.Unmarshal(node.Config, &config) != nil {
		return map[string]any{}
	}
	return config
}

func valueOf(v any) (value any) {
	raw, err := json.Marshal(v)
	if err != nil || json.Unmarshal(raw, &value) != nil {
		return nil
	}
	return value
}

func listOf(v any) []any {
	list, _ := v.([]any)
	return list
}

// orNil makes nothing of an empty text or list.
func orNil[T string | []string](v T) any {
	if len(v) == 0 {
		return nil
	}
	return v
}
