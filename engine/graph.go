package engine

import "encoding/json"

// SchemaVersion is the only document version this engine reads.
const SchemaVersion = 1

// Graph is a funnel as a document: steps and the links between their ports. It holds no positions, texts of messages
// or database ids; references in configs are slugs such as "tag:vip".
type Graph struct {
	Schema int    `json:"schema"`
	Nodes  []Node `json:"nodes"`
	Edges  []Edge `json:"edges"`
}

// Node is one step. ID is a short stable slug such as "mail-1". Config is the kind's own object, decoded by its Spec.
// A node that is Off is left by its first port.
type Node struct {
	ID     string          `json:"id"`
	Kind   string          `json:"kind"`
	Name   string          `json:"name"`
	Config json.RawMessage `json:"config"`
	Off    bool            `json:"off,omitempty"`
}

// Edge links a port of one node to the next node. A port holds at most one edge; a port without one ends the run.
type Edge struct {
	From string `json:"from"`
	Port string `json:"port"`
	To   string `json:"to"`
}
