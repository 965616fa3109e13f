package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/playwright-community/playwright-go"
	"github.com/stretchr/testify/require"
)

// Draw makes a funnel through the API, so that a test begins with what it is about: steps as "id kind name", links as "from port to".
func (w *World) Draw(name string, steps, links []string, more ...object) string {
	w.t.Helper()
	nodes, creatives, edges := []object{}, object{}, []object{}
	for _, s := range steps {
		id, rest, _ := strings.Cut(s, " ")
		kind, title, _ := strings.Cut(rest, " ")
		config := object{}
		switch kind {
		case "entry":
			config["triggers"] = []object{{"kind": "manual"}}
		case "send_email":
			config["creative"], config["class"] = "creative:"+id, "marketing"
			creatives[id] = object{"channel": "email", "subject": "Subject of " + id, "blocks": []object{
				{"id": "h", "type": "heading", "level": 1, "text": "Words of " + id}, {"id": "f", "type": "footer"},
			}}
		case "wait":
			config["mode"], config["for"] = "duration", object{"amount": 1, "unit": "days"}
		case "condition":
			config["rule"] = object{"field": "first_name", "op": "is_set"}
		}
		for _, configs := range more {
			if own, ok := configs[id].(object); ok {
				config = own
			}
		}
		nodes = append(nodes, object{"id": id, "kind": kind, "name": title, "config": config})
	}
	for _, l := range links {
		part := strings.Fields(l)
		edges = append(edges, object{"from": part[0], "port": part[1], "to": part[2]})
	}
	made := struct {
		Funnel   struct{ ID string }
		Revision int
	}{}
	w.asOwner(http.MethodPost, "/funnels", object{"name": name}, &made)
	w.asOwner(http.MethodPut, "/funnels/"+made.Funnel.ID+"/draft", object{
		"revision": made.Revision, "name": name, "creatives": creatives, "layout": object{},
		"graph": object{"schema": 1, "nodes": nodes, "edges": edges},
	}, nil)
	return made.Funnel.ID
}

// Line is a start, a mail, a wait and a mail, one behind the other.
func (w *World) Line(name string, more ...object) string {
	w.t.Helper()
	return w.Draw(name, []string{"start entry", "mail-1 send_email First letter", "wait-1 wait", "mail-2 send_email Second letter"},
		[]string{"start next mail-1", "mail-1 next wait-1", "wait-1 next mail-2"}, more...)
}

// Fork is a start and a question with a mail on the way yes, and a mail with another behind it on the way no.
func (w *World) Fork(name string) string {
	w.t.Helper()
	return w.Draw(name, []string{
		"start entry", "if-1 condition Is it so?", "mail-1 send_email On yes", "mail-2 send_email On no", "mail-3 send_email After no",
	}, []string{"start next if-1", "if-1 yes mail-1", "if-1 no mail-2", "mail-2 next mail-3"})
}

// Whole is the draft as the server keeps it, picture and notes included.
func (w *World) Whole(id string) (text string, kept Kept) {
	w.t.Helper()
	raw := json.RawMessage{}
	w.call(http.MethodGet, "/funnels/"+id, nil, &raw)
	require.NoError(w.t, json.Unmarshal(raw, &kept))
	stable, err := json.Marshal(object{"graph": kept.Graph, "creatives": kept.Creatives, "layout": kept.Layout, "name": kept.Funnel.Name})
	require.NoError(w.t, err)
	return string(stable), kept
}

// Kept is what tests read of a draft.
type Kept struct {
	Funnel struct{ Name string }
	Graph  struct {
		Nodes []struct {
			ID, Kind, Name string
			Off            bool
			Config         object
		}
		Edges []struct{ From, Port, To string }
	}
	Creatives map[string]any
	Layout    struct {
		Direction string
		Free      bool
		Positions map[string][2]float64
		Notes     []struct {
			ID, Text, Step, By  string
			X, Y, Width, Height float64
			Around              []string
		}
	}
}

// To is where a way out leads, "" where it ends.
func (k Kept) To(from, port string) string {
	for _, e := range k.Graph.Edges {
		if e.From == from && e.Port == port {
			return e.To
		}
	}
	return ""
}

// Names are the names of the steps by their ids.
func (k Kept) Names() map[string]string {
	names := map[string]string{}
	for _, n := range k.Graph.Nodes {
		names[n.ID] = n.Name
	}
	return names
}

