package e2e

import (
	"encoding/json"
	"net/http"
	"net/netip"
	"testing"

	"github.com/playwright-community/playwright-go"
	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/ai/aitest"
)

// plannedByAModel is what the fake model draws for a cart.
const plannedByAModel = `{"status":"graph","lang":"en","plan":"two mails","assumptions":["the shop sends cart_updated"],"questions":[],"reason":null,"trigger":{"kind":"api_event","ref":"cart_updated","when":null,"offset_days":null},"reentry":"restart","reentry_days":null,"reentry_key":null,"blocks":[{"id":"main","steps":[{"wait":"hours","n":1,"at":null,"id":"w1"},{"send":"send_email","message":"m1","id":"s1"},{"wait":"days","n":2,"at":null,"id":"w2"},{"send":"send_email","message":"m2","id":"s2"}],"next":null}],"messages":[{"id":"m1","brief":"your cart is saved","because":"cart"},{"id":"m2","brief":"last reminder","because":"cart"}]}`

// change asks for a change of the funnel that is open.
func (p *Page) change(sentence string) {
	p.t.Helper()
	p.Write(p.Role("textbox", "Describe a funnel or a change"), sentence)
	p.Press("Enter")
}

// in finds a button of an element by how its name begins.
func (p *Page) in(id, button string) playwright.Locator {
	return p.ID(id).GetByRole("button", playwright.LocatorGetByRoleOptions{Name: button})
}

func TestASentenceChangesAFunnelInPartsAndAsksWhereItIsUnclear(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.Open(Screen{})
	id := p.NewFunnel()

	p.Write(p.Role("textbox", "Describe a funnel"), "do some marketing")
	p.Press("Enter")
	p.See(p.ID("prompt-clarify"))
	value, err := p.Role("textbox", "Describe a funnel").InputValue()
	p.ok(err, "read the line")
	require.Equal(t, "do some marketing", value, "the sentence is still there")
	p.Click(p.ID("prompt-clarify").GetByRole("button").Nth(1))
	p.See(p.ID("review"))
	p.Click(p.Role("button", "Reject all"))

	p.Ask("When tag vip is added send an email, wait 2 days, send another email")
	p.Click(p.Role("button", "Accept all"))
	p.Saved()
	before := w.Draft(id)

	p.change("make the wait 3 days and add an SMS at the end")
	p.See(p.ID("group-1"))
	p.ok(p.expect.Locator(p.Role("button", "Publish to sandbox")).ToHaveAttribute("aria-disabled", "true"), "not publish what is not decided")
	p.Click(p.in("group-1", "Reject"))
	p.Gone(p.ID("group-1"))
	p.Click(p.in("group-0", "Accept"))
	p.Gone(p.ID("review"))
	p.Saved()
	after := w.Draft(id)
	require.NotEqual(t, before, after)
	require.NotContains(t, after, "send_sms", "what was refused is not there")
	p.Press("Control+z")
	p.Saved()
	require.Equal(t, before, w.Draft(id), "one undo takes the whole change back")

	p.change("make the wait 2 days")
	p.See(p.ID("prompt-nothing"))
	require.Equal(t, before, w.Draft(id))
}

func TestAModelOfTheWorkspaceDrawsAndItsOutageIsToldHonestly(t *testing.T) {
	t.Parallel()
	model := aitest.Start(func(rw http.ResponseWriter, r *http.Request, asked aitest.Asked) {
		answer := plannedByAModel
		var sent struct {
			Format struct {
				Schema struct {
					Name string `json:"name"`
				} `json:"json_schema"`
			} `json:"response_format"`
		}
		if json.Unmarshal(asked.Body, &sent) == nil && sent.Format.Schema.Name == "probe" {
			answer = `{"answer":{"zq":"zq7"}}`
		}
		aitest.Says(answer)(rw, r, asked)
	})
	w := newWorld(t)
	w.Drafts.Allow = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	p := w.Open(Screen{})
	p.Goto("/settings/ai")
	form := p.ID("endpoint-primary")
	p.Write(form.GetByLabel("Address"), model.URL)
	p.Write(form.GetByLabel("Name of the model"), "house-model")
	p.Click(p.in("endpoint-primary", "Save the model"))
	p.Click(p.in("endpoint-primary", "Test the connection"))
	p.Reads(p.ID("endpoint-test"), "Connected. It keeps to the form of answers. Funnels are drawn while it writes.")

	p.NewFunnel()
	p.Ask("Remind people of a left cart after an hour and after two days")
	p.Reads(p.ID("engine"), "By house-model")
	p.Click(p.Role("button", "Accept all"))
	p.Saved()
	p.Publish("1")

	model.Close()
	p.NewFunnel()
	p.Ask("Remind people of a left cart after an hour and after two days")
	p.Reads(p.ID("engine"), "Built-in planner, without AI")
	p.See(p.ID("review").GetByText("The model house-model did not answer"))
}

