package engine

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
)

// proposalMembers are the members of an answer of the assistant that are for people or programs, and no part of the bundle.
var proposalMembers = []string{
	"outcome", "engine", "language", "explanation", "assumptions", "questions", "choices", "topics", "coverage", "reason", "message",
	"problems", "why", "calls", "change", "name",
}

// proposed is the bundle in an answer of the assistant, known by its outcome; any other document is left as it is. Creatives may be a
// list with slugs, as the answer writes them.
func proposed(data []byte) ([]byte, error) {
	text := bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	if len(text) > MaxDocumentBytes || checkDepth(text) != nil {
		return data, nil // the reader says so
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(text, &members) != nil || members["outcome"] == nil {
		return data, nil
	}
	if string(members["outcome"]) != `"graph"` || members["graph"] == nil {
		return nil, &DecodeError{Path: "outcome", Message: "this answer of the assistant draws no funnel; say more in the sentence and generate again"}
	}
	if text, err := plainText(text); err != nil {
		return text, err
	}
	for name := range members {
		if slices.Contains(proposalMembers, name) {
			delete(members, name)
		}
	}
	var listed []map[string]json.RawMessage
	if json.Unmarshal(members["creatives"], &listed) == nil && listed != nil {
		creatives := make(map[string]map[string]json.RawMessage, len(listed))
		for i, creative := range listed {
			var slug string
			if json.Unmarshal(creative["slug"], &slug) != nil || slug == "" {
				return nil, &DecodeError{Path: "creatives." + strconv.Itoa(i), Message: "the slug of this message is missing"}
			}
			delete(creative, "slug")
			creatives[slug] = creative
		}
		raw, err := json.Marshal(creatives)
		if err != nil {
			return nil, &DecodeError{Path: "creatives", Message: err.Error()}
		}
		members["creatives"] = raw
	}
	bundle, err := json.Marshal(members)
	if err != nil {
		return nil, &DecodeError{Message: err.Error()}
	}
	return bundle, nil
}
