package e2e

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/playwright-community/playwright-go"
	"github.com/stretchr/testify/require"
)

// commandCase is one command of the editor: how it is used by its key, what it is called in the palette, and what it does.
type commandCase struct {
	id, title, key string
	// before brings the editor where the command can be used; works is seen after it was.
	before func(p *Page)
	works  func(p *Page)
}

func card(step string) func(p *Page) {
	return func(p *Page) {
		p.Card(step)
		p.ok(p.ID("step-"+step).Focus(), "be on the card")
	}
}

func seen(selector string) func(p *Page) {
	return func(p *Page) { p.See(p.Locator(selector).First()) }
}

func pressed(step string) string { return `[data-testid="step-` + step + `"][aria-pressed="true"]` }

// commandCases lists every command of the registry; the test below fails when one of them is missing here.
func commandCases() []commandCase {
	nothing := func(*Page) {}
	off := func(p *Page) { card("mail-1")(p); p.Press("d"); p.Reads(p.Marks("mail-1"), "Turned off") }
	zoom := func(from, to string) func(p *Page) {
		return seen(`[data-zoom="` + to + `"]:not([data-zoom="` + from + `"])`)
	}
	return []commandCase{
		{"undo", "Undo", "Control+z", off, func(p *Page) { p.Gone(p.Marks("mail-1").GetByText("Turned off")) }},
		{"redo", "Redo", "Control+y", func(p *Page) { off(p); p.Click(p.UndoButton()); card("mail-1")(p) }, func(p *Page) { p.See(p.Marks("mail-1").GetByText("Turned off")) }},
		{"add", "Add a step after", "a", card("mail-1"), seen(`[data-testid="insert-mail-1-next"][data-hot="true"]`)},
		{"add-before", "Add a step before", "Shift+A", card("mail-1"), seen(`[data-testid="insert-start-next"][data-hot="true"]`)},
		{"open", "Edit the step", "Enter", card("wait-1"), func(p *Page) {
			p.Focused(p.Inspector().Locator("[data-field] input:not([type=hidden])").First())
		}},
		{"copy", "Copy", "Control+c", card("mail-1"), func(p *Page) {
			require.Contains(p.t, p.String(`() => localStorage.getItem("lejek.clipboard")`), `"lejek":"steps"`)
		}},
		{"cut", "Cut", "Control+x", card("mail-1"), func(p *Page) { p.Gone(p.ID("step-mail-1")) }},
		{"paste", "Paste", "Control+v", func(p *Page) { card("mail-1")(p); p.Press("Control+c") }, seen(`[data-testid="step-mail-3"]`)},
		{"duplicate", "Duplicate", "Control+d", card("mail-1"), seen(`[data-testid="step-mail-3"]`)},
		{"move", "Move", "m", card("mail-1"), seen(`[data-testid="moving-bar"]`)},
		{"off", "Turn off or on", "d", card("mail-1"), func(p *Page) { p.See(p.Marks("mail-1").GetByText("Turned off")) }},
		{"remove", "Remove", "Delete", card("mail-1"), func(p *Page) { p.Gone(p.ID("step-mail-1")) }},
		{"end-path", "End the path at the chosen link", "e", func(p *Page) {
			p.Click(p.ID("insert-mail-2-next"))
			p.Type("first letter")
			p.Press("Enter")
			p.ok(p.ID("goto-mail-2-next").GetByRole("button").First().Click(playwright.LocatorClickOptions{Button: playwright.MouseButtonRight}), "press the chip")
			p.See(p.ID("context-menu"))
			p.Press("Escape")
			p.Gone(p.ID("context-menu"))
		}, func(p *Page) { p.Gone(p.ID("goto-mail-2-next")) }},
		{"down", "One card down", "ArrowDown", card("mail-1"), seen(pressed("wait-1"))},
		{"up", "One card up", "ArrowUp", card("wait-1"), seen(pressed("mail-1"))},
		{"left", "One card to the left", "ArrowLeft", func(p *Page) {
			p.Insert("start", "next", "condition", "if-1")
			p.Insert("if-1", "no", "wait", "wait-2")
			card("wait-2")(p)
		}, seen(pressed("mail-1"))},
		{"right", "One card to the right", "ArrowRight", func(p *Page) {
			p.Insert("start", "next", "condition", "if-1")
			p.Insert("if-1", "no", "wait", "wait-2")
			card("mail-1")(p)
		}, seen(pressed("wait-2"))},
		{"first", "To the start of the funnel", "Home", card("mail-2"), seen(pressed("start"))},
		{"choose-all", "Choose all steps", "Control+a", card("mail-1"), func(p *Page) { p.Count(p.Chosen(), 4) }},
		{"choose-below", "Choose this step and all below", "b", card("wait-1"), func(p *Page) { p.Count(p.Chosen(), 2) }},
		{"find", "Find a step", "Control+f", nothing, seen(`[data-testid="palette"][aria-label="Find a step"]`)},
		{"palette", "", "Control+k", nothing, seen(`[data-testid="palette"][aria-label="Find anything"]`)},
		{"zoom-in", "Zoom in", "+", card("mail-1"), zoom("100", "120")},
		{"zoom-out", "Zoom out", "-", card("mail-1"), zoom("100", "83")},
		{"zoom-100", "Zoom to 100 %", "0", func(p *Page) { card("mail-1")(p); p.Press("-"); seen(`[data-zoom="83"]`)(p) }, zoom("83", "100")},
		{"fit", "Show everything", "1", func(p *Page) { card("mail-1")(p); p.Press("-"); p.Press("-"); seen(`[data-zoom="69"]`)(p) }, seen(`[data-zoom]:not([data-zoom="69"])`)},
		{"zoom-chosen", "Show what is chosen", "2", func(p *Page) { card("mail-1")(p); p.Press("-"); seen(`[data-zoom="83"]`)(p) }, zoom("83", "100")},
		{"map", "Show or hide the map", "Shift+M", card("mail-1"), func(p *Page) { p.Gone(p.Locator(`[aria-label="Map of the funnel"]`)) }},
		{"view", "Canvas or outline", "o", card("mail-1"), seen(`[data-outline]`)},
		{"direction", "Draw downward or to the right", "Shift+D", card("mail-1"), seen(`[data-canvas][data-direction="right"]`)},
		{"free", "Arrange freely, or let the picture arrange itself", "Shift+F", card("mail-1"), seen(`[data-command="tidy"]`)},
		{"tidy", "Tidy up", "Shift+Alt+T", func(p *Page) {
			card("mail-1")(p)
			p.Press("Shift+F")
			x, y := p.Middle(p.ID("step-mail-2"))
			p.Grab(p.ID("step-mail-2"), x+160, y+30)
			p.Drop()
			card("mail-1")(p)
		}, func(p *Page) { p.Undoable("tidy up") }},
		{"template", "Save as template", "t", card("mail-1"), func(p *Page) { p.See(p.GetByText("Saved as a template").First()) }},
		{"note", "Add a note", "n", card("mail-1"), func(p *Page) { p.Focused(p.ID("note-1").Locator("textarea")) }},
		{"wrap", "Wrap in a note", "Shift+N", card("mail-1"), seen(`[data-testid="note-1"][data-frame="true"]`)},
		{"prompt", "Describe a funnel", "/", card("mail-1"), func(p *Page) { p.Focused(p.Role("textbox", "Describe a funnel or a change")) }},
		{"simulate", "Simulate, or end the simulation", "s", card("mail-1"), func(p *Page) { p.See(p.Role("button", "End simulation").First()) }},
		{"publish", "Publish", "Control+Shift+P", card("mail-1"), seen(`[data-testid="publish-dialog"]`)},
		{"versions", "Versions, and the way back", "v", published, func(p *Page) { p.See(p.Locator("[role=dialog]").GetByText("Version 1").First()) }},
		{"why", "Why is somebody in it, or not?", "y", published, func(p *Page) { p.See(p.Locator("[role=dialog]").GetByText("Why").First()) }},
		{"test-event", "Send a test event", "Shift+E", published, func(p *Page) { p.See(p.Locator("[role=dialog]").GetByText("Whose it is, by e-mail").First()) }},
		{"shortcuts", "Keyboard shortcuts", "?", card("mail-1"), seen(`[data-testid="shortcuts"]`)},
	}
}

