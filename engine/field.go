package engine

// FieldType is the closed set of editors a config field can have.
type FieldType string

// The field types and the JSON they hold.
const (
	TypeText       FieldType = "text"       // string
	TypeMerge      FieldType = "merge"      // string, merge text
	TypeNumber     FieldType = "number"     // number
	TypeBool       FieldType = "bool"       // boolean
	TypeSelect     FieldType = "select"     // string out of Options
	TypeMulti      FieldType = "multi"      // []string out of Options
	TypeDuration   FieldType = "duration"   // {"amount":3,"unit":"minutes|hours|days|weeks"}
	TypeOffset     FieldType = "offset"     // {"amount":3,"unit":"days","direction":"before|after"}
	TypeTimeOfDay  FieldType = "time"       // "09:00"
	TypeDateTime   FieldType = "datetime"   // "2026-12-24T09:00", local to the person
	TypeRef        FieldType = "ref"        // "<Of>:<slug>", Of in tag, list, segment, creative, sender, topic, funnel, field, connection
	TypeEvent      FieldType = "event"      // {"name":"order_placed","where":Rule?,"step":"mail-1"?}, step for events about messages
	TypeRule       FieldType = "rule"       // Rule
	TypeTriggers   FieldType = "triggers"   // [{"kind":..., ...trigger config}]
	TypeArms       FieldType = "arms"       // [{"id":"a","label":"A","weight":50}]
	TypeReentry    FieldType = "reentry"    // {"rule":"once|after_exit|restart|each","pause":Duration?,"key":"cart_id"?}
	TypeEventName  FieldType = "event_name" // string
	TypeLines      FieldType = "lines"      // string, merge text of several lines
	TypeCompare    FieldType = "comparison" // {"op":"gte","value":100}, op one of gt, gte, lt, lte, is
	TypePairs      FieldType = "pairs"      // [{"name":..., "<Of>":...}]; Of "value" holds merge text, Of "path" a place in a response
	TypeMessage    FieldType = "message"    // "any", or "<funnel>/<step>": messages of that step
	TypeVariables  FieldType = "variables"  // [{"name":"opening","instruction":"...","max":200,"fallback":"...","links":false}]
	TypeAttributes FieldType = "attributes" // []string, keys of contact fields
)

// Field describes one member of a kind's config. Palette, inspector, validator, AI schema and docs read the same list.
// Labels are English source texts; the interface translates them by "<kind>.<key>".
type Field struct {
	Key      string    `json:"key"`
	Type     FieldType `json:"type"`
	Label    string    `json:"label"`
	Help     string    `json:"help,omitempty"`
	Required bool      `json:"required,omitempty"`
	Of       string    `json:"of,omitempty"`      // for ref and pairs
	Options  []Option  `json:"options,omitempty"` // for select and multi; of a ref to a connection the kinds that fit
	Min      *float64  `json:"min,omitempty"`
	Max      *float64  `json:"max,omitempty"`     // of a number, or of a text's length in characters
	Default  any       `json:"default,omitempty"` // what a new step starts with
	ShowIf   []ShowIf  `json:"show_if,omitempty"` // all must hold; a hidden field is neither required nor checked
}

// Option is one choice of a select.
type Option struct {
	Value string `json:"value"`
	Label string `json:"label"`
}

// ShowIf shows a field only while another one has one of the given values.
type ShowIf struct {
	Key string   `json:"key"`
	In  []string `json:"in"`
}
