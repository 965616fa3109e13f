package ai_test

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/lejek/lejek/ai"
	"github.com/lejek/lejek/ai/aitest"
	"github.com/stretchr/testify/require"
)

// watching keeps what a draft told on its way.
type watching struct {
	mu       sync.Mutex
	calls    []ai.Call
	progress []ai.Progress
}

func (w *watching) Begin() ai.Span { return w }
func (w *watching) First()         {}
func (w *watching) End(c ai.Call) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.calls = append(w.calls, c)
}

func (w *watching) Progress(p ai.Progress) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.progress = append(w.progress, p)
}

func (w *watching) kinds(kind string) (found []ai.Progress) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, p := range w.progress {
		if p.Kind == kind {
			found = append(found, p)
		}
	}
	return found
}

// TestEachFaultOfAStreamEndsHonestly draws while the answer comes, over real HTTP, with and without a reserve that lives.
func TestEachFaultOfAStreamEndsHonestly(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		first  aitest.Reply
		engine string // without a reserve; with one it is "second" wherever this is offline
		reset  bool
	}{
		"sound":            {aitest.Says(soundPlan), "first", false},
		"cut mid-JSON":     {aitest.CutStream(soundPlan), ai.Offline, true},
		"hang mid-stream":  {aitest.HangStream(soundPlan), ai.Offline, true},
		"error mid-stream": {aitest.BreakStream(soundPlan), ai.Offline, true},
		"keep-alive flood": {aitest.Flood(soundPlan, 2000), "first", false},
		"white space":      {aitest.Blank(soundPlan), ai.Offline, true},
		"no stream":        {aitest.NoStream(soundPlan), "first", false},
		"usage missing":    {aitest.Uncounted(soundPlan), "first", false},
		"401":              {aitest.Status(401), ai.Offline, true},
		"403":              {aitest.Status(403), ai.Offline, true},
		"404":              {aitest.Status(404), ai.Offline, true},
		"429":              {aitest.RateLimited(30), ai.Offline, true},
		"500":              {aitest.Status(500), ai.Offline, true},
		"502 page":         {aitest.HTML(502), ai.Offline, true},
		"hang":             {aitest.Hang(), ai.Offline, true},
		"length":           {aitest.Length(`{"status":`), ai.Offline, true},
		"no choices":       {aitest.NoChoices(), ai.Offline, true},
		"redirect":         {aitest.Redirect("http://169.254.169.254/latest"), ai.Offline, true},
	} {
		for _, reserve := range []bool{false, true} {
			t.Run(name+map[bool]string{true: " with a reserve", false: " alone"}[reserve], func(t *testing.T) {
				t.Parallel()
				servers := []*aitest.Server{serve(t, c.first)}
				want := c.engine
				if reserve {
					servers = append(servers, serve(t, aitest.Says(soundPlan)))
					if want == ai.Offline {
						want = "second"
					}
				}
				w := &watching{}
				ctx, cancel := context.WithTimeout(ai.Watched(t.Context(), w), 45*time.Second)
				defer cancel()
				client := &http.Client{Timeout: 12 * time.Second, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
				got := ai.NewDrafter(ai.Drawable(), client, providersOf(servers...)...).Draft(ctx, ai.Request{Prompt: askCart})
				require.NoError(t, ctx.Err(), "longer than 45 s")
				require.Equal(t, want, got.Engine, got.Assumptions)
				require.Equal(t, ai.StatusGraph, got.Outcome)
				require.Empty(t, ai.Errors(got.Problems))
				require.LessOrEqual(t, len(servers[0].Plans()), 3)
				require.Equal(t, c.reset, len(w.kinds("reset")) > 0)
				settled, spent := 0, 0
				for _, call := range w.calls {
					require.NotContains(t, call.Host+call.Outcome+call.Finish, "secret-key")
					settled += call.TokensIn + call.TokensOut
				}
				for _, s := range servers {
					spent += len(s.Asked())
				}
				require.Equal(t, spent, len(w.calls)+uncounted(name), "a request without its row")
				require.Equal(t, want != ai.Offline || name == "length", settled > 0, "tokens are counted where they were spent")
				if c.reset || reserve && c.engine == ai.Offline {
					require.NotEmpty(t, got.Assumptions[0])
				}
				require.NotContains(t, strings.Join(got.Assumptions, " "), "secret-key")
			})
		}
	}
}

