package ai

import (
	"context"
	_ "embed" // prompts are files
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/lejek/lejek/engine"
)

//go:embed prompts/words.txt
var wordsPrompt string

// WordsRequest is a wish for the words of one message. Language is that of the notes; the words are in the sentence's own, unless it names
// another.
type WordsRequest struct {
	Request

	Channel   string          // email, sms, whatsapp, push or letter
	Variables []string        // of the event and of steps before that may stand in it, such as event.total; those of people are the workspace's
	Now       engine.Creative // what the message says now; may be empty
}

// Words are a suggestion for one message. They change nothing by themselves.
type Words struct {
	Engine   string           // the model that wrote it, or "offline"
	Language string           // of the notes
	Creative *engine.Creative // nil: there are none, and Message says why
	Notes    []string         // failures of models first, then what is not part of the text
	Message  string
	Why      string // why no model was asked: no_key, quota, off
}

// WordsTokens is what the words of a message are reckoned to take at most.
func WordsTokens(prompt string) int { return 3500 + 2*EstimateTokens(prompt) }

// Words writes one message by a model, else out of the built-in texts. It always answers.
func (d *Drafter) Words(ctx context.Context, req WordsRequest) Words {
	r := read(req.Prompt, req.Language)
	a := &attempt{d: d, req: req.Request, set: Setting{Kinds: d.kinds, Workspace: req.Workspace, Language: answerLanguage(req.Request, r)}, lost: "words_"}
	a.say = sayIn(a.set.Language)
	if refused, is := screen(req.Request); is {
		if refused.Reason == "empty" {
			refused.Message = a.say.line("words_empty")
		}
		return Words{Engine: Offline, Language: a.set.Language, Message: refused.Message}
	}
	if code := r.refusal(); code == "consent" || code == "harm" || code == "deception" {
		return Words{Engine: Offline, Language: a.set.Language, Message: a.say.line("refuse_" + code)}
	}
	w := &wording{attempt: a, want: req, tongue: tongueOf(req.Prompt, r.lang, a.set.Language)}
	if len(d.endpoints) == 0 {
		return w.builtIn()
	}
	ctx, cancel := context.WithTimeout(ctx, quickTime)
	defer cancel()
	t := inTurn(ctx, d.endpoints, quickPrimary, w.ask)
	if t.no != nil {
		no := a.declined(t.by, t.no)
		return Words{Engine: no.Engine, Language: a.set.Language, Message: no.Message}
	}
	out := t.got
	if t.by == nil {
		out = w.builtIn()
	}
	switch {
	case t.first == nil:
	case out.Creative == nil: // there is no built-in text in its place
		out.Message = a.unwritten(t.first) + " " + out.Message
	default:
		out.Notes = slices.Insert(out.Notes, 0, a.failed(t.first, t.by))
	}
	return out
}

func (a *attempt) unwritten(f *failure) string {
	key := "words_failed"
	if f.why == whyJSON {
		key = "words_unusable"
	}
	return a.say.line(key, a.d.endpoints[0].provider.Model, a.reason(f))
}

// wording is one message on its way.
type wording struct {
	*attempt

	want   WordsRequest
	tongue string // language of the words
}

// tongues are the ways to ask for a language.
var tongues = map[string]*regexp.Regexp{
	"en": regexp.MustCompile(`(?i)\bin english\b|po angielsku|w j[ęe]zyku angielskim|по-английски|на английском`),
	"pl": regexp.MustCompile(`(?i)\bin polish\b|po polsku|w j[ęe]zyku polskim|по-польски|на польском`),
	"ru": regexp.MustCompile(`(?i)\bin russian\b|po rosyjsku|w j[ęe]zyku rosyjskim|по-русски|на русском`),
}

// tongueOf is the language a message is to be written in: one the sentence names, else its own.
func tongueOf(prompt, own, other string) string {
	for _, lang := range languages {
		if tongues[lang].MatchString(prompt) {
			return lang
		}
	}
	if slices.Contains(languages, own) {
		return own
	}
	return other
}

