package ai

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"io"
	"math"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	openai "github.com/sashabaranov/go-openai"
	"github.com/sony/gobreaker/v2"
)

// Provider is an OpenAI-compatible endpoint and the model to ask there.
type Provider struct {
	BaseURL string
	Key     string // may be empty for an endpoint of one's own
	Model   string
	Mode    string // what a test found it to keep to, "" when nobody tested it
}

// Doer sends a request; an *http.Client with the caller's rules on addresses and redirects.
type Doer interface {
	Do(*http.Request) (*http.Response, error)
}

// mode is how an endpoint is told the form of its answer; each next one asks less of it.
type mode int32

const (
	strictSchema mode = iota
	looseSchema
	jsonObject
	plainMode
)

const (
	maxBody     = 1 << 20 // bytes of a reply that are read
	coolConfig  = 10 * time.Minute
	coolRateMax = time.Minute

	breakerRest    = 20 * time.Second
	breakerRestMax = 5 * time.Minute
)

// endpoint is a provider with what was learnt about it. It is safe for concurrent use.
type endpoint struct {
	provider Provider
	client   *openai.Client
	breaker  *gobreaker.CircuitBreaker[string]
	mode     atomic.Int32
	modern   atomic.Bool // takes max_completion_tokens and no temperature
	cooling  atomic.Bool
	opened   atomic.Int32 // how often in a row the breaker opened
	plain    atomic.Bool  // it does not stream
}

func newEndpoint(p Provider, doer Doer) *endpoint {
	config := openai.DefaultConfig(p.Key)
	config.BaseURL = p.BaseURL
	config.EmptyMessagesLimit = emptyMessages
	e := &endpoint{provider: p}
	e.mode.Store(int32(modeNamed(p.Mode)))
	config.HTTPClient = &watched{doer: doer, endpoint: e}
	e.client = openai.NewClientWithConfig(config)
	e.modern.Store(modernModel(p.Model))
	e.breaker = gobreaker.NewCircuitBreaker[string](gobreaker.Settings{
		Name: p.Model, Interval: time.Minute, Timeout: breakerRest,
		OnStateChange: e.changed,
		ReadyToTrip: func(c gobreaker.Counts) bool {
			return c.ConsecutiveFailures >= 3 || c.Requests >= 8 && c.TotalFailures*2 >= c.Requests
		},
		IsSuccessful: func(err error) bool {
			var f *failure
			return err == nil || errors.As(err, &f) && !f.counts()
		},
	})
	return e
}

// changed makes an endpoint rest longer each time its breaker opens in a row: 20 s, 40 s, up to 5 min.
func (e *endpoint) changed(_ string, _, to gobreaker.State) {
	switch to {
	case gobreaker.StateOpen:
		n := e.opened.Add(1)
		e.cool(min(breakerRest<<min(n-1, 8), breakerRestMax))
	case gobreaker.StateClosed:
		e.opened.Store(0)
	case gobreaker.StateHalfOpen:
	}
}

// modernModel tells the families whose requests the client refuses with the older parameters.
func modernModel(model string) bool {
	for _, family := range []string{"o1", "o3", "o4", "gpt-5", "gpt-6"} {
		if strings.HasPrefix(model, family) {
			return true
		}
	}
	return false
}

// watched caps replies, and keeps an endpoint quiet for as long as its Retry-After says.
type watched struct {
	doer     Doer
	endpoint *endpoint
}

// Do sends the request.
func (w *watched) Do(req *http.Request) (*http.Response, error) {
	res, err := w.doer.Do(req)
	if err != nil {
		return nil, err
	}
	if res.StatusCode >= 300 && res.StatusCode < 400 { // who sends the key elsewhere is not followed
		_ = res.Body.Close() // it is not read
		return nil, &failure{why: whyNetwork}
	}
	switch res.StatusCode {
	case http.StatusTooManyRequests:
		seconds, _ := strconv.Atoi(res.Header.Get("Retry-After"))
		if seconds > 0 {
			w.endpoint.cool(min(time.Duration(seconds)*time.Second, coolRateMax))
		}
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound:
		w.endpoint.cool(coolConfig)
	}
	res.Body = &capped{body: res.Body, left: maxBody}
	return res, nil
}

// cool leaves the endpoint alone for a time.
func (e *endpoint) cool(d time.Duration) {
	e.cooling.Store(true)
	time.AfterFunc(d, func() { e.cooling.Store(false) })
}

// capped is a body that fails beyond its limit instead of being cut in silence.
type capped struct {
	body io.ReadCloser
	left int
}

var errTooLarge = errors.New("the reply is too large")

// Read reads up to the limit.
func (c *capped) Read(p []byte) (int, error) {
	if c.left <= 0 {
		return 0, errTooLarge
	}
	if len(p) > c.left {
		p = p[:c.left]
	}
	n, err := c.body.Read(p)
	c.left -= n
	return n, err
}

// Close closes the body.
func (c *capped) Close() error { return c.body.Close() }

// call is one question to a model.
type call struct {
	name      string // of the schema
	schema    json.RawMessage
	system    string
	user      string
	maxTokens int
	take      func(piece string) // nil: the answer comes as a whole
}

// answer is what an endpoint said.
type answer struct {
	text    string
	refusal string
	finish  openai.FinishReason
	usage   openai.Usage
}

