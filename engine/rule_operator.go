package engine

// Op names a comparison.
type Op string

// The comparisons of rules. Each negative one is the exact complement of its positive.
const (
	OpIs            Op = "is"
	OpIsNot         Op = "is_not"
	OpContains      Op = "contains"
	OpNotContains   Op = "not_contains"
	OpStartsWith    Op = "starts_with"
	OpEndsWith      Op = "ends_with"
	OpIn            Op = "in"
	OpNotIn         Op = "not_in"
	OpGT            Op = "gt"
	OpGTE           Op = "gte"
	OpLT            Op = "lt"
	OpLTE           Op = "lte"
	OpBetween       Op = "between"
	OpIsSet         Op = "is_set"
	OpIsNotSet      Op = "is_not_set"
	OpIsTrue        Op = "is_true"
	OpIsFalse       Op = "is_false"
	OpBefore        Op = "before"
	OpAfter         Op = "after"
	OpWithinLast    Op = "within_last"
	OpNotWithinLast Op = "not_within_last"
	OpInNext        Op = "in_next"
)

// ValueShape is what an operator compares with.
type ValueShape string

// The shapes of an operator's value.
const (
	ValueNone     ValueShape = "none"
	ValueOne      ValueShape = "one"      // a text, number, truth or day
	ValueList     ValueShape = "list"     // 1 to 1,000 texts or numbers
	ValueRange    ValueShape = "range"    // [low, high], both inclusive
	ValueDuration ValueShape = "duration" // {"amount":90,"unit":"days"}
)

// Operator describes a comparison to the interface: which field types it fits and what its value looks like.
type Operator struct {
	Op    Op         `json:"op"`
	Label string     `json:"label"`
	Types []string   `json:"types"` // of text, number, boolean, date
	Value ValueShape `json:"value"`
}

// Operators lists every comparison in the order the interface offers them.
func Operators() []Operator {
	list := make([]Operator, 0, len(operators))
	for i := range operators {
		row := &operators[i]
		public := Operator{Op: row.op, Label: row.label, Value: row.value}
		for _, form := range operatorOf(row.base()).forms {
			public.Types = append(public.Types, form.types...)
		}
		list = append(list, public)
	}
	return list
}

// operator is one row of the table. Both compilers read it: the expr program of one person and, for audiences, SQL. A
// form says how it compares one kind of value: $x is the value met (nil when missing, never nil where expr is
// evaluated; in SQL a missing one is NULL, and NULL counts as false), $1 and $2 are the bounds that bind computes. A row
// that is the complement of another names it in not.
type operator struct {
	op    Op
	label string
	value ValueShape
	not   Op
	forms []form
}

// form is an operator for one kind of value.
type form struct {
	kind  valueKind
	types []string // field types it serves
	expr  string
	sql   string
	bind  func(value any, b binding) []any
	flips func(x int64, value any) []int64 // instants (µs) at which time alone turns the answer; nil is never
}

// valueKind is the Go type a value is brought to before it is compared.
type valueKind string

const (
	kindText   valueKind = "text"    // folded string
	kindNumber valueKind = "number"  // float64
	kindTruth  valueKind = "boolean" // bool
	kindDate   valueKind = "date"    // int64, microseconds since 1970
	kindAny    valueKind = "any"
)

func texts(expr, sql string, bind func(any, binding) []any) form {
	return form{kind: kindText, types: []string{"text"}, expr: expr, sql: sql, bind: bind}
}

func numbers(expr, sql string, bind func(any, binding) []any) form {
	return form{kind: kindNumber, types: []string{"number"}, expr: expr, sql: sql, bind: bind}
}

// dates compares with a half-open span of microseconds, which is all a comparison of dates can be.
func dates(span func(any, binding) (from, to int64)) form {
	return form{kind: kindDate, types: []string{"date"}, expr: "$1 <= $x && $x < $2", sql: "$x >= $1 AND $x < $2",
		bind: func(v any, b binding) []any { from, to := span(v, b); return []any{from, to} }}
}

func truths(expr, sql string, bind func(any, binding) []any) form {
	return form{kind: kindTruth, types: []string{"boolean"}, expr: expr, sql: sql, bind: bind}
}

// moving marks a form whose answer changes as time passes.
func moving(f form, flips func(int64, any) []int64) []form {
	f.flips = flips
	return []form{f}
}

