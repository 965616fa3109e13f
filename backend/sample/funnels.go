package sample

import (
	"encoding/json"

	"github.com/lejek/lejek/backend/funnels"
	"github.com/lejek/lejek/engine"
)

type config map[string]any

// sketch draws a graph step by step.
type sketch struct {
	graph     engine.Graph
	creatives map[string]engine.Creative
}

func newSketch() *sketch {
	return &sketch{graph: engine.Graph{Schema: engine.SchemaVersion}, creatives: map[string]engine.Creative{}}
}

func (s *sketch) step(id, kind, name string, c config) *sketch {
	raw, err := json.Marshal(c)
	if err != nil {
		panic(err) // literals of this package
	}
	s.graph.Nodes = append(s.graph.Nodes, engine.Node{ID: id, Kind: kind, Name: name, Config: raw})
	return s
}

func (s *sketch) mail(id, name string, l letter) *sketch {
	s.creatives[id] = l.creative(name)
	return s.step(id, "send_email", name, config{"creative": "creative:" + id, "class": "marketing"})
}

// path links steps by their first ports.
func (s *sketch) path(ids ...string) *sketch {
	for i := 1; i < len(ids); i++ {
		s.link(ids[i-1], "next", ids[i])
	}
	return s
}

func (s *sketch) link(from, port, to string) *sketch {
	s.graph.Edges = append(s.graph.Edges, engine.Edge{From: from, Port: port, To: to})
	return s
}

func (s *sketch) document() funnels.Document {
	return funnels.Document{Graph: s.graph, Creatives: s.creatives}
}

func wait(amount int, unit string) config {
	return config{"mode": "duration", "for": config{"amount": amount, "unit": unit}}
}

// atTen waits some days and then for ten o'clock.
func atTen(days int) config {
	c := wait(days, "days")
	c["at"] = "10:00"
	return c
}

func on(event string) []config { return []config{{"kind": "api_event", "name": event}} }

const (
	hello = `{{ first_name | default("Hello") }}`
	site  = "https://studio-aurora.example"
)

func welcome() funnels.Document {
	return newSketch().
		step("start", "entry", "Joins the newsletter", config{"triggers": []config{{"kind": "list_join", "list": "list:newsletter"}}, "reentry": config{"rule": "once"}}).
		mail("welcome", "Welcome to the studio", letter{
			subject: hello + ", your first class is on us", preheader: "Pick a time that suits you",
			heading: "Good to have you here",
			body: []string{
				"{First name|first_name|Hello}, thank you for writing to us. Aurora is two quiet rooms in Kazimierz, six teachers and a kettle that is always warm.",
				"Your first class is on us. Come ten minutes early, we have mats.",
			},
			button: "Book a class", url: site + "/book",
		}).
		step("wait-1", "wait", "Two days, 10:00", atTen(2)).
		step("opened", "condition", "Opened the welcome?", config{"rule": config{"message": config{"step": "welcome", "did": "opened"}}}).
		step("split-1", "split", "Which reason works better?", config{"arms": []config{{"id": "story", "label": "Story", "weight": 50}, {"id": "times", "label": "Times", "weight": 50}}}).
		mail("story", "How Maja came to yoga", letter{
			subject: "From a desk to a mat", heading: "How Maja came to yoga",
			body:   []string{"Maja taught herself from books, with a bad back and no time. Here is what she tells everyone before their first class: nothing has to look good."},
			button: "See Maja's classes", url: site + "/maja",
		}).
		mail("times", "Times this week", letter{
			subject: "Three quiet hours this week", heading: "There is room for you",
			body:   []string{"Tuesday 7:30, Thursday 18:00 and Sunday 10:00 still have places, {First name|first_name|friend}."},
			button: "Choose a time", url: site + "/times",
		}).
		mail("again", "A second hello", letter{
			subject: "Did our letter get lost?", heading: "Your first class is still waiting",
			body:   []string{"We wrote two days ago. In case it got lost: your first class is on us, whenever you like."},
			button: "Book a class", url: site + "/book",
		}).
		step("join-1", "join", "", config{}).
		step("wait-2", "wait", "Five days, 10:00", atTen(5)).
		mail("last", "One question", letter{
			subject: "One question, " + hello, heading: "What holds you back?",
			body: []string{"Time, nerves, the tram? Reply with one line and a person answers."},
		}).
		step("goal-1", "goal", "Books a class", config{"mode": "event", "event": config{"name": "class_booked"}}).
		step("tag-1", "add_tag", "New student", config{"tag": "tag:new-student"}).
		path("start", "welcome", "wait-1", "opened").
		link("opened", "yes", "split-1").link("opened", "no", "again").
		link("split-1", "story", "story").link("split-1", "times", "times").
		path("story", "join-1").path("times", "join-1").path("again", "join-1").
		path("join-1", "wait-2", "last").
		link("goal-1", "reached", "tag-1").
		document()
}

