package segments

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/lejek/lejek/engine"
)

// Statement is a rule as the FROM and WHERE of a query over contacts c.
type Statement struct {
	From  string // "contacts c LEFT JOIN ..."
	Where string // true for the people of the workspace who match; the erased and merged never do
	Args  []any
}

// Write puts a predicate into SQL. Values reach the database as parameters only; texts are compared folded, as Go folded them.
func Write(workspace uuid.UUID, predicate engine.Predicate) Statement {
	w := &writer{}
	w.workspace = w.arg(workspace, "uuid")
	where := w.predicate(&predicate)
	return Statement{
		From:  "contacts c" + strings.Join(w.joins, ""),
		Where: "c.workspace_id = " + w.workspace + " AND c.erased_at IS NULL AND c.merged_into IS NULL AND " + where,
		Args:  w.args,
	}
}

// writer gathers parameters and joins.
type writer struct {
	workspace string
	args      []any
	joins     []string
	rollups   map[string]string // event name -> alias of its roll-up
}

// arg adds a parameter and gives its place.
func (w *writer) arg(value any, sqlType string) string {
	w.args = append(w.args, value)
	return "$" + strconv.Itoa(len(w.args)) + "::" + sqlType
}

// predicate writes what is asked of a contact.
func (w *writer) predicate(p *engine.Predicate) string { return tree(p, w.leaf) }

// tree writes a tree whose leaves are written by leaf. NULL stands for false everywhere: AND and OR keep that, and the complement makes
// it true.
func tree(p *engine.Predicate, leaf func(*engine.Comparison) string) string {
	group := func(parts []engine.Predicate, between string) string {
		written := make([]string, len(parts))
		for i := range parts {
			written[i] = tree(&parts[i], leaf)
		}
		return "(" + strings.Join(written, between) + ")"
	}
	switch {
	case p.All != nil:
		return group(p.All, " AND ")
	case p.Any != nil:
		return group(p.Any, " OR ")
	case p.Not != nil:
		return "(" + tree(p.Not, leaf) + ") IS NOT TRUE"
	default:
		return leaf(p.Leaf)
	}
}

func (w *writer) leaf(c *engine.Comparison) string {
	rule := c.Rule
	switch {
	case rule.Event != nil:
		return w.event(c)
	case rule.Field != "":
		return w.compare(c, w.field(rule.Field))
	case rule.Tag != "":
		return "c.tags @> ARRAY[" + w.arg(rule.Tag, "text") + "]"
	case rule.List != "":
		return "c.lists @> ARRAY[" + w.arg(rule.List, "text") + "]"
	case rule.Segment != "":
		return "EXISTS (SELECT 1 FROM segment_members sm JOIN segments s ON s.workspace_id = sm.workspace_id AND s.id = sm.segment_id" +
			" WHERE sm.workspace_id = c.workspace_id AND sm.contact_id = c.id AND sm.since IS NOT NULL AND s.state <> 'deleted' AND s.slug = " + w.arg(rule.Segment, "text") + ")"
	case rule.Consent != nil:
		return "coalesce((SELECT cs.state FROM consents cs WHERE cs.workspace_id = c.workspace_id AND cs.contact_id = c.id AND cs.channel = " +
			w.arg(rule.Consent.Channel, "text") + " AND cs.topic = " + w.arg(rule.Consent.Topic, "text") + "), 'unknown') = " + w.arg(rule.Consent.State, "text")
	default:
		return "false" // the message of a step: people outside a funnel have none
	}
}

// operand writes a value met, brought to a kind: NULL when it is missing or of another one, "" when it never is of that kind. What it
// needs of parameters it adds when it is asked: one that nothing uses would have no type.
type operand func(kind engine.ValueKind) string

// A date is an instant or a face.
const (
	kindInstant engine.ValueKind = "instant"
	kindFace    engine.ValueKind = "face"
)

