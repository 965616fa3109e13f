package engine

import "encoding/json"

// Family groups node kinds on the palette and gives them their colour.
type Family string

// The families, in the order of the palette.
const (
	FamilyTrigger Family = "trigger"
	FamilyMessage Family = "message"
	FamilyWait    Family = "wait"
	FamilyLogic   Family = "logic"
	FamilyAction  Family = "action"
	FamilyGoal    Family = "goal"
)

// Kind is the public description of a node kind or trigger kind: one entry of the catalogue.
type Kind struct {
	Kind     string     `json:"kind"`
	Family   Family     `json:"family"`
	Order    int        `json:"order"` // within the family
	Title    string     `json:"title"` // what it does to people: "Send an e-mail"
	Purpose  string     `json:"purpose"`
	Synonyms []string   `json:"synonyms,omitempty"` // in EN, PL and RU, for the picker
	Fields   []Field    `json:"fields"`
	Ports    []PortSpec `json:"ports"`
	NoIn     bool       `json:"no_in,omitempty"` // entry and goal: nothing leads into it
	Single   bool       `json:"single,omitempty"`
	Vars     []VarSpec  `json:"vars,omitempty"` // variables a visit may set, as vars.*
}

// VarSpec is one variable that a step sets, or with Each one per element of a config list, named by its member name.
type VarSpec struct {
	Name string `json:"name,omitempty"`
	Each string `json:"each,omitempty"`
}

// varsOf resolves the variables of a kind under a config.
func (k Kind) varsOf(config json.RawMessage) []string {
	var names []string
	for _, spec := range k.Vars {
		if spec.Each == "" {
			names = append(names, spec.Name)
			continue
		}
		var elements []struct {
			Name string `json:"name"`
		}
		_ = json.Unmarshal(membersOf(config)[spec.Each], &elements) // what is no list sets nothing
		for _, element := range elements {
			if element.Name != "" {
				names = append(names, element.Name)
			}
		}
	}
	return names
}
