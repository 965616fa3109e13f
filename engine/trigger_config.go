package engine

import "encoding/json"

// triggerConfig is one element of an entry's triggers: the kind and, beside it, the members of the kind's own config.
type triggerConfig struct {
	Kind   string
	Config json.RawMessage
}

// UnmarshalJSON keeps the members for the kind to read.
func (t *triggerConfig) UnmarshalJSON(raw []byte) error {
	var head struct {
		Kind string `json:"kind"`
	}
	if err := json.Unmarshal(raw, &head); err != nil {
		return err
	}
	members := membersOf(raw)
	delete(members, "kind")
	config, err := json.Marshal(members)
	t.Kind, t.Config = head.Kind, config
	return err
}

// MarshalJSON writes kind and members side by side.
func (t triggerConfig) MarshalJSON() ([]byte, error) {
	members := membersOf(t.Config)
	if members == nil {
		members = map[string]json.RawMessage{}
	}
	kind, err := json.Marshal(t.Kind)
	if err != nil {
		return nil, err
	}
	members["kind"] = kind
	return json.Marshal(members)
}