// compare writes a comparison of a value.
func (w *writer) compare(c *engine.Comparison, x operand) string {
	written := "false"
	switch {
	case c.Kind == engine.KindDate:
		written = w.dates(c, x)
	case sayable(c):
		if met := x(c.Kind); met != "" {
			written = w.plain(c, met)
		}
	}
	if c.Negated {
		return "(" + written + ") IS NOT TRUE"
	}
	return "(" + written + ")"
}

var sqlTypes = map[engine.ValueKind]string{engine.KindText: "text", engine.KindNumber: "float8", engine.KindTruth: "boolean"}

// sayable tells that no bound holds NUL: no text in the database does, and no parameter may.
func sayable(c *engine.Comparison) bool {
	for _, bound := range c.Bounds {
		if text, ok := bound.(string); ok && strings.ContainsRune(text, 0) {
			return false
		}
	}
	return true
}

func (w *writer) plain(c *engine.Comparison, x string) string {
	replaced := append(make([]string, 0, 2+2*len(c.Bounds)), "$x", x)
	for i, bound := range c.Bounds {
		sqlType := sqlTypes[c.Kind]
		switch b := bound.(type) {
		case []string:
			sqlType += "[]"
			bound = slices.DeleteFunc(b, func(text string) bool { return strings.ContainsRune(text, 0) })
		case []float64:
			sqlType += "[]"
		}
		replaced = append(replaced, "$"+strconv.Itoa(i+1), w.arg(bound, sqlType))
	}
	return strings.NewReplacer(replaced...).Replace(c.SQL)
}

// dates compares instants with instants and faces with faces.
func (w *writer) dates(c *engine.Comparison, x operand) string {
	var written []string
	if instant := x(kindInstant); instant != "" {
		written = append(written, strings.NewReplacer("$x", instant, "$1", w.arg(c.Span.From, "bigint"), "$2", w.arg(c.Span.To, "bigint")).Replace(c.SQL))
	}
	if face := x(kindFace); face != "" {
		written = append(written, strings.NewReplacer("$x", face, "$1", w.arg(c.Span.FromFace, "text"), "$2", w.arg(c.Span.ToFace, "text")).Replace(c.SQL))
	}
	if written == nil {
		return "false"
	}
	return strings.Join(written, " OR ")
}

// columns are the built-in fields that are texts.
var columns = map[string]string{
	"external_id": "c.external_id", "email": "c.email", "phone": "c.phone", "first_name": "c.first_name", "last_name": "c.last_name",
	"zone": "c.zone", "language": "c.language", "source": "c.source",
}

func (w *writer) field(path string) operand {
	switch {
	case strings.HasPrefix(path, "event.") || strings.HasPrefix(path, "vars."):
		return nothing // there is no run
	case path == "created_at" || path == "updated_at":
		return moment("c." + path)
	}
	column, ok := columns[path]
	if !ok {
		return w.property("c.fields", "c.folded", path)
	}
	return func(kind engine.ValueKind) string {
		switch kind {
		case engine.KindText:
			return "nullif(coalesce(c.folded->'t'->>" + w.arg(path, "text") + ", " + column + "), '')"
		case engine.KindAny:
			return "nullif(" + column + ", '')"
		case kindInstant:
			return instantOf("c.folded", w.arg(path, "text"))
		case kindFace:
			return faceOf("c.folded", w.arg(path, "text"))
		default:
			return ""
		}
	}
}

func nothing(engine.ValueKind) string { return "" }

// moment is a column of instants. Outside this package nothing sees it as a text, but a rule may.
func moment(column string) operand {
	return func(kind engine.ValueKind) string {
		switch kind {
		case engine.KindText:
			return "to_char(" + column + ` AT TIME ZONE 'UTC', 'YYYY-MM-DD"t"HH24:MI:SS"z"')`
		case engine.KindAny:
			return column
		case kindInstant:
			return "(extract(epoch FROM " + column + ") * 1000000)::bigint"
		default:
			return ""
		}
	}
}

