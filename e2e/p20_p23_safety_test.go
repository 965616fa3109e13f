package e2e

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/playwright-community/playwright-go"
	"github.com/stretchr/testify/require"
)

// drawn is a small funnel made over the API by its owner: an event, a letter, two days, a second letter.
func (w *World) drawn(name string) string {
	w.t.Helper()
	mail := func(id string) object {
		return object{"id": id, "kind": "send_email", "name": "", "config": object{"creative": "creative:" + id, "class": "marketing"}}
	}
	text := func(subject string) object {
		return object{"channel": "email", "subject": subject, "blocks": []object{{"id": "a", "type": "heading", "level": 1, "text": "Hello"}, {"id": "f", "type": "footer"}}}
	}
	made := struct{ Funnel struct{ ID string } }{}
	w.asOwner(http.MethodPost, "/funnels", object{"name": name, "graph": object{
		"schema": 1,
		"nodes": []object{
			{"id": "start", "kind": "entry", "name": "", "config": object{"triggers": []object{{"kind": "api_event", "name": "signed_up"}}}},
			mail("mail-1"),
			{"id": "wait-1", "kind": "wait", "name": "", "config": object{"mode": "duration", "for": object{"amount": 2, "unit": "days"}}},
			mail("mail-2"),
		},
		"edges": []object{
			{"from": "start", "port": "next", "to": "mail-1"}, {"from": "mail-1", "port": "next", "to": "wait-1"},
			{"from": "wait-1", "port": "next", "to": "mail-2"},
		},
	}, "creatives": object{"mail-1": text("The first letter"), "mail-2": text("The second letter")}}, &made)
	return made.Funnel.ID
}

// asOwner asks the API as the person who owns the workspace, whatever the token of the customer's application may.
func (w *World) asOwner(method, path string, body, answer any) {
	w.t.Helper()
	token := w.token
	w.token = ""
	defer func() { w.token = token }()
	w.call(method, path, body, answer)
}

// edit opens the editor of a funnel.
func (p *Page) edit(funnel string) {
	p.t.Helper()
	p.Goto("/funnels/" + funnel + "/edit")
	p.See(p.ID("step-start"))
}

// state is the mark that says where the changes are.
func (p *Page) state(name string) playwright.Locator {
	return p.Locator(`[data-testid="save-state"][data-state="` + name + `"]`)
}

// rename gives a step another name in its panel.
func (p *Page) rename(step, name string) {
	p.t.Helper()
	p.Click(p.ID("step-" + step))
	p.Write(p.Role("textbox", "Name of the step"), name)
}

// writes counts what a page writes to the draft.
func (p *Page) writes() *atomic.Int32 {
	var count atomic.Int32
	p.OnRequest(func(r playwright.Request) {
		if r.Method() == http.MethodPut && strings.HasSuffix(r.URL(), "/draft") {
			count.Add(1)
		}
	})
	return &count
}

func TestP20_TheStateOfSavingIsAlwaysReadable(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.drawn("Two letters")
	p := w.Open(Screen{})
	writes := p.writes()
	p.edit(id)
	saved := p.state("saved")
	p.ok(p.expect.Locator(saved).ToContainText(regexp.MustCompile(`^Saved (\d\d:\d\d|\d+ \w+)$`)), "read when it was saved")
	p.Click(p.ID("step-mail-1"))
	p.See(p.Inspector())
	before := w.Draft(id)

	_, err := p.Evaluate(`() => {
		const states = (window.states = []);
		new MutationObserver(() => {
			const state = document.querySelector("[data-testid=save-state]")?.dataset.state;
			if (state !== states.at(-1)?.state) states.push({ state, at: performance.now() });
		}).observe(document.body, { subtree: true, childList: true, attributes: true });
	}`)
	p.ok(err, "watch the state")
	require.Zero(t, writes.Load(), "opening writes nothing")
	p.Write(p.Role("textbox", "Name of the step"), "A")
	p.See(p.state("saving").Or(p.state("pending")))
	p.Saved()
	p.ok(p.expect.Locator(p.state("saved")).ToContainText(regexp.MustCompile(`^Saved \d\d:\d\d$|^Saved \d+ \w+$`)), "read when it was saved")
	took, err := p.Evaluate(`() => window.states.find((s) => s.state === "saving").at - window.states.find((s) => s.state === "pending").at`)
	p.ok(err, "measure the pause")
	require.InDelta(t, 1500, number(took), 400, "saved 1.5 s after the last change")
	require.EqualValues(t, 1, writes.Load())
	require.NotEqual(t, before, w.Draft(id))
}