// complete asks the model and returns the text of its answer, complete, or a *failure. It steps down in what it asks of the
// endpoint when that refuses the form of the request, and doubles the length once when the answer was cut off.
func (e *endpoint) complete(ctx context.Context, c call) (string, error) {
	if e.cooling.Load() {
		return "", &failure{why: whyOpen}
	}
	text, err := e.breaker.Execute(func() (string, error) {
		longer := false
		for attempt := range 8 {
			text, err := e.once(ctx, c, attempt+1)
			if err == nil {
				return text, nil
			}
			f := failureOf(ctx, err)
			switch {
			case f.why == whyLength && !longer:
				longer, c.maxTokens = true, c.maxTokens*2
			case f.why == whyRequest && e.stepDown(f):
			default:
				return "", f
			}
		}
		return "", &failure{why: whyRequest}
	})
	if errors.Is(err, gobreaker.ErrOpenState) || errors.Is(err, gobreaker.ErrTooManyRequests) {
		return "", &failure{why: whyOpen}
	}
	return text, err
}

// stepDown changes how the endpoint is asked after it refused the request; false when nothing is left to change.
func (e *endpoint) stepDown(f *failure) bool {
	if strings.Contains(f.detail, "max_tokens") || strings.Contains(f.detail, "max_completion_tokens") || strings.Contains(f.detail, "temperature") {
		if e.modern.CompareAndSwap(false, true) {
			return true
		}
	}
	for {
		m := e.mode.Load()
		if mode(m) == plainMode {
			return false
		}
		if e.mode.CompareAndSwap(m, m+1) {
			return true
		}
	}
}

// once makes one request and reports it.
func (e *endpoint) once(ctx context.Context, c call, attempt int) (string, error) {
	span := begin(ctx)
	a, err := e.request(ctx, c, span)
	text, err := a.usable(err)
	report := Call{
		Op: c.name, Host: hostOf(e.provider.BaseURL), Model: e.provider.Model, Mode: mode(e.mode.Load()).String(), PromptSHA: sha256.Sum256([]byte(c.system + c.user)),
		TokensIn: a.usage.PromptTokens, TokensOut: a.usage.CompletionTokens, Streamed: c.take != nil && !e.plain.Load(), Finish: string(a.finish), Outcome: "ok", Attempt: attempt, Breaker: e.breaker.State().String(),
	}
	if a.usage.PromptTokensDetails != nil {
		report.Cached = a.usage.PromptTokensDetails.CachedTokens
	}
	if err != nil {
		report.Outcome = string(failureOf(ctx, err).why)
	}
	if a.finish != "" && a.usage.TotalTokens == 0 {
		report.TokensIn, report.TokensOut, report.Estimated = EstimateTokens(c.system+c.user), EstimateTokens(a.text), true
	}
	span.End(report)
	return text, err
}

func (e *endpoint) request(ctx context.Context, c call, span Span) (answer, error) {
	req := openai.ChatCompletionRequest{
		Model: e.provider.Model,
		Messages: []openai.ChatCompletionMessage{
			{Role: openai.ChatMessageRoleSystem, Content: c.system},
			{Role: openai.ChatMessageRoleUser, Content: c.user},
		},
		ResponseFormat: e.format(c),
	}
	if e.modern.Load() {
		req.MaxCompletionTokens = c.maxTokens
	} else {
		req.MaxTokens = c.maxTokens                   //nolint:staticcheck // servers other than OpenAI know this name only
		req.Temperature = math.SmallestNonzeroFloat32 // 0 is left out by the client
	}
	if c.take != nil && !e.plain.Load() {
		a, err := e.streamed(ctx, req, span, c.take)
		if !errors.Is(err, errNoStream) {
			return a, err
		}
		e.plain.Store(true)
	}
	res, err := e.client.CreateChatCompletion(ctx, req)
	if err != nil {
		return answer{}, err
	}
	span.First()
	if len(res.Choices) == 0 {
		return answer{usage: res.Usage}, &failure{why: whyEmpty}
	}
	choice := res.Choices[0]
	return answer{choice.Message.Content, choice.Message.Refusal, choice.FinishReason, res.Usage}, nil
}

// usable is the text of an answer that is one.
func (a answer) usable(err error) (string, error) {
	switch {
	case err != nil:
		return "", err
	case a.refusal != "":
		return "", &failure{why: whyRefusal, detail: a.refusal}
	case a.finish == openai.FinishReasonContentFilter:
		return "", &failure{why: whyFilter}
	case a.finish == openai.FinishReasonLength:
		return "", &failure{why: whyLength}
	case strings.TrimSpace(a.text) == "":
		return "", &failure{why: whyEmpty}
	}
	return a.text, nil
}

func (e *endpoint) format(c call) *openai.ChatCompletionResponseFormat {
	switch mode(e.mode.Load()) {
	case strictSchema, looseSchema:
		return &openai.ChatCompletionResponseFormat{
			Type: openai.ChatCompletionResponseFormatTypeJSONSchema,
			JSONSchema: &openai.ChatCompletionResponseFormatJSONSchema{
				Name: c.name, Schema: c.schema, Strict: mode(e.mode.Load()) == strictSchema,
			},
		}
	case jsonObject:
		return &openai.ChatCompletionResponseFormat{Type: openai.ChatCompletionResponseFormatTypeJSONObject}
	case plainMode:
	}
	return nil
}
