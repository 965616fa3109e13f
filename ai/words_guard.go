package ai

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/lejek/lejek/engine"
)

// writtenWords is a message as a model writes it.
type writtenWords struct {
	Subject   *string  `json:"subject"`
	Preheader *string  `json:"preheader"`
	Body      string   `json:"body"`
	CTALabel  *string  `json:"cta_label"`
	CTAURL    *string  `json:"cta_url"`
	LeftOut   []string `json:"left_out"`
}

// The lengths of words by a model, in letters.
const (
	maxSubject   = 150
	maxMailBody  = 4000
	maxShortBody = 480 // three SMS
	maxTitle     = 100
)

// judge makes a message of a model's words, or finds what is wrong with them: for the model, and in a few words for a person.
func (w *wording) judge(t writtenWords) (c engine.Creative, problems []engine.Problem, trouble string) {
	wrong := func(code, field, message, say string) {
		problems = append(problems, engine.Problem{Code: code, Field: field, Message: message})
		if trouble == "" {
			trouble = say
		}
	}
	subject, preheader, label := oneLine(deref(t.Subject)), oneLine(deref(t.Preheader)), oneLine(deref(t.CTALabel))
	url := strings.TrimSpace(deref(t.CTAURL))
	body := headings.ReplaceAllString(emphasis.Replace(strings.ReplaceAll(t.Body, "\r\n", "\n")), "")
	all := strings.Join([]string{subject, preheader, body, label, url}, "\n")

	long := w.want.Channel == "email" || w.want.Channel == "letter"
	titled := w.want.Channel == "email" || w.want.Channel == "push"
	most, titleMost := maxShortBody, maxTitle
	if long {
		most, titleMost = maxMailBody, maxSubject
	}
	if n := utf8.RuneCountInString(body); strings.TrimSpace(body) == "" || n > most || titled && (subject == "" || utf8.RuneCountInString(subject) > titleMost) {
		wrong("LENGTH", "body", "a member that the channel needs is empty, or a text is too long", w.say.line("words_length"))
	}
	if found := markup.FindString(all); found != "" {
		wrong("MARKUP", "body", "plain words only", w.say.line("words_facts", found))
	}
	if found := w.invention(all); found != "" {
		wrong("FACTS", "body", "names "+found+", which the request does not hold; leave it out", w.say.line("words_facts", found))
	}
	if found := w.strange(all); found != "" {
		wrong("VAR_UNKNOWN", "body", "there is no variable "+found+"; use those listed, written {{ name | default(\"...\") }}", w.say.line("words_variables"))
	}
	if language(body, w.tongue) != w.tongue {
		wrong("LANGUAGE", "body", "write in the language with code "+w.tongue, w.say.line("words_language"))
	}
	if len(problems) > 0 {
		return engine.Creative{}, problems, trouble
	}
	l := letter{name: tidyText(subject, 60), subject: subject, preheader: preheader}
	for _, p := range blankLines.Split(strings.TrimSpace(body), -1) {
		l.body = append(l.body, strings.Join(strings.Fields(p), " "))
	}
	if label != "" && url != "" {
		l.button, l.url = tidyText(label, 60), url
	}
	c = w.creative(l, url)
	for _, p := range w.faults(c) {
		wrong(p.Code, p.Field, p.Message, p.Message)
	}
	return c, problems, trouble
}

// creative is a letter of a model as the channel carries it.
func (w *wording) creative(l letter, url string) engine.Creative {
	switch w.want.Channel {
	case engine.ChannelSMS, engine.ChannelWhatsApp:
		return engine.Creative{Channel: w.want.Channel, Text: strings.Join(l.body, "\n"), Blocks: []engine.Block{}}
	case engine.ChannelPush:
		return engine.Creative{Channel: w.want.Channel, Title: l.subject, Text: strings.Join(l.body, " "), URL: url, Blocks: []engine.Block{}}
	}
	return l.on(w.want.Channel)
}

// faults are the validator's errors about the message in the place it is for.
func (w *wording) faults(c engine.Creative) []engine.Problem {
	const step = "message"
	b := engine.Bundle{Workspace: w.req.Workspace, Creatives: map[string]engine.Creative{step: c}, Graph: engine.Graph{Schema: 1, Nodes: []engine.Node{
		{ID: "start", Kind: "entry", Config: quote(fields{"triggers": []any{fields{"kind": "manual"}}})},
		{ID: step, Kind: sendKinds[c.Channel], Config: quote(fields{"creative": "creative:" + step, "class": "marketing"})},
	}, Edges: []engine.Edge{{From: "start", Port: "next", To: step}}}}
	var out []engine.Problem
	for _, p := range Errors(engine.Validate(b)) {
		if p.Node != step || !strings.HasPrefix(p.Field, "creative.") || p.Params["name"] != "" && slices.Contains(w.want.Variables, p.Params["name"]) {
			continue
		}
		out = append(out, p)
	}
	return out
}

// sendKinds are the steps that send what is written for a channel.
var sendKinds = map[string]string{
	engine.ChannelEmail: doSendEmail, engine.ChannelSMS: doSendSMS, engine.ChannelWhatsApp: doSendSMS, engine.ChannelPush: doSendPush, engine.ChannelLetter: doSendLetter,
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

var (
	anyAddress = regexp.MustCompile(`(?i)(?:https?://|www\.)[^\s"'<>]+|[\w.+-]+@[\w-]+(?:\.[\w-]+)+`)
	anyHole    = regexp.MustCompile(`\{\{[^{}]*\}\}`)
	longNumber = regexp.MustCompile(`\d{2,}`)
)

// invention is the first address, figure, code or number of a text that nobody gave; "" when there is none. What stands in a variable's
// place is given by the program, its fallback is not.
func (w *wording) invention(all string) string {
	known := w.known()
	lower := strings.ToLower(known)
	for _, found := range anyAddress.FindAllString(all, -1) {
		if !strings.Contains(lower, strings.ToLower(strings.TrimRight(found, ".,;:!?)"))) {
			return found
		}
	}
	for _, found := range linkPattern.FindAllString(anyAddress.ReplaceAllString(all, " "), -1) {
		if !strings.Contains(lower, strings.ToLower(found)) {
			return found
		}
	}
	for _, found := range figures.FindAllString(strings.ToLower(all), -1) {
		if invented(found, known) {
			return found
		}
	}
	for _, found := range codes.FindAllString(all, -1) {
		if !strings.Contains(known, found) {
			return found
		}
	}
	for _, found := range longNumber.FindAllString(all, -1) {
		if !strings.Contains(known, found) {
			return found
		}
	}
	return ""
}

// strange is the first variable of a text that is not there, or not written as a variable is; "" when all are.
func (w *wording) strange(all string) string {
	if strings.Count(all, "{{") != strings.Count(all, "}}") {
		return "{{"
	}
	for _, hole := range anyHole.FindAllString(all, -1) {
		m := chip.FindStringSubmatch(hole)
		if m == nil || m[0] != hole || !w.mayUse(m[1]) {
			return hole
		}
	}
	return ""
}

func (w *wording) mayUse(name string) bool {
	if name == "workspace.name" || name == "workspace.address" || name == "view_url" || slices.Contains(w.want.Variables, name) {
		return true
	}
	return slices.ContainsFunc(w.req.Workspace.ContactFields(), func(f engine.ContactField) bool { return f.Key == name })
}