// property is a value inside a JSON object: an outer member whose name has dots is found before an inner one.
func (w *writer) property(object, folded, path string) operand {
	return func(kind engine.ValueKind) string {
		switch kind {
		case engine.KindText:
			value := w.member(object, path)
			return "nullif(coalesce(" + folded + "->'t'->>" + w.arg(path, "text") + ", CASE jsonb_typeof(" + value + ") WHEN 'string' THEN " + value +
				"#>>'{}' WHEN 'number' THEN " + value + "::float8::text::numeric::text WHEN 'boolean' THEN " + value + "::text END), '')"
		case engine.KindNumber:
			value := w.member(object, path)
			return "CASE WHEN jsonb_typeof(" + value + ") = 'number' THEN " + value + "::float8 END"
		case engine.KindTruth:
			value := w.member(object, path)
			return "CASE WHEN jsonb_typeof(" + value + ") = 'boolean' THEN " + value + "::boolean END"
		case engine.KindAny:
			return "CASE WHEN " + w.member(object, path) + ` NOT IN ('null', '""', '[]', '{}') THEN 1 END`
		case kindInstant:
			return instantOf(folded, w.arg(path, "text"))
		case kindFace:
			return faceOf(folded, w.arg(path, "text"))
		default:
			return ""
		}
	}
}

// member is the JSON at a path, or NULL.
func (w *writer) member(object, path string) string {
	names := strings.Split(path, ".")
	places := make([]string, len(names))
	at := object
	for i := range names {
		places[i] = at + "->" + w.arg(strings.Join(names[i:], "."), "text")
		if i < len(names)-1 {
			at += "->" + w.arg(names[i], "text")
		}
	}
	if len(places) == 1 {
		return "(" + places[0] + ")"
	}
	return "coalesce(" + strings.Join(places, ", ") + ")"
}

func instantOf(folded, key string) string {
	return "CASE WHEN jsonb_typeof(" + folded + "->'d'->" + key + ") = 'number' THEN (" + folded + "->'d'->" + key + ")::bigint END"
}

func faceOf(folded, key string) string {
	return "CASE WHEN jsonb_typeof(" + folded + "->'d'->" + key + ") = 'string' THEN (" + folded + "->'d'->>" + key + `) COLLATE "C" END`
}

// event writes a comparison of a figure over a person's events.
func (w *writer) event(c *engine.Comparison) string {
	rule := c.Rule.Event
	switch {
	case rule.Within == nil && rule.Where == nil && rule.Property == "":
		return w.compare(c, w.counted(c, w.rollup(rule.Name)))
	case rule.Where == nil && rule.Agg == engine.Count && happened(c):
		return w.happening(c)
	}
	alias := "e" + strconv.Itoa(len(w.joins))
	where := ""
	if rule.Within != nil {
		where = " AND e.at > " + w.arg(c.Opens, "timestamptz") + " AND e.at <= " + w.arg(c.Now, "timestamptz")
	}
	if c.Where != nil {
		where += " AND " + w.events(c.Where)
	}
	figure := "count(*)::float8"
	if rule.Property != "" {
		figure = fmt.Sprintf("%s(%s ORDER BY e.at, e.id)", rule.Agg, w.property("e.props", "e.folded", rule.Property)(engine.KindNumber))
	}
	switch rule.Agg {
	case engine.First:
		figure = "min(e.at)"
	case engine.Last:
		figure = "max(e.at)"
	default:
	}
	w.joins = append(w.joins, fmt.Sprintf(
		" LEFT JOIN (SELECT e.contact_id, %s AS x FROM events e WHERE e.workspace_id = %s AND e.name = %s%s GROUP BY e.contact_id) %s ON %[5]s.contact_id = c.id",
		figure, w.workspace, w.arg(rule.Name, "text"), where, alias))
	x := number(alias + ".x")
	switch rule.Agg {
	case engine.First, engine.Last:
		x = moment(alias + ".x")
	case engine.Count, engine.Sum:
		x = w.zero(c, alias+".x")
	default:
	}
	return w.compare(c, x)
}

