package runs

import "github.com/google/uuid"

// What a new version does with people at a step of an older one.
const (
	DoKeep = "keep" // they finish on theirs
	DoMove = "move"
	DoEnd  = "end"
)

// Placement says what becomes of the people at one step of one version.
type Placement struct {
	Version uuid.UUID `json:"version"`
	N       int       `json:"n"` // its number
	Node    string    `json:"node"`
	Do      string    `json:"do"`
	To      string    `json:"to,omitempty"` // a step of the new version
}