// onEvent lets a funnel start on an event, so that one can be sent.
var onEvent = object{"start": object{"triggers": []object{{"kind": "api_event", "name": "asked"}}}}

func published(p *Page) {
	p.Publish("1")
	card("mail-1")(p)
}

// TestP16_EveryCommand uses each command by its key, and finds each one in the sheet and, by its name, in the palette. `make mutate-canvas` takes each command
// out of the registry in turn and expects the part of its name to fail.
func TestP16_EveryCommand(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.Open(Screen{Untraced: true})
	cases := commandCases()
	if mutant := os.Getenv("LEJEK_MUTANT"); mutant != "" {
		p.ok(p.AddInitScript(playwright.Script{Content: new(`localStorage.setItem("lejek.mutant", "` + mutant + `")`)}), "leave a command out")
		p.SetDefaultTimeout(4000)
		p.expect = playwright.NewPlaywrightAssertions(4000)
	}
	for _, c := range cases {
		t.Run(c.id, func(t *testing.T) {
			p := p.as(t)
			p.Edit(w.Line(c.id, onEvent))
			c.before(p)
			p.Press(c.key)
			c.works(p)
		})
	}
	t.Run("sheet", func(t *testing.T) {
		p := p.as(t)
		p.Edit(w.Line("Sheet"))
		p.Card("mail-1")
		p.Press("?")
		listed := strings.Fields(p.String(`() => [...document.querySelectorAll("[data-testid=shortcuts] [data-command]")].map((e) => e.dataset.command).join(" ")`))
		known := []string{}
		for _, c := range cases {
			known = append(known, c.id)
		}
		slices.Sort(listed)
		slices.Sort(known)
		require.Equal(t, known, listed, "the sheet is made of the registry, and each command has its test here")
	})
	t.Run("without-keys", func(t *testing.T) {
		p := p.as(t)
		p.Edit(w.Line("Palette"))
		p.Card("mail-1")
		p.Click(p.Role("button", "Find a step"))
		p.Press("Escape")
		p.Press("Control+k")
		search := p.ID("palette").GetByRole("combobox")
		for _, c := range cases {
			if c.title == "" {
				continue // the palette itself, which the menu of the funnel opens
			}
			p.ok(search.Fill(c.title), "type %s", c.title)
			p.Reads(p.ID("find-do-"+c.id), c.title)
		}
		p.ok(search.Fill("Turn off"), "type")
		p.Press("Enter")
		p.Reads(p.Marks("mail-1"), "Turned off")
		p.Click(p.Role("button", "More"))
		p.Click(p.Role("menuitem", "Find anything: steps, funnels, people, commands"))
		p.See(p.ID("palette"))
	})
}

// as is the same page for a part of the test: what fails there ends that part alone.
func (p *Page) as(t *testing.T) *Page {
	t.Helper()
	return &Page{Page: p.Page, t: t, world: p.world, context: p.context, expect: p.expect}
}
