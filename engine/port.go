package engine

// PortSpec is one way out of a node, or with Each one way per element of a config list (the element's id and label). Ports
// are data, so that Go and the canvas derive the same handles in the same order. The first port is taken by a node
// that is off.
type PortSpec struct {
	ID     string   `json:"id,omitempty"`
	Label  string   `json:"label,omitempty"` // "" for a plain "next"
	Each   string   `json:"each,omitempty"`
	ShowIf []ShowIf `json:"show_if,omitempty"`
}

// Port is a resolved way out of one node.
type Port struct {
	ID    string `json:"id"`
	Label string `json:"label,omitempty"`
}