// wordsSchema is the form of a written message.
var wordsSchema = json.RawMessage(object(member{"subject", textNull}, member{"preheader", textNull}, member{"body", text}, member{"cta_label", textNull},
	member{"cta_url", textNull}, member{"left_out", list(text)}))

// forms tell a model what a message of a channel is made of.
var forms = map[string]string{
	"email":    "subject up to 60 letters, preheader up to 90, body two to four short paragraphs separated by blank lines. Open with a greeting by name, close with {{ workspace.name }}.",
	"sms":      "body only, one line, up to 150 letters; subject, preheader, cta_label and cta_url are null. An address the request holds may stand in the body.",
	"whatsapp": "body only, up to 500 letters; subject, preheader, cta_label and cta_url are null. An address the request holds may stand in the body.",
	"push":     "subject is the title, up to 50 letters; body one sentence up to 140 letters; preheader and cta_label are null; cta_url is where a tap leads.",
	"letter":   "a letter on paper: body three to six short paragraphs separated by blank lines, with a greeting and a close; subject, preheader, cta_label and cta_url are null.",
}

// known are the words whose facts may be used.
func (w *wording) known() string { return w.req.Prompt + "\n" + strings.Join(w.present(), "\n") }

// present are the words of the message as it is.
func (w *wording) present() []string {
	texts, _ := w.want.Now.Texts()
	var out []string
	for _, t := range texts {
		if strings.TrimSpace(t.Text) != "" {
			out = append(out, short2(t.Text, 2000))
		}
	}
	return out
}

// variable is one that may be used, as a model is told of it.
type variable struct {
	Name  string `json:"name"`
	Label string `json:"label,omitempty"`
}

// variables are those a model is told of: the fields most like something in the sentence, and all that this place brings.
func (w *wording) variables() []variable {
	out := []variable{{Name: "first_name"}, {Name: "workspace.name"}}
	if ws := w.req.Workspace; ws != nil {
		for _, key := range mostAlike(mapped(ws.Fields, func(f engine.ContactField) string { return f.Key }), saidIn(w.req.Prompt), namesEach) {
			at := slices.IndexFunc(ws.Fields, func(f engine.ContactField) bool { return f.Key == key })
			out = append(out, variable{key, ws.Fields[at].Label})
		}
	}
	for _, name := range w.want.Variables[:min(len(w.want.Variables), 20)] {
		out = append(out, variable{Name: name})
	}
	return out
}

// ask has one endpoint write the message, once more with what is wrong with it.
func (w *wording) ask(ctx context.Context, e *endpoint) (Words, *failure) {
	base := call{
		name: "message", schema: wordsSchema, maxTokens: 900,
		system: strings.NewReplacer("{{channel}}", w.want.Channel, "{{form}}", forms[w.want.Channel], "{{lang}}", w.tongue, "{{notes}}", w.set.Language).Replace(wordsPrompt),
		user:   section("variables", w.variables()) + section("present", w.present()) + section("request", w.req.Prompt),
	}
	question, trouble := base, ""
	for range 2 {
		reply, err := e.complete(ctx, question)
		if err != nil {
			return Words{}, failureOf(ctx, err)
		}
		var came writtenWords
		var problems []engine.Problem
		var creative engine.Creative
		body, err := objectIn([]byte(reply))
		if err == nil {
			err = unmarshal(body, &came)
		}
		if err != nil {
			problems, trouble = []engine.Problem{{Code: "FORM", Message: err.Error()}}, w.say.line("why_json")
		} else if creative, problems, trouble = w.judge(came); len(problems) == 0 {
			return w.delivered(e, came, creative), nil
		}
		question = repairCall(base, reply, problemLines(problems, nil), nil)
	}
	return Words{}, &failure{why: whyJSON, detail: trouble}
}

func (w *wording) delivered(e *endpoint, came writtenWords, creative engine.Creative) Words {
	out := Words{Engine: e.provider.Model, Language: w.set.Language, Creative: &creative, Notes: []string{}}
	for _, left := range came.LeftOut[:min(len(came.LeftOut), 3)] {
		if left = tidyText(left, 200); strings.TrimSpace(left) != "" {
			out.Notes = append(out.Notes, w.say.line("words_left_out", left))
		}
	}
	return out
}