var operators = []operator{
	{op: OpIs, label: "is", value: ValueOne, forms: []form{
		texts("$x == $1", "$x = $1", bindText), numbers("$x == $1", "$x = $1", bindNumber), truths("$x == $1", "$x = $1", bindTruth), dates(spanOf)}},
	{op: OpIsNot, label: "is not (or unknown)", value: ValueOne, not: OpIs},
	{op: OpContains, label: "contains", value: ValueOne, forms: []form{texts("$x contains $1", "strpos($x, $1) > 0", bindText)}},
	{op: OpNotContains, label: "does not contain (or unknown)", value: ValueOne, not: OpContains},
	{op: OpStartsWith, label: "starts with", value: ValueOne, forms: []form{texts("$x startsWith $1", "starts_with($x, $1)", bindText)}},
	{op: OpEndsWith, label: "ends with", value: ValueOne, forms: []form{texts("$x endsWith $1", "right($x, length($1)) = $1", bindText)}},
	{op: OpIn, label: "is any of", value: ValueList, forms: []form{
		texts("$x in $1", "$x = ANY($1)", bindTextSet), numbers("$x in $1", "$x = ANY($1)", bindNumberSet)}},
	{op: OpNotIn, label: "is none of (or unknown)", value: ValueList, not: OpIn},
	{op: OpGT, label: "is more than", value: ValueOne, forms: []form{numbers("$x > $1", "$x > $1", bindNumber), dates(spanAfter)}},
	{op: OpGTE, label: "is at least", value: ValueOne, forms: []form{numbers("$x >= $1", "$x >= $1", bindNumber), dates(spanFrom)}},
	{op: OpLT, label: "is less than", value: ValueOne, forms: []form{numbers("$x < $1", "$x < $1", bindNumber), dates(spanBefore)}},
	{op: OpLTE, label: "is at most", value: ValueOne, forms: []form{numbers("$x <= $1", "$x <= $1", bindNumber), dates(spanUpTo)}},
	{op: OpBetween, label: "is between", value: ValueRange, forms: []form{
		numbers("$1 <= $x && $x <= $2", "$x BETWEEN $1 AND $2", bindNumberRange), dates(spanBetween)}},
	{op: OpBefore, label: "is before", value: ValueOne, forms: []form{dates(spanBefore)}},
	{op: OpAfter, label: "is after", value: ValueOne, forms: []form{dates(spanAfter)}},
	{op: OpWithinLast, label: "is within the last", value: ValueDuration,
		forms: moving(dates(spanLast), func(x int64, v any) []int64 { return []int64{x, x + micros(v)} })},
	{op: OpNotWithinLast, label: "is not within the last (or unknown)", value: ValueDuration, not: OpWithinLast},
	{op: OpInNext, label: "is in the next", value: ValueDuration,
		forms: moving(dates(spanNext), func(x int64, v any) []int64 { return []int64{x - micros(v), x} })},
	{op: OpIsTrue, label: "is true", value: ValueNone, forms: []form{truths("$x == true", "$x", bindNothing)}},
	{op: OpIsFalse, label: "is false", value: ValueNone, forms: []form{truths("$x == false", "NOT $x", bindNothing)}},
	{op: OpIsSet, label: "is known", value: ValueNone, forms: []form{
		{kind: kindAny, types: []string{"text", "number", "boolean", "date"}, expr: "true", sql: "$x IS NOT NULL", bind: bindNothing}}},
	{op: OpIsNotSet, label: "is unknown", value: ValueNone, not: OpIsSet},
}

var operatorIndex = func() map[Op]*operator {
	index := make(map[Op]*operator, len(operators))
	for i := range operators {
		index[operators[i].op] = &operators[i]
	}
	return index
}()

func operatorOf(op Op) *operator { return operatorIndex[op] }

// base is the positive operator that the row's forms stand in.
func (o *operator) base() Op {
	if o.not != "" {
		return o.not
	}
	return o.op
}

// formFor picks the form by the kind of the value it is given: JSON decides, so a program means the same with and without
// a known field type. A text that is written like a day or instant compares dates where the operator can.
func (o *operator) formFor(value any) (form, bool) {
	forms := operatorIndex[o.base()].forms
	if o.value == ValueNone || o.value == ValueDuration {
		return forms[0], true
	}
	for _, kind := range kindsOf(value) {
		for _, f := range forms {
			if f.kind == kind {
				return f, true
			}
		}
	}
	return form{}, false
}

// kindsOf lists the kinds a JSON value can be compared as, the likeliest first.
func kindsOf(value any) []valueKind {
	switch v := value.(type) {
	case float64:
		return []valueKind{kindNumber}
	case bool:
		return []valueKind{kindTruth}
	case string:
		if _, ok := readDate(v); ok {
			return []valueKind{kindDate, kindText}
		}
		return []valueKind{kindText}
	case []any:
		if len(v) == 0 {
			return nil
		}
		return kindsOf(v[0])
	default:
		return nil
	}
}