// number is what a browser answered, as a float.
func number(value any) float64 {
	switch n := value.(type) {
	case int:
		return float64(n)
	case float64:
		return n
	default:
		return -1
	}
}

func TestP21_DraftAndLiveHaveNamesOfTheirOwn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.drawn("Two letters")
	p := w.Open(Screen{})
	p.edit(id)
	p.Reads(p.ID("badge-draft"), "Draft")
	p.Count(p.ID("badge-live"), 0)
	w.Event("signed_up", "early@shop.example", nil)
	p.Publish("1")
	p.ok(p.expect.Locator(p.ID("badge-live")).ToContainText(regexp.MustCompile(`^Live: version 1, \d+ \w+$`)), "name the live version and its day")
	p.Gone(p.ID("badge-draft"))
	p.Click(p.ID("step-mail-1"))
	p.Write(p.Subject(), "Not published yet")
	p.Saved()
	p.See(p.ID("badge-draft"))
	w.Event("signed_up", "anna@shop.example", nil)
	messages := struct {
		Items []struct{ To, Subject string }
	}{}
	w.call(http.MethodGet, "/messages", nil, &messages)
	require.Len(t, messages.Items, 1, "who came before there was a live version got nothing")
	require.Equal(t, "The first letter", messages.Items[0].Subject, "what is live is what people get")
	p.Publish("2")
	p.Gone(p.ID("badge-draft")) // though what was written can still be undone
	p.edit(id)
	p.See(p.ID("badge-live"))
	p.Gone(p.ID("badge-draft"))
	p.Press("Control+Z")
	p.See(p.ID("badge-draft"))
}

func TestP22_TwoPeopleLoseNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.drawn("Two letters")
	w.join("marketer", "Anna Nowak", "anna@studio.example")
	mine, theirs := w.Open(Screen{}), w.as("anna@studio.example")
	for _, p := range []*Page{mine, theirs} {
		p.tolerate("409") // what this is about
		p.tolerate("net::ERR")
		p.edit(id)
	}

	t.Run("EachSeesTheOther", func(*testing.T) {
		theirs.Click(theirs.ID("step-mail-2"))
		theirs.See(theirs.Subject())
		theirs.Click(theirs.ID("step-wait-1"))
		mine.Reads(mine.ID("present"), "Anna Nowak is here too")
		mine.Reads(mine.ID("edited-by-wait-1"), "Anna Nowak has this step open")
		theirs.Reads(theirs.ID("present"), "Olga is here too")
	})
	t.Run("OtherStepsMergeByThemselves", func(*testing.T) {
		theirs.ok(theirs.context.SetOffline(true), "cut their line")
		theirs.rename("mail-2", "Theirs")
		theirs.See(theirs.state("offline"))
		mine.rename("mail-1", "Mine")
		mine.Saved()
		theirs.ok(theirs.context.SetOffline(false), "mend their line")
		theirs.See(theirs.GetByText("are both in the draft now.").Last())
		theirs.Saved()
		theirs.Reads(theirs.ID("step-mail-1"), "Mine")
		mine.Reads(mine.ID("step-mail-2"), "Theirs") // heard without asking: nothing was pending there
		for _, name := range []string{`"name": "Mine"`, `"name": "Theirs"`} {
			require.Contains(t, w.Draft(id), name)
		}
	})
	t.Run("TheSameStepIsChosen", func(*testing.T) {
		theirs.ok(theirs.context.SetOffline(true), "cut their line")
		theirs.rename("mail-1", "Theirs again")
		theirs.See(theirs.state("offline"))
		mine.rename("mail-1", "Mine again")
		mine.Saved()
		theirs.ok(theirs.context.SetOffline(false), "mend their line")
		both := theirs.ID("conflict-mail-1")
		theirs.Reads(theirs.state("conflict"), "Conflict")
		theirs.Reads(both.GetByTestId("take-theirs"), "was called “Mine”")
		theirs.Reads(both.GetByTestId("take-mine"), "was called “Mine”")
		theirs.ok(theirs.expect.Locator(theirs.ID("conflict-save")).ToBeDisabled(), "nothing is chosen yet")
		theirs.Click(theirs.Role("button", "Decide later"))
		theirs.Click(theirs.state("conflict"))
		theirs.Click(both.GetByTestId("take-mine"))
		theirs.Click(theirs.ID("conflict-save"))
		theirs.Saved()
		require.Contains(t, w.Draft(id), "Theirs again")
	})
}