func TestTextsByAModelAreReckonedLookedAtAndApprovedBeforeTheyAreSent(t *testing.T) {
	t.Parallel()
	model := aitest.Start(aitest.Says(`{"opening":"A warm hello"}`))
	t.Cleanup(model.Close)
	w := newWorld(t)
	w.Drafts.Allow = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	w.asOwner(http.MethodPut, "/ai/endpoints/primary", object{"base_url": model.URL, "model": "house-model", "price_in": 1, "price_out": 4}, nil)
	w.asOwner(http.MethodPost, "/fields", object{"key": "city", "type": "text", "label": "City"}, nil)
	for i, city := range []string{"Gdynia", "Gdynia", "Sopot"} {
		w.asOwner(http.MethodPost, "/contacts", object{"email": string(rune('a'+i)) + "@example.com", "fields": object{"city": city}}, nil)
	}
	id := w.Draw("Greetings", []string{"start entry", "ai-1 ai_generate", "mail-1 send_email"}, []string{"start next ai-1", "ai-1 next mail-1"}, object{"ai-1": object{
		"variables": []object{{"name": "opening", "instruction": "Greet", "max": 60, "fallback": "Hello"}}, "attributes": []string{"field:city"}, "texts": "approved",
	}})
	p := w.Open(Screen{})
	p.edit(id)
	p.Card("ai-1")
	p.Click(p.Role("button", "Look at the texts"))
	p.See(p.ID("texts-cost").GetByText("2 combinations of what the model may know"))
	p.See(p.ID("texts-cost").GetByText("At most 2 calls of the model"))
	p.See(p.ID("texts-cost").GetByText("$0."))
	p.Click(p.Role("button", "Have 2 missing texts written"))
	p.Count(p.Locator(`[data-testid="text-variant"][data-state="waiting"]`), 2)
	first := p.ID("text-variant").First()
	p.Write(first.GetByRole("textbox"), "Hello by the sea")
	p.Click(first.GetByRole("button", playwright.LocatorGetByRoleOptions{Name: "Approve"}))
	p.Count(p.Locator(`[data-testid="text-variant"][data-state="approved"]`), 1)
	p.Click(p.Role("button", "Approve 1 text"))
	p.Count(p.Locator(`[data-testid="text-variant"][data-state="approved"]`), 2)
	p.Press("Escape")
	p.Click(p.Role("button", "Publish to sandbox"))
	p.See(p.ID("texts-expected").GetByText("All texts are written."))
	require.Len(t, model.Asked(), 2, "one call for each combination")
}

func TestASentenceBecomesTheConditionsOfASegmentWithItsCounts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, who := range []string{"anna@example.com", "jan@example.com"} {
		w.asOwner(http.MethodPost, "/contacts", object{"email": who}, nil)
	}
	p := w.Open(Screen{})
	p.Goto("/segments/new")
	p.Write(p.Role("textbox", "Say who, in a sentence"), "never bought")
	p.Press("Enter")
	p.See(p.Locator(`text="2" >> nth=0`))
	p.Write(p.Role("textbox", "Say who, in a sentence"), "bought in the last 30 days and love elephants")
	p.Press("Enter")
	p.See(p.ID("spoken-rule").GetByText("Not understood: love elephants"))
	p.Write(p.Role("textbox", "Say who, in a sentence"), "bought twice in 90 days but not in the last 30")
	p.Press("Enter")
	p.See(p.ID("spoken-rule").GetByText("Read without AI. Check the conditions below."))
	p.Click(p.Role("button", "Save the segment"))
	p.See(p.Role("heading", "Never bought"))
}

const (
	thanksByAModel = `{"subject":"Thank you, {{ first_name | default(\"friend\") }}","preheader":"A word from us","body":"Hi {{ first_name | default(\"there\") }},\n\nthank you for your order. How do you like it?","cta_label":null,"cta_url":null,"left_out":["send it in the morning"]}`
	whoByAModel    = `{"name":"best people","match":"all","groups":[{"match":"all","conditions":[{"event":"payment_made","not":false,"agg":"count","property":null,"op":"gte","value":"2","within_n":90,"within_unit":"days","because":"bought twice in 90 days"}]}],"assumptions":[],"not_understood":["love elephants"]}`
)

func TestASentenceBecomesTheTextOfAMessageAndASegmentByTheModel(t *testing.T) {
	t.Parallel()
	model := aitest.Start(aitest.Says(thanksByAModel), aitest.Says(thanksByAModel), aitest.Says(whoByAModel))
	t.Cleanup(model.Close)
	w := newWorld(t)
	w.Drafts.Allow = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	id := w.Draw("Thanks", []string{"start entry", "mail-1 send_email"}, []string{"start next mail-1"})
	before := w.Draft(id)
	p := w.Open(Screen{})
	p.edit(id)
	p.Card("mail-1")
	sentence := p.Role("textbox", "What should it say, in a sentence?")

	p.Click(p.Role("button", "Write it for me…"))
	p.See(p.ID("write-for-me").GetByText("No model is connected"))
	p.Write(sentence, "the lift is broken")
	p.Press("Enter")
	p.See(p.ID("write-for-me").GetByText("connect a model under Settings, AI"))

	w.asOwner(http.MethodPut, "/ai/endpoints/primary", object{"base_url": model.URL, "model": "house-model"}, nil)
	p.Write(sentence, "thank them for the order, send it in the morning")
	p.Press("Enter")
	p.See(p.ID("suggested-words").GetByText("Suggested by house-model"))
	p.See(p.ID("write-for-me").GetByText("house-model will write: at most about"))
	p.See(p.ID("suggested-words").GetByText("Not part of the text: send it in the morning"))
	p.Click(p.in("suggested-words", "Do not use it"))
	p.Gone(p.ID("suggested-words"))
	require.Equal(t, before, w.Draft(id), "a suggestion changes nothing")
	p.Click(p.in("write-for-me", "Write it"))
	p.Click(p.in("suggested-words", "Use this text"))
	p.Gone(p.ID("write-for-me"))
	p.Saved()
	require.Contains(t, w.Draft(id), "thank you for your order")
	p.Press("Control+z")
	p.Saved()
	require.Equal(t, before, w.Draft(id), "one undo takes all of it back")

	p.Goto("/segments/new")
	p.Write(p.Role("textbox", "Say who, in a sentence"), "bought twice in 90 days and love elephants")
	p.Press("Enter")
	p.See(p.ID("spoken-rule").GetByText("Read by house-model. Not understood: love elephants"))
	p.Click(p.Role("button", "Save the segment"))
	p.See(p.Role("heading", "Best people"))
}
