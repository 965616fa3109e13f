package e2e

import "testing"

func TestAStepIsAddedByKeyboardAlone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.Open(Screen{})
	p.NewFunnel()
	p.Focus(p.ID("step-start"))
	p.Press("ArrowDown")
	p.Press("a")
	p.Focused(p.ID("picker").GetByRole("combobox"))
	p.Type("wai")
	p.Press("Enter")
	p.See(p.ID("step-wait-1"))
	p.Focused(p.ID("step-wait-1"))
	p.Press("Enter")
	p.Focused(p.Inspector().Locator("[data-field] :focus"))
	p.Press("Escape")
	p.Focused(p.ID("step-wait-1"))
	p.Press("Delete")
	p.Gone(p.ID("step-wait-1"))
	p.Focused(p.ID("step-start"))
	p.Press("Control+z")
	p.See(p.ID("step-wait-1"))
	p.Saved()
}

func TestAStepIsAddedByTouchOnAPhone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.Open(Screen{Width: 390, Height: 844, Touch: true})
	p.Goto("/funnels")
	p.Tap(p.Role("button", "New funnel").First())
	p.Tap(p.Role("button", "Draw a funnel"))
	p.Tap(p.ID("insert-start-next"))
	p.Tap(p.ID("pick-send_email").First())
	p.See(p.ID("step-mail-1"))
	p.Tap(p.Subject())
	p.Type("From the tram")
	p.Tap(p.Inspector().Locator(`[aria-label="Close"]`))
	p.Reads(p.ID("step-mail-1"), "From the tram")
	p.Saved()
}