// events writes the filter of events: its fields are properties of e.
func (w *writer) events(p *engine.Predicate) string {
	return tree(p, func(c *engine.Comparison) string {
		return w.compare(c, w.property("e.props", "e.folded", c.Rule.Field))
	})
}

// zero is a number that is 0 where there are no events. Where the comparison is false of 0 anyway it stays NULL, so that the planner
// may begin with those who have some.
func (w *writer) zero(c *engine.Comparison, x string) operand {
	if c.Kind == engine.KindNumber && !c.Holds(0.0) && !c.Negated {
		return number(x)
	}
	return number("coalesce(" + x + ", 0)")
}

// number is a column of numbers.
func number(column string) operand {
	return func(kind engine.ValueKind) string {
		if kind == engine.KindNumber || kind == engine.KindAny {
			return column
		}
		return ""
	}
}

// rollup joins the counts of an event, once.
func (w *writer) rollup(name string) string {
	if alias, ok := w.rollups[name]; ok {
		return alias
	}
	alias := "r" + strconv.Itoa(len(w.joins))
	w.joins = append(w.joins, fmt.Sprintf(" LEFT JOIN event_rollups %s ON %[1]s.workspace_id = c.workspace_id AND %[1]s.contact_id = c.id AND %[1]s.name = %[2]s",
		alias, w.arg(name, "text")))
	if w.rollups == nil {
		w.rollups = map[string]string{}
	}
	w.rollups[name] = alias
	return alias
}

func (w *writer) counted(c *engine.Comparison, rollup string) operand {
	switch c.Rule.Event.Agg {
	case engine.First:
		return moment(rollup + ".first_at")
	case engine.Last:
		return moment(rollup + ".last_at")
	default:
		return w.zero(c, rollup+".count::float8")
	}
}

// happened tells a comparison of a count that only asks whether there is an event at all.
func happened(c *engine.Comparison) bool {
	if c.Kind != engine.KindNumber {
		return false
	}
	some := c.Holds(1.0)
	for _, n := range []float64{2, 3, 1e9, 1e15} {
		if c.Holds(n) != some {
			return false
		}
	}
	for _, bound := range c.Bounds {
		if b, ok := bound.(float64); !ok || b > 2 {
			return false
		}
	}
	return true
}

// happening answers such a comparison from the roll-up: if the last event lies in the window there is one, if it lies before there is
// none, and only if it is still to come the events are looked at.
func (w *writer) happening(c *engine.Comparison) string {
	some, none := c.Holds(1.0), c.Holds(0.0)
	if some == none {
		return strconv.FormatBool(some)
	}
	rollup := w.rollup(c.Rule.Event.Name)
	opens, now := w.arg(c.Opens, "timestamptz"), w.arg(c.Now, "timestamptz")
	exists := fmt.Sprintf("(%s.last_at > %s AND (%[1]s.last_at <= %[3]s OR EXISTS (SELECT 1 FROM events e WHERE e.workspace_id = c.workspace_id"+
		" AND e.contact_id = c.id AND e.name = %[4]s AND e.at > %[2]s AND e.at <= %[3]s)))", rollup, opens, now, w.arg(c.Rule.Event.Name, "text"))
	if some {
		return exists
	}
	return exists + " IS NOT TRUE"
}

// Compile readies a rule as of an instant in a zone for Write.
func Compile(rule *engine.Rule, now time.Time, zone *time.Location) (engine.Predicate, error) {
	compiled, err := rule.Compile()
	if err != nil {
		return engine.Predicate{}, err
	}
	return compiled.Predicate(now, zone), nil
}
