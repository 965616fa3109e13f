package funnels

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/engine"
)

// Document is what an author edits.
type Document struct {
	Graph     engine.Graph               `json:"graph"`
	Creatives map[string]engine.Creative `json:"creatives"`
	Layout    json.RawMessage            `json:"layout,omitempty"`
}

// content is the part of a document that has meaning, and so is hashed and frozen.
type content struct {
	Graph     engine.Graph               `json:"graph"`
	Creatives map[string]engine.Creative `json:"creatives"`
}

// Blank is the document a new funnel begins with: an entry that fires on nothing yet.
func Blank() Document {
	return Document{Graph: engine.Graph{Schema: engine.SchemaVersion, Nodes: []engine.Node{{
		ID: "start", Kind: "entry", Name: "Start", Config: json.RawMessage(`{"triggers":[]}`),
	}}, Edges: []engine.Edge{}}}
}

// maxDocument is the size of a draft that is still saved, in bytes.
const maxDocument = 4 << 20

// encode is the document as it is stored, with the hash of its meaning. Equal documents have equal hashes, whatever the
// order of members in their configs.
func (d Document) encode() (draft, layout json.RawMessage, hash string, err error) {
	if d.Graph.Nodes == nil {
		d.Graph.Nodes = []engine.Node{}
	}
	if d.Graph.Edges == nil {
		d.Graph.Edges = []engine.Edge{}
	}
	if d.Creatives == nil {
		d.Creatives = map[string]engine.Creative{}
	}
	raw, err := json.Marshal(content{d.Graph, d.Creatives})
	if err != nil {
		return nil, nil, "", fault.New(fault.Invalid, "The document is not valid JSON inside a step's config. Reload the page and try again.").WithErr(err)
	}
	if draft, err = canonical(raw); err != nil {
		return nil, nil, "", err
	}
	layout = json.RawMessage("{}")
	if len(d.Layout) > 0 && string(d.Layout) != "null" {
		if layout, err = canonical(d.Layout); err != nil {
			return nil, nil, "", err
		}
	}
	if len(draft)+len(layout) > maxDocument {
		return nil, nil, "", fault.New(fault.TooLarge, "The funnel is larger than %d MB. Shorten texts or split it in two.", maxDocument>>20)
	}
	sum := sha256.Sum256(draft)
	return draft, layout, hex.EncodeToString(sum[:]), nil
}

// canonical writes JSON with sorted members, and refuses the one character Postgres cannot hold.
func canonical(raw json.RawMessage) (json.RawMessage, error) {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return nil, fault.New(fault.Invalid, "The document is not valid JSON. Reload the page and try again.").WithErr(err)
	}
	if hasNUL(value) {
		return nil, fault.New(fault.Invalid, "A text in the funnel contains the character U+0000, which cannot be stored. Remove it.")
	}
	sorted, err := json.Marshal(value)
	if err != nil {
		return nil, fmt.Errorf("write a document: %w", err)
	}
	return sorted, nil
}

func hasNUL(value any) bool {
	switch value := value.(type) {
	case string:
		return strings.ContainsRune(value, 0)
	case []any:
		return slices.ContainsFunc(value, hasNUL)
	case map[string]any:
		for key, element := range value {
			if hasNUL(key) || hasNUL(element) {
				return true
			}
		}
	}
	return false
}

func decodeDocument(draft, layout json.RawMessage) (Document, error) {
	var document Document
	if err := json.Unmarshal(draft, &document); err != nil {
		return Document{}, fmt.Errorf("read a stored draft: %w", err)
	}
	document.Layout = layout
	return document, nil
}

func documentOf(funnel store.Funnel) (Document, error) {
	return decodeDocument(funnel.Draft, funnel.Layout)
}

// Bundle is the document as the engine judges it; without a workspace references are not checked.
func (d Document) Bundle(workspace *engine.Workspace) engine.Bundle {
	return engine.Bundle{Graph: d.Graph, Creatives: d.Creatives, Layout: d.Layout, Workspace: workspace}
}
