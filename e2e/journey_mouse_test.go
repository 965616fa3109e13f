package e2e

import (
	"testing"
	"time"
)

func TestAFunnelIsDrawnByMouseAndRunsToItsMails(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.Open(Screen{})

	p.NewFunnel()
	p.Write(p.Role("textbox", "Name of the funnel"), "After the first order")
	p.StartsOn("order_placed")
	p.Insert("start", "next", "e-mail", "mail-1")
	p.Mail("Thank you for your order", "It is on its way to you.")
	p.Insert("mail-1", "next", "wait", "wait-1")
	p.Lasts("2", "days")
	p.Insert("wait-1", "next", "condition", "if-1")
	p.Condition("total", "Property “total” of the event", "is at least", "100")
	p.Insert("if-1", "yes", "e-mail", "mail-2")
	p.Mail("How do you like it?", "Tell us, and take ten percent off your next order.")
	p.Saved()
	p.Publish("1")

	w.Event("order_placed", "anna@shop.example", map[string]any{"total": 120})
	w.Event("order_placed", "piotr@shop.example", map[string]any{"total": 20})
	letter := p.Read("anna@shop.example", "Thank you for your order")
	p.See(letter.GetByText("It is on its way to you."))
	p.Count(p.Letters("anna@shop.example"), 1)

	w.Advance(48 * time.Hour)
	letter = p.Read("anna@shop.example", "How do you like it?")
	p.See(letter.GetByText("take ten percent off"))
	p.Count(p.Letters("anna@shop.example"), 2)
	p.Count(p.Letters("piotr@shop.example"), 1)
}
