package ai

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/lejek/lejek/engine"
)

var errCopy = errors.New("the texts cannot be used")

// batch is how many messages one copy call writes.
const batch = 4

// written is one message as a model writes it.
type writtenCopy struct {
	ID        string  `json:"id"`
	Subject   *string `json:"subject"`
	Preheader *string `json:"preheader"`
	Body      string  `json:"body"`
	CTALabel  *string `json:"cta_label"`
	CTATarget string  `json:"cta_target"`
}

// write asks the model for the texts of a plan's messages and puts those that can be used into the draft, in place of the
// templates that stand there. It returns the ids of messages that kept their template.
func (a *attempt) write(ctx context.Context, e *endpoint, c *candidate) (templates []string) {
	var sent []Brief
	for _, m := range c.spec.Messages {
		switch creative, ok := c.draft.Bundle.Creatives[slug(m.ID)]; {
		case ok && creative.Channel == "email":
			sent = append(sent, m)
		case ok: // what is short enough for a phone, and a page, keeps the built-in text
			templates = append(templates, m.ID)
		}
	}
	var wg sync.WaitGroup
	var mu sync.Mutex
	texts := map[string]writtenCopy{}
	for part := range slices.Chunk(sent, batch) {
		a.calls++
		wg.Go(func() {
			got := a.copyOf(ctx, e, part, len(sent))
			mu.Lock()
			defer mu.Unlock()
			for _, w := range got {
				texts[w.ID] = w
			}
		})
	}
	wg.Wait()
	w := newWriter(c.draft, c.spec, a.set)
	for _, m := range sent {
		key := slug(m.ID)
		text, ok := texts[m.ID]
		if ok {
			template := c.draft.Bundle.Creatives[key]
			if creative, err := a.accept(text, w); err == nil {
				c.draft.Bundle.Creatives[key] = creative
				if a.sound(c.draft.Bundle, key) {
					continue
				}
				c.draft.Bundle.Creatives[key] = template
			}
		}
		templates = append(templates, m.ID)
	}
	return templates
}

func (a *attempt) copyOf(ctx context.Context, e *endpoint, part []Brief, of int) []writtenCopy {
	type item struct {
		ID      string `json:"id"`
		Channel string `json:"channel"`
		Brief   string `json:"brief"`
		Of      int    `json:"of"`
	}
	items := make([]item, 0, len(part))
	for _, m := range part {
		items = append(items, item{m.ID, "email", m.Brief, of})
	}
	reply, err := e.complete(ctx, call{
		name: "copy", schema: copySchema, maxTokens: 900 * len(part),
		system: strings.NewReplacer("{{lang}}", a.set.Language, "{{greeting}}", libraryIn(a.set.Language).Greeting).Replace(copyPrompt),
		user:   section("messages", items) + section("request", a.req.Prompt),
	})
	if err != nil {
		return nil
	}
	body, err := objectIn([]byte(reply))
	if err != nil {
		return nil
	}
	var got struct {
		Messages []writtenCopy `json:"messages"`
	}
	if unmarshal(body, &got) != nil {
		return nil
	}
	return got.Messages
}

var (
	markup     = regexp.MustCompile(`<[a-zA-Z!/]|\{%|javascript:|data:`)
	addresses  = regexp.MustCompile(`(?i)https?://|www\.|[\w.+-]+@[\w-]+\.\w+`)
	figures    = regexp.MustCompile(`\d+(?:[.,]\d+)?\s*(?:%|procent|percent|процент|zł|zl|pln|usd|eur|€|\$|£|₽|руб)`)
	codes      = regexp.MustCompile(`\b[A-Z]{3,}[A-Z0-9]*\d[A-Z0-9]*\b`)
	emphasis   = strings.NewReplacer("**", "", "__", "", "`", "")
	headings   = regexp.MustCompile(`(?m)^#{1,6}\s+`)
	holes      = regexp.MustCompile(`\{\{\s*([\w.]*)`)
	blankLines = regexp.MustCompile(`\n\s*\n`)
)

// accept turns a model's text into a creative, or refuses it: wrong language, markup, an address, a figure or a code that the
// request does not hold.
func (a *attempt) accept(t writtenCopy, w writer) (engine.Creative, error) {
	subject, preheader := deref(t.Subject), deref(t.Preheader)
	all := subject + "\n" + preheader + "\n" + t.Body + "\n" + deref(t.CTALabel)
	switch {
	case subject == "" || utf8.RuneCountInString(subject) > 150 || strings.ContainsAny(subject, "\r\n"):
		return engine.Creative{}, fmt.Errorf("%w: subject", errCopy)
	case utf8.RuneCountInString(t.Body) < 20 || utf8.RuneCountInString(t.Body) > 4000:
		return engine.Creative{}, fmt.Errorf("%w: length", errCopy)
	case markup.MatchString(all), addresses.MatchString(all), invented(all, a.req.Prompt):
		return engine.Creative{}, fmt.Errorf("%w: facts", errCopy)
	case strings.Count(all, "{{") != strings.Count(all, "}}"), !w.knows(all):
		return engine.Creative{}, fmt.Errorf("%w: variables", errCopy)
	case language(t.Body, w.lang) != w.lang:
		return engine.Creative{}, fmt.Errorf("%w: language", errCopy)
	}
	l := letter{name: tidyText(subject, 60), subject: strings.TrimSpace(subject), preheader: strings.TrimSpace(strings.ReplaceAll(preheader, "\n", " "))}
	body := headings.ReplaceAllString(emphasis.Replace(strings.ReplaceAll(t.Body, "\r\n", "\n")), "")
	for _, p := range blankLines.Split(body, -1) {
		l.body = append(l.body, strings.Join(strings.Fields(p), " "))
	}
	property := map[string]string{"cart": "cart_url", "booking": "booking_url", "payment": "payment_url", "form": "form_url", "site": "url"}[t.CTATarget]
	if label := deref(t.CTALabel); label != "" && property != "" && w.carries(property) {
		l.button, l.url = tidyText(label, 60), "{{ event."+property+" | default(view_url) }}"
	}
	return l.creative(), nil
}

// knows tells whether all variables of a text are among those a model is given.
func (w writer) knows(text string) bool {
	for _, h := range holes.FindAllStringSubmatch(text, -1) {
		if h[1] != "first_name" && h[1] != "workspace.name" {
			return false
		}
	}
	return true
}

// invented tells whether a text names a figure or a code that the request does not.
func invented(text, request string) bool {
	digits := func(s string) string {
		return strings.Map(func(r rune) rune {
			if r >= '0' && r <= '9' {
				return r
			}
			return -1
		}, s)
	}
	for _, f := range figures.FindAllString(strings.ToLower(text), -1) {
		if !strings.Contains(request, digits(f)) {
			return true
		}
	}
	for _, c := range codes.FindAllString(text, -1) {
		if !strings.Contains(request, c) {
			return true
		}
	}
	return false
}

// sound tells whether the validator has no error for the message's creative.
func (a *attempt) sound(b engine.Bundle, creative string) bool {
	b.Workspace = a.set.Workspace
	for _, p := range Errors(engine.Validate(b)) {
		for _, n := range b.Graph.Nodes {
			if n.ID == p.Node && bare(decodeConfig(n.Config).Creative) == creative {
				return false
			}
		}
	}
	return true
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
