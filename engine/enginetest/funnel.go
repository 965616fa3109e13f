// Package enginetest builds funnels and walks runs through them for tests, here and in other packages.
package enginetest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/lejek/lejek/engine"
)

// C is a config, or a part of one, as it is written in JSON.
type C = map[string]any

// Funnel builds a bundle step by step: each step is linked from the port that was left open last.
//
//	enginetest.New(enginetest.Event("purchase")).Wait("wait-1", 90, "days").Mail("mail-1").Bundle()
type Funnel struct {
	bundle engine.Bundle
	entry  C
	node   string // the port left open last
	port   string
}

// Event is a trigger on an event of the customer's.
func Event(name string) C { return C{"kind": "api_event", "name": name} }

// Manual is the trigger of somebody pressing a button.
func Manual() C { return C{"kind": "manual"} }

// New begins a funnel with its entry, "start". Without triggers it is started by hand.
func New(triggers ...C) *Funnel {
	if len(triggers) == 0 {
		triggers = []C{Manual()}
	}
	f := &Funnel{entry: C{"triggers": triggers}}
	f.bundle.Graph = engine.Graph{Schema: engine.SchemaVersion, Edges: []engine.Edge{}}
	f.bundle.Creatives = map[string]engine.Creative{}
	return f.Add("start", "entry", nil)
}

// Entry sets a member of the entry's config, such as reentry or filter.
func (f *Funnel) Entry(key string, value any) *Funnel {
	f.entry[key] = value
	return f
}

// Reentry sets the re-entry rule.
func (f *Funnel) Reentry(rule string) *Funnel { return f.Entry("reentry", C{"rule": rule}) }

// Add adds a step without a link to it; its first port is the open one now.
func (f *Funnel) Add(id, kind string, config C) *Funnel {
	raw, err := json.Marshal(config)
	if err != nil {
		panic(err)
	}
	f.bundle.Graph.Nodes = append(f.bundle.Graph.Nodes, engine.Node{ID: id, Kind: kind, Name: id, Config: raw})
	f.node, f.port = id, "next"
	if k, known := engine.NodeKind(kind); known {
		if ports := k.PortsOf(raw); len(ports) > 0 {
			f.port = ports[0].ID
		}
	}
	return f
}

// Then adds a step and links the open port to it.
func (f *Funnel) Then(id, kind string, config C) *Funnel { return f.To(id).Add(id, kind, config) }

// To links the open port to a step, which may come later.
func (f *Funnel) To(id string) *Funnel {
	f.bundle.Graph.Edges = append(f.bundle.Graph.Edges, engine.Edge{From: f.node, Port: f.port, To: id})
	return f
}

// From opens a port of a step that is there.
func (f *Funnel) From(id, port string) *Funnel {
	f.node, f.port = id, port
	return f
}

// Off turns the step added last off.
func (f *Funnel) Off() *Funnel {
	f.bundle.Graph.Nodes[len(f.bundle.Graph.Nodes)-1].Off = true
	return f
}

// Mail sends a marketing e-mail of its own.
func (f *Funnel) Mail(id string) *Funnel {
	f.bundle.Creatives[id] = Letter(id)
	return f.Then(id, "send_email", C{"creative": "creative:" + id})
}

// Wait waits for a number of minutes, hours, days or weeks.
func (f *Funnel) Wait(id string, amount int, unit string) *Funnel {
	return f.Then(id, "wait", C{"mode": "duration", "for": C{"amount": amount, "unit": unit}})
}

// Tag adds a tag.
func (f *Funnel) Tag(id, tag string) *Funnel { return f.Then(id, "add_tag", C{"tag": "tag:" + tag}) }

// Goal adds a goal that an event reaches; its port is the open one now.
func (f *Funnel) Goal(id, event string) *Funnel {
	return f.Add(id, "goal", C{"mode": "event", "event": C{"name": event}})
}

// Bundle is the funnel as a document.
func (f *Funnel) Bundle() engine.Bundle {
	raw, err := json.Marshal(f.entry)
	if err != nil {
		panic(err)
	}
	f.bundle.Graph.Nodes[0].Config = raw
	return f.bundle
}

// Plan is the funnel ready to run.
func (f *Funnel) Plan(t testing.TB) *engine.Plan {
	t.Helper()
	plan, err := engine.Compile(f.Bundle())
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

// Letter is a sound marketing e-mail with a variable in it.
func Letter(subject string) engine.Creative {
	return engine.Creative{Channel: engine.ChannelEmail, Subject: subject, Blocks: []engine.Block{
		{ID: "b1", Type: "heading", Level: 1, Text: `Hello {{ first_name | default("there") }}`},
		{ID: "b2", Type: "footer"},
	}}
}

// Corpus reads the bundles of a directory of the engine's testdata ("funnels", "problems"), by name.
func Corpus(t testing.TB, dir string) map[string]engine.Bundle {
	t.Helper()
	_, here, _, _ := runtime.Caller(0) //nolint:dogsled // only the path is wanted
	paths, err := filepath.Glob(filepath.Join(filepath.Dir(here), "..", "testdata", dir, "*.json"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no bundles in testdata/%s: %v", dir, err)
	}
	bundles := map[string]engine.Bundle{}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		bundle, err := engine.DecodeBundle(data)
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		bundles[strings.TrimSuffix(filepath.Base(path), ".json")] = bundle
	}
	return bundles
}