func TestAReserveThatIsDeadTooLeavesThePlannerAndNamesTheFirst(t *testing.T) {
	t.Parallel()
	for name, second := range map[string]aitest.Reply{"500": aitest.Status(500), "cut stream": aitest.CutStream(soundPlan), "429": aitest.RateLimited(30), "no key": aitest.Status(401)} {
		servers := []*aitest.Server{serve(t, aitest.Status(500)), serve(t, second)}
		got := ai.NewDrafter(ai.Drawable(), http.DefaultClient, providersOf(servers...)...).Draft(t.Context(), ai.Request{Prompt: askCart})
		require.Equal(t, ai.Offline, got.Engine, name)
		require.Equal(t, ai.StatusGraph, got.Outcome)
		require.Contains(t, got.Assumptions[0], "The model first did not answer")
		require.NotEmpty(t, servers[1].Plans(), "the reserve was asked")
	}
}

// uncounted is how many requests of a fault are part of another one: who does not stream is asked again within the same call.
func uncounted(name string) int {
	if slices.Contains([]string{"no stream", "usage missing", "no choices"}, name) {
		return 1
	}
	return 0
}

func providersOf(servers ...*aitest.Server) []ai.Provider {
	var out []ai.Provider
	for i, s := range servers {
		out = append(out, ai.Provider{BaseURL: s.URL, Key: "secret-key", Model: []string{"first", "second"}[i]})
	}
	return out
}

func TestStepsAreToldOneByOneWhileTheyCome(t *testing.T) {
	t.Parallel()
	w := &watching{}
	got := drafter(serve(t, aitest.Says(soundPlan))).Draft(ai.Watched(t.Context(), w), ai.Request{Prompt: askCart})
	require.Equal(t, "first", got.Engine)
	steps := w.kinds("steps")
	require.Greater(t, len(steps), 2)
	require.Equal(t, "two mails", w.kinds("plan")[0].Text)
	for i := 1; i < len(steps); i++ {
		require.GreaterOrEqual(t, len(steps[i].Graph.Nodes), len(steps[i-1].Graph.Nodes))
	}
	require.Equal(t, "asking", w.kinds("stage")[0].Stage)
	require.Equal(t, "writing", w.kinds("stage")[len(w.kinds("stage"))-1].Stage)
	require.Equal(t, 150, w.calls[0].TokensIn+w.calls[0].TokensOut)
	require.True(t, w.calls[0].Streamed)
}

func TestABreakerOpensAfterThreeFailuresAndTellsIt(t *testing.T) {
	t.Parallel()
	d := drafter(serve(t, aitest.Status(500)), serve(t, aitest.Says(soundPlan)))
	require.Equal(t, "closed", d.States()[0].Breaker)
	for range 4 {
		require.Equal(t, "second", d.Draft(t.Context(), ai.Request{Prompt: askCart}).Engine)
	}
	require.Equal(t, "open", d.States()[0].Breaker)
	require.True(t, d.States()[0].Resting)
	require.Equal(t, "closed", d.States()[1].Breaker)
}

func TestAProbeLearnsWhatAnEndpointCanDo(t *testing.T) {
	t.Parallel()
	probe := func(replies ...aitest.Reply) ai.Profile {
		s := serve(t, replies...)
		return ai.Probe(t.Context(), http.DefaultClient, ai.Provider{BaseURL: s.URL, Key: "k", Model: "m"}, "en")
	}
	require.Equal(t, ai.Profile{Reached: true, Mode: "strict", Enforced: true, Streams: true, Usage: true, MaxField: "max_tokens"}, probe(aitest.Says(`{"answer":{"zq":"zq7"}}`)))
	require.Equal(t, ai.Profile{Reached: true, Mode: "schema", Streams: true, Usage: true, MaxField: "max_tokens"}, probe(aitest.Says(`{"hello":"there"}`)))
	require.Equal(t, "json_object", probe(aitest.NeedsLess("json_object", aitest.Says(`{}`))).Mode)
	require.False(t, probe(aitest.NoStream(`{}`)).Streams)
	refused := probe(aitest.Status(401))
	require.False(t, refused.Reached)
	require.Equal(t, "the key was refused", refused.Says)
}

func TestAPlanCutAnywhereIsReadAsFarAsItGoes(t *testing.T) {
	t.Parallel()
	for cut := 0; cut <= len(soundPlan); cut += 7 {
		w := &watching{}
		s := serve(t, aitest.Says(soundPlan[:cut]+" "), aitest.Says(soundPlan))
		got := drafter(s).Draft(ai.Watched(t.Context(), w), ai.Request{Prompt: askCart})
		require.Equal(t, ai.StatusGraph, got.Outcome)
	}
}