// Edit opens the editor of a funnel.
func (p *Page) Edit(id string) {
	p.t.Helper()
	p.Goto("/funnels/" + id + "/edit")
	p.See(p.Locator("[data-testid=step-start]"))
	p.See(p.Locator(".react-flow__viewport"))
}

// Kept is the draft once the server has it.
func (p *Page) Kept(id string) Kept {
	p.t.Helper()
	p.Saved()
	_, kept := p.world.Whole(id)
	return kept
}

// Box is where something lies on the screen.
func (p *Page) Box(l playwright.Locator) playwright.Rect {
	p.t.Helper()
	p.See(l)
	box, err := l.BoundingBox()
	p.ok(err, "measure")
	require.NotNil(p.t, box)
	return *box
}

// Middle of something on the screen.
func (p *Page) Middle(l playwright.Locator) (x, y float64) {
	p.t.Helper()
	b := p.Box(l)
	return b.X + b.Width/2, b.Y + b.Height/2
}

// Grab presses the mouse on something and begins to drag it to a point of the screen; Drop lets go.
func (p *Page) Grab(l playwright.Locator, x, y float64) {
	p.t.Helper()
	fx, fy := p.Middle(l)
	p.ok(p.Mouse().Move(fx, fy), "point")
	p.ok(p.Mouse().Down(), "press")
	p.ok(p.Mouse().Move(fx+8, fy+8), "drag")
	p.ok(p.Mouse().Move(x, y, playwright.MouseMoveOptions{Steps: new(4)}), "drag")
}

// Drop lets the mouse go.
func (p *Page) Drop() {
	p.t.Helper()
	p.ok(p.Mouse().Up(), "drop")
}

// Number asks the page for a number.
func (p *Page) Number(script string, args ...any) float64 {
	p.t.Helper()
	value, err := p.Evaluate(script, args...)
	p.ok(err, "ask the page")
	switch n := value.(type) {
	case int:
		return float64(n)
	case float64:
		return n
	}
	require.Failf(p.t, "no number", "%v", value)
	return 0
}

// String asks the page for a text.
func (p *Page) String(script string, args ...any) string {
	p.t.Helper()
	value, err := p.Evaluate(script, args...)
	p.ok(err, "ask the page")
	return fmt.Sprint(value)
}

// Sight is the part of the ground that is seen, as the browser writes it.
func (p *Page) Sight() string {
	p.t.Helper()
	return p.String(`() => document.querySelector(".react-flow__viewport").style.transform`)
}

// Grounded is where a card stands on the ground, whatever part of it is seen.
func (p *Page) Grounded(step string) (x, y float64) {
	p.t.Helper()
	at := strings.Fields(p.String(`(id) => { const s = document.querySelector('[data-place="' + id + '"]').style; return parseFloat(s.left) + " " + parseFloat(s.top) }`, step))
	_, err := fmt.Sscan(strings.Join(at, " "), &x, &y)
	p.ok(err, "read where %s stands", step)
	return x, y
}

// UndoButton is the one above the canvas; the offer after a removal has one of its own.
func (p *Page) UndoButton() playwright.Locator { return p.Role("button", "Undo").First() }

// Undoable reads what Undo would take back, from the tip of its button.
func (p *Page) Undoable(label string) {
	p.t.Helper()
	p.ok(p.UndoButton().Hover(), "point at Undo")
	p.See(p.Role("tooltip", "Undo: "+label))
	p.ok(p.Mouse().Move(700, 20), "point elsewhere")
}

// Card clicks a step; its inspector opens.
func (p *Page) Card(step string) { p.t.Helper(); p.Click(p.ID("step-" + step)) }

// Marks are what stands at the corner of a card: off, not set up, problems, what a suggestion does.
func (p *Page) Marks(step string) playwright.Locator { return p.ID("marks-" + step) }

// ShiftClick takes a card into the choice, or out of it.
func (p *Page) ShiftClick(l playwright.Locator) {
	p.t.Helper()
	p.ok(l.Click(playwright.LocatorClickOptions{Modifiers: []playwright.KeyboardModifier{*playwright.KeyboardModifierShift}}), "click with shift")
}

// Chosen are the cards that are chosen.
func (p *Page) Chosen() playwright.Locator {
	return p.Locator(`[data-canvas] [data-testid^="step-"][aria-pressed="true"]`)
}

// Do runs a command without its key: through the palette.
func (p *Page) Do(id, title string) {
	p.t.Helper()
	p.Press("Control+k")
	p.Focused(p.ID("palette").GetByRole("combobox"))
	p.Type(title)
	p.Click(p.ID("find-do-" + id))
}
