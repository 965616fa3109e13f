package e2e

import (
	"fmt"
	"net/http"
	"regexp"
	"testing"
	"time"

	"github.com/playwright-community/playwright-go"
	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/backend/delivery/smtptest"
)

// A campaign goes to a real mail server: it is written, sent, watched, paused, resumed, and its report is read.
func TestACampaignIsSentWatchedPausedAndResumed(t *testing.T) {
	t.Parallel()
	sink := smtptest.New(t)
	w := newWorld(t)
	const people = 12
	w.live(sink)
	w.asOwner(http.MethodPost, "/lists", map[string]any{"slug": "news", "name": "News"}, nil)
	for i := range people {
		w.asOwner(http.MethodPost, "/contacts", map[string]any{
			"email": fmt.Sprintf("p%02d@shop.example", i), "lists": []string{"news"}, "consents": []map[string]string{{"channel": "email", "state": "granted"}},
		}, nil)
	}
	p := w.Open(Screen{})
	p.Goto("/")
	p.Rail("Campaigns")
	p.Click(p.Role("button", "New campaign").First())
	p.Write(p.GetByLabel("Name of the campaign"), "Winter timetable")
	p.Click(p.Role("combobox", "Everybody in"))
	p.Click(p.GetByRole("option", playwright.PageGetByRoleOptions{Name: regexp.MustCompile("^News")}))
	p.Press("Escape")
	p.Reads(p.ID("reach"), "12")
	p.Click(p.Role("button", "Next: Message"))
	p.Write(p.Locator(`[data-field="creative.subject"]`).GetByRole("textbox"), "Winter classes are here")
	p.Write(p.GetByRole("textbox", playwright.PageGetByRoleOptions{Name: "Text of the message"}), "Three new evening classes.")
	p.Click(p.Role("button", "Next: When"))
	p.ok(p.GetByRole("switch").Press("Space"), "let it leave more slowly")
	p.Write(p.GetByRole("textbox", playwright.PageGetByRoleOptions{Name: "Not more than"}), "30")
	p.Choose(p.Role("combobox", "In each"), "", "minute")
	p.Click(p.Role("button", "Next: Review and send"))
	p.See(p.GetByText("It really leaves: 12 people are sent it."))
	p.Click(p.Role("button", "Send the campaign"))

	p.See(p.GetByText("Being sent").First())
	w.To(w.Now())
	p.Reads(p.ID("figure-sent"), "5")
	p.Click(p.Role("button", "Pause the campaign"))
	p.See(p.GetByText("Paused: nothing leaves. 7 of 12 people still wait."))
	w.Advance(time.Minute)
	require.Len(t, sink.Ledger(), 5, "nothing leaves while it is paused")
	p.Click(p.Role("button", "Resume the campaign"))
	p.See(p.Role("button", "Pause the campaign"))
	w.Advance(time.Minute)
	p.See(p.GetByText("All 12 people were looked after by"))
	p.Reads(p.ID("figure-delivered"), "12")
	p.See(p.GetByText("p07@shop.example"))

	got := map[string]int{}
	for _, letter := range sink.Ledger() {
		got[letter.To]++
		require.NotEmpty(t, letter.Header.Get("List-Unsubscribe"))
	}
	require.Len(t, got, people)
	require.Len(t, sink.Ledger(), people, "each once")
	p.Rail("Campaigns")
	p.Reads(p.ID("campaign-new-campaign"), "12 of 12")
}

// live has the workspace send through a mail server.
func (w *World) live(sink *smtptest.Sink) {
	w.t.Helper()
	w.asOwner(http.MethodPut, "/providers/smtp", map[string]any{"host": sink.Host, "port": sink.Port, "security": "none", "enabled": true, "rate_per_second": 100}, nil)
	w.asOwner(http.MethodPatch, "/workspace", map[string]any{"address": "Street 1, Kraków"}, nil)
	w.asOwner(http.MethodPost, "/workspace/go-live", map[string]any{"warmup": "known"}, nil)
}
