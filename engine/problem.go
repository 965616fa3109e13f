package engine

// Severity tells whether a problem stops publishing.
type Severity string

// An Error stops publishing; a Warning has to be confirmed.
const (
	Error   Severity = "error"
	Warning Severity = "warning"
)

// Problem is one thing wrong with a funnel, said to its author. Code is one of SEMANTICS 6. Field is the path inside the
// node's config or creative, such as "for.amount" or "creative.subject". Message says what to do.
type Problem struct {
	Code     string   `json:"code"`
	Severity Severity `json:"severity"`
	Node     string   `json:"node,omitempty"`
	Port     string   `json:"port,omitempty"`
	Field    string   `json:"field,omitempty"`
	Message  string   `json:"message"`
	Params   Params   `json:"params,omitempty"` // what the message names, for translation by code
	Fix      *Fix     `json:"fix,omitempty"`
}

// Params are the values a problem's message names, by key; the interface translates Code with them.
type Params map[string]string

// Fix is a mend the interface can apply in one click: replace Field of Node by Value.
type Fix struct {
	Label string `json:"label"`
	Field string `json:"field"`
	Value any    `json:"value"`
}
