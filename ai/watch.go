package ai

import (
	"context"
	"crypto/sha256"
	"net/url"
	"unicode/utf8"

	"github.com/lejek/lejek/engine"
)

// Call is one request to a model as it may be kept: no key, no prompt, nothing of a person.
type Call struct {
	Op        string // flowspec, editspec, copy, texts, probe
	Host      string
	Model     string
	Mode      string // strict, schema, json_object, text
	PromptSHA [sha256.Size]byte
	TokensIn  int
	TokensOut int
	Cached    int
	Estimated bool // the endpoint did not say how many tokens it took
	Streamed  bool
	Finish    string
	Outcome   string // ok, or why there is no answer
	Attempt   int    // which request of the same question, from 1
	Breaker   string // closed, half-open, open
}

// Span is a call on its way.
type Span interface {
	First()        // the first of the answer came
	End(call Call) // it ended
}

// Watcher is told of calls, and of a draft that grows. It measures time, which this package cannot.
type Watcher interface {
	Begin() Span
	Progress(p Progress)
}

// Progress is a piece of news about a draft on its way. Kind tells which members count:
//
//	stage   Stage (reading, asking, repairing, writing)
//	plan    Text
//	steps   Text of the newest step, Graph of what is drawn so far
//	engine  Engine (model that is asked now)
//	reset   Text (why what was drawn is void)
type Progress struct {
	Kind   string        `json:"kind"`
	Stage  string        `json:"stage,omitempty"`
	Text   string        `json:"text,omitempty"`
	Engine string        `json:"engine,omitempty"`
	Graph  *engine.Graph `json:"graph,omitempty"`
}

type watcherKey struct{}

// Watched makes calls under the context known to a watcher.
func Watched(ctx context.Context, w Watcher) context.Context {
	return context.WithValue(ctx, watcherKey{}, w)
}

func watcherOf(ctx context.Context) Watcher {
	w, _ := ctx.Value(watcherKey{}).(Watcher)
	return w
}

func tell(ctx context.Context, p Progress) {
	if w := watcherOf(ctx); w != nil {
		w.Progress(p)
	}
}

type noSpan struct{}

func (noSpan) First()   {}
func (noSpan) End(Call) {}

func begin(ctx context.Context) Span {
	if w := watcherOf(ctx); w != nil {
		return w.Begin()
	}
	return noSpan{}
}

func (m mode) String() string {
	return [...]string{"strict", "schema", "json_object", "text"}[min(max(int(m), 0), 3)]
}

// modeNamed is the mode of a name, strict for none.
func modeNamed(name string) mode {
	for m := strictSchema; m <= plainMode; m++ {
		if m.String() == name {
			return m
		}
	}
	return strictSchema
}

func hostOf(base string) string {
	u, err := url.Parse(base)
	if err != nil {
		return ""
	}
	return u.Host
}

// EstimateTokens is how many tokens a text takes about: letters of other alphabets take more.
func EstimateTokens(text string) int {
	letters := utf8.RuneCountInString(text)
	per := 3.6
	switch language(text, "") {
	case "pl":
		per = 2.6
	case "ru":
		per = 2.3
	}
	return int(float64(letters)/per) + 1
}

// DraftTokens is what a draft is reckoned to take at most before it begins: the prompt, a plan, and texts.
func DraftTokens(prompt string) int { return 8000 + 2*EstimateTokens(prompt) }

// EndpointState is what an endpoint is like now.
type EndpointState struct {
	Breaker string `json:"breaker"` // closed, half-open, open
	Host    string `json:"host"`
	Mode    string `json:"mode"`
	Model   string `json:"model"`
	Resting bool   `json:"resting"` // it asked for a pause, or refused the key
}

func (e *endpoint) state() EndpointState {
	return EndpointState{
		Breaker: e.breaker.State().String(), Host: hostOf(e.provider.BaseURL), Mode: mode(e.mode.Load()).String(), Model: e.provider.Model, Resting: e.cooling.Load(),
	}
}

// States tells how the drafter's endpoints are, the first one first.
func (d *Drafter) States() []EndpointState {
	out := make([]EndpointState, 0, len(d.endpoints))
	for _, e := range d.endpoints {
		out = append(out, e.state())
	}
	return out
}

// Online tells whether there is a model to ask.
func (d *Drafter) Online() bool { return len(d.endpoints) > 0 }

// Explain says first why no model was asked: no_key, quota or off.
func (r *Result) Explain(why, lang string) {
	if r.Language != "" {
		lang = r.Language
	}
	if line := sayIn(lang).line("without_" + why); line != "without_"+why {
		r.Why = why
		r.Assumptions = append([]string{line}, r.Assumptions...)
	}
}
