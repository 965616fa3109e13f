package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestP34_AFunnelOfFiveHundredSteps draws the largest funnel there can be and prints how long the canvas takes for its first picture,
// how smooth it moves, and how soon a new step stands there. It fails when something is missing, never because a machine is slow.
func TestP34_AFunnelOfFiveHundredSteps(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.Large(99)
	p := w.Open(Screen{Untraced: true})
	p.Goto("/funnels")
	p.See(p.Role("link", "Large"))

	numbers := map[string]any{}
	p.measure(numbers, "first_paint_ms", fmt.Sprintf(`() => new Promise((done) => {
		const start = performance.now();
		history.pushState({}, "", "/funnels/%s/edit");
		dispatchEvent(new PopStateEvent("popstate"));
		const look = () => document.querySelectorAll("[data-testid^='step-']").length >= 496
			? requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now() - start)))
			: requestAnimationFrame(look);
		look();
	})`, id))
	p.See(p.ID("step-start"))
	p.Click(p.ID("insert-start-next"))
	p.Focused(p.ID("picker").GetByRole("combobox"))
	p.Type("wait")
	p.measure(numbers, "insert_ms", `() => new Promise((done) => {
		const start = performance.now();
		const before = document.querySelectorAll("[data-testid^='step-']").length;
		document.activeElement.dispatchEvent(new KeyboardEvent("keydown", {key: "Enter", code: "Enter", bubbles: true, cancelable: true}));
		const look = () => document.querySelectorAll("[data-testid^='step-']").length > before
			? requestAnimationFrame(() => done(performance.now() - start)) : requestAnimationFrame(look);
		look();
	})`)
	p.measure(numbers, "select_ms", `() => new Promise((done) => {
		const start = performance.now();
		document.querySelector("[data-testid='step-mail-1a']").click();
		const look = () => document.querySelector("[data-testid='step-mail-1a']").getAttribute("aria-pressed") === "true"
			? requestAnimationFrame(() => done(performance.now() - start)) : requestAnimationFrame(look);
		look();
	})`)
	p.measure(numbers, "pan", `() => new Promise((done) => {
		const ground = document.querySelector(".react-flow__pane");
		const gaps = []; let last = 0; let n = 0;
		const frame = (now) => {
			if (last) gaps.push(now - last);
			last = now;
			ground.dispatchEvent(new WheelEvent("wheel", {deltaY: 40, deltaX: 6, bubbles: true, cancelable: true, clientX: 500, clientY: 400}));
			if (++n < 120) requestAnimationFrame(frame);
			else { gaps.sort((a, b) => a - b); done({p50: gaps[60], p95: gaps[Math.floor(gaps.length * .95)], max: gaps.at(-1)}); }
		};
		requestAnimationFrame(frame);
	})`)
	raw, err := json.Marshal(numbers)
	require.NoError(t, err)
	t.Logf("%s", raw)
}

func (p *Page) measure(into map[string]any, name, script string) {
	p.t.Helper()
	value, err := p.Evaluate(script)
	require.NoError(p.t, err, name)
	into[name] = value
}

// Large makes a funnel of that many blocks of five steps: a condition, a mail on either side, a meeting point and a wait.
func (w *World) Large(blocks int) string {
	w.t.Helper()
	nodes := []object{{"id": "start", "kind": "entry", "name": "", "config": object{"triggers": []object{{"kind": "manual"}}}}}
	edges := []object{}
	from, port := "start", "next"
	creatives := object{}
	link := func(to string) { edges = append(edges, object{"from": from, "port": port, "to": to}) }
	add := func(id, kind string, config object) {
		link(id)
		nodes = append(nodes, object{"id": id, "kind": kind, "name": "", "config": config})
		from, port = id, "next"
	}
	mail := func(id string) {
		add(id, "send_email", object{"creative": "creative:" + id, "class": "marketing"})
		creatives[id] = object{"channel": "email", "subject": "Letter " + id, "blocks": []object{{"id": "a", "type": "heading", "level": 1, "text": "Hello"}, {"id": "f", "type": "footer"}}}
	}
	for i := range blocks {
		rule := object{"field": "first_name", "op": "is_set"}
		add(fmt.Sprintf("if-%d", i), "condition", object{"rule": rule})
		port = "yes"
		mail(fmt.Sprintf("mail-%da", i))
		link(fmt.Sprintf("join-%d", i))
		from, port = fmt.Sprintf("if-%d", i), "no"
		mail(fmt.Sprintf("mail-%db", i))
		add(fmt.Sprintf("join-%d", i), "join", object{})
		add(fmt.Sprintf("wait-%d", i), "wait", object{"mode": "duration", "for": object{"amount": 1, "unit": "days"}})
	}
	session := w.token
	w.token = "" // drawing is a person's work
	defer func() { w.token = session }()
	made := struct {
		ID       string
		Funnel   struct{ ID string }
		Revision int
	}{}
	w.call(http.MethodPost, "/funnels", object{"name": "Large"}, &made)
	if made.ID == "" {
		made.ID = made.Funnel.ID
	}
	w.call(http.MethodPut, "/funnels/"+made.ID+"/draft", object{
		"revision": made.Revision, "name": "Large", "graph": object{"schema": 1, "nodes": nodes, "edges": edges}, "creatives": creatives, "layout": object{},
	}, nil)
	return made.ID
}