func TestP22_MineCanAlwaysBeKeptAsACopy(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.drawn("Two letters")
	p := w.Open(Screen{})
	p.tolerate("409")
	p.tolerate("net::ERR")
	p.edit(id)
	p.Click(p.ID("step-mail-1"))
	p.See(p.Subject())
	p.ok(p.context.SetOffline(true), "cut the line")
	p.rename("mail-1", "Mine")
	p.See(p.state("offline"))
	w.renamed(id, "Theirs")
	p.ok(p.context.SetOffline(false), "mend the line")
	p.Click(p.ID("conflict-copy"))
	p.ok(p.WaitForURL(regexp.MustCompile("edit$"), playwright.PageWaitForURLOptions{}), "open the copy")
	p.Reads(p.ID("step-mail-1"), "Mine")
	p.ok(p.expect.Locator(p.Role("textbox", "Name of the funnel")).ToHaveValue("Two letters (my copy)"), "name the copy")
	require.Contains(t, w.Draft(id), "Theirs")
	require.NotEqual(t, id, p.FunnelID())
}

// renamed saves another name of the first letter behind the back of whoever edits.
func (w *World) renamed(id, name string) {
	w.t.Helper()
	kept := object{}
	w.asOwner(http.MethodGet, "/funnels/"+id, nil, &kept)
	graph := kept["graph"].(map[string]any)
	for _, node := range graph["nodes"].([]any) {
		if node := node.(map[string]any); node["id"] == "mail-1" {
			node["name"] = name
		}
	}
	w.asOwner(http.MethodPut, "/funnels/"+id+"/draft", object{"revision": kept["revision"], "graph": graph, "creatives": kept["creatives"]}, nil)
}

func TestP23_WithoutTheServerNothingIsLost(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.drawn("Two letters")
	p := w.Open(Screen{})
	p.tolerate("net::ERR")
	p.tolerate("Failed to fetch")
	p.tolerate("503")
	p.edit(id)
	p.Click(p.ID("step-mail-1"))
	p.See(p.Subject()) // what is needed to write was fetched
	p.ok(p.context.SetOffline(true), "cut the line")
	for i, step := range []string{"mail-1", "wait-1", "mail-2"} {
		p.rename(step, fmt.Sprintf("Offline %d", i+1))
	}
	p.Reads(p.state("offline"), "Offline, 3 changes kept here")

	warned := make(chan string, 1)
	p.OnDialog(func(d playwright.Dialog) {
		warned <- d.Type()
		_ = d.Accept()
	})
	// The tab dies; another one opens the funnel with a living line.
	p.ok(p.Page.Close(playwright.PageCloseOptions{RunBeforeUnload: new(true)}), "close the tab")
	require.Equal(t, "beforeunload", <-warned, "closing warns")
	p.ok(p.context.SetOffline(false), "mend the line")
	page, err := p.context.NewPage()
	p.ok(err, "open another tab")
	p.Page = page
	p.edit(id)
	p.Reads(p.ID("step-mail-1"), "Offline 1")
	p.Saved()
	require.Contains(t, w.Draft(id), "Offline 3")

	t.Run("AServerThatFailsIsAskedAgain", func(*testing.T) {
		asked := 0
		p.ok(p.Route("**/draft", func(route playwright.Route) {
			if asked++; asked == 1 {
				_ = route.Fulfill(playwright.RouteFulfillOptions{Status: new(503), Body: "{}"})
				return
			}
			_ = route.Continue()
		}), "let the server fail once")
		p.rename("mail-1", "After the failure")
		p.See(p.state("offline"))
		p.Saved()
		require.Contains(t, w.Draft(id), "After the failure")
	})
}