func abandonedCart() funnels.Document {
	return newSketch().
		step("start", "entry", "A cart is left behind", config{"triggers": on("cart_updated"), "reentry": config{"rule": "restart"}}).
		step("wait-1", "wait", "One hour", wait(1, "hours")).
		mail("reminder", "Your mat is still here", letter{
			subject: hello + ", your mat is still here", preheader: "We keep it for you until Sunday",
			heading: `{{ first_name | default("Hello") }}, you left {{ event.product | default("something") }} in your cart`,
			body: []string{
				"We hold it until Sunday, then it goes back on the shelf.",
				"It comes to {Total|event.total | money(\"PLN\")|a fair price}.",
			},
			button: "Finish my order", url: `{{ event.url | default("https://studio-aurora.example/cart") }}`,
		}).
		step("wait-2", "wait", "Until the link is clicked", config{
			"mode": "until_event", "event": config{"name": "link_clicked", "step": "reminder"}, "timeout": config{"amount": 2, "unit": "days"},
		}).
		mail("help", "Can we help?", letter{
			subject: "A question about the mat?", heading: "Can we help you choose?",
			body: []string{"You had a look at {Product|event.product|a mat}. If the size or the grip is the question, reply: a person reads it."},
		}).
		mail("offer", "Ten percent until Sunday", letter{
			subject: hello + ", 10% off until Sunday", heading: "Ten percent, because you were close",
			body:   []string{"With the code MATA10 the order is ten percent lighter until Sunday."},
			button: "Use MATA10", url: `{{ event.url | default("https://studio-aurora.example/cart") }}`,
		}).
		step("goal-1", "goal", "An order is placed", config{"mode": "event", "event": config{"name": "order_placed"}}).
		path("start", "wait-1", "reminder", "wait-2", "help").
		link("wait-2", "timeout", "offer").
		document()
}

func winBack() funnels.Document {
	return newSketch().
		step("start", "entry", "Comes to a class", config{"triggers": on("class_attended"), "reentry": config{"rule": "restart"}}).
		step("wait-1", "wait", "Sixty days without a class", wait(60, "days")).
		mail("miss", "We kept your place", letter{
			subject: hello + ", we kept your place", heading: "It has been a while",
			body:   []string{"Your last class was two months ago, {First name|first_name|friend}. Nothing to explain: come on Sunday, the first half hour is slow."},
			button: "See Sunday's classes", url: site + "/sunday",
		}).
		step("wait-2", "wait", "A week, 10:00", atTen(7)).
		mail("gift", "Bring a friend", letter{
			subject: "Bring a friend, you both come free", heading: "Two places, on us",
			body:   []string{"Sometimes it is easier with somebody. This week the second place costs nothing."},
			button: "Book two places", url: site + "/two",
		}).
		step("goal-1", "goal", "Books again", config{"mode": "event", "event": config{"name": "class_booked"}}).
		path("start", "wait-1", "miss", "wait-2", "gift").
		document()
}

// reviewRequest is a draft with two mistakes to find: a mail without a subject, and a tag nobody made.
func reviewRequest() funnels.Document {
	return newSketch().
		step("start", "entry", "Buys something", config{"triggers": on("order_placed"), "reentry": config{"rule": "once"}}).
		step("wait-1", "wait", "Twelve days, 10:00", atTen(12)).
		mail("review", "How is it going?", letter{
			heading: "How is your {{ event.product | default(\"mat\") }}?",
			body:    []string{"Two sentences help others to choose, {First name|first_name|friend}."},
			button:  "Write two sentences", url: site + "/review",
		}).
		step("tag-1", "add_tag", "Was asked", config{"tag": "tag:asked-for-review"}).
		path("start", "wait-1", "review", "tag-1").
		document()
}
