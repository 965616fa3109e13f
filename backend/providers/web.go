package providers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/lejek/lejek/backend/mailwire"
	"github.com/lejek/lejek/backend/outgoing"
)

// webConnections is how many requests to one provider are under way at once.
const webConnections = 8

// web is an adapter that makes one request a parcel.
type web struct {
	settings Settings
	name     string // for people
	request  func(Parcel) (outgoing.Request, error)
	taken    func(outgoing.Answer) string // what the provider calls the message
	refused  func(outgoing.Answer) Outcome
	checkup  func() (outgoing.Request, error) // nil: there is nothing to ask without sending
}

// Send implements Adapter.
func (w *web) Send(ctx context.Context, parcels []Parcel, progress Progress) []Outcome {
	return each(ctx, len(parcels), func(i int) Outcome {
		request, err := w.request(parcels[i])
		if err != nil {
			return refusal("message", err)
		}
		progress.Begun(i)
		outcome := w.one(ctx, request)
		progress.Ended(i, outcome)
		return outcome
	})
}

// each does n things, several at a time. Those not begun when ctx ends stay so.
func each(ctx context.Context, n int, do func(i int) Outcome) []Outcome {
	outcomes := make([]Outcome, n)
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(webConnections, n) {
		workers.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				if ctx.Err() != nil {
					outcomes[i].Answer = mailwire.Answer{Verdict: mailwire.Unbegun, Code: "stopping", Detail: "it was not begun"}
					continue
				}
				outcomes[i] = do(i)
			}
		})
	}
	workers.Wait()
	return outcomes
}

func refusal(code string, err error) Outcome {
	return Outcome{Answer: mailwire.Answer{Verdict: mailwire.Refused, Code: code, Detail: err.Error()}}
}

// one makes a request. It is not called off when ctx ends: what has begun has its own limit of time, so that its answer is known.
func (w *web) one(ctx context.Context, request outgoing.Request) Outcome {
	answer, written, err := w.ask(context.WithoutCancel(ctx), request)
	switch {
	case err != nil && outgoing.Lasting(err) && !written:
		return Outcome{Answer: mailwire.Answer{Verdict: mailwire.Postponed, Code: "address", Detail: err.Error(), Account: true, Settings: true}}
	case err != nil && !written:
		return Outcome{Answer: mailwire.Answer{Verdict: mailwire.Postponed, Code: "connection", Detail: err.Error(), Account: true}}
	case err != nil:
		return Outcome{Answer: mailwire.Answer{Verdict: mailwire.Uncertain, Code: "no_answer", Detail: err.Error()}}
	case answer.Status >= 200 && answer.Status < 300:
		return Outcome{Answer: mailwire.Answer{Verdict: mailwire.Accepted, Code: strconv.Itoa(answer.Status), ID: w.taken(answer)}}
	}
	return w.judge(answer)
}

// ask tells also whether the request was written: before that it certainly did nothing.
func (w *web) ask(ctx context.Context, request outgoing.Request) (outgoing.Answer, bool, error) {
	var written atomic.Bool
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteHeaders: func() { written.Store(true) }})
	answer, err := w.settings.Client.Do(ctx, request)
	return answer, written.Load(), err
}

// judge reads an answer that is no success. What a provider says of itself stands above what its status means.
func (w *web) judge(answer outgoing.Answer) Outcome {
	outcome := Outcome{After: RetryAfter(answer.Header.Get("Retry-After"), w.settings.Now())}
	outcome.Code = strconv.Itoa(answer.Status)
	outcome.Detail = w.name + " answered " + outcome.Code + said(answer.Body)
	switch s := answer.Status; {
	case s == http.StatusTooManyRequests:
		outcome.Verdict, outcome.Slow = mailwire.Postponed, true
	case s == http.StatusUnauthorized || s == http.StatusForbidden:
		outcome.Verdict, outcome.Account, outcome.Settings = mailwire.Postponed, true, true
	case s == http.StatusRequestTimeout || s >= 500:
		outcome.Verdict = mailwire.Uncertain
	default:
		outcome.Verdict = mailwire.Refused
	}
	if w.refused != nil && outcome.Verdict == mailwire.Refused || w.refused != nil && answer.Status == http.StatusConflict {
		if own := w.refused(answer); own.Code != "" {
			own.Detail, own.After = outcome.Detail, max(own.After, outcome.After)
			return own
		}
	}
	return outcome
}

const longDetail = 200

// said is the message in an answer, if it has one.
func said(body []byte) string {
	var found struct {
		Message string `json:"message"`
		Error   any    `json:"error"`
		Errors  []struct {
			Message string `json:"message"`
		} `json:"errors"`
	}
	if json.Unmarshal(body, &found) != nil {
		return ""
	}
	text := found.Message
	if len(found.Errors) > 0 {
		text = found.Errors[0].Message
	}
	if nested, ok := found.Error.(map[string]any); ok && text == "" {
		text, _ = nested["message"].(string)
	}
	if text == "" {
		return ""
	}
	if len(text) > longDetail {
		text = strings.ToValidUTF8(text[:longDetail], "")
	}
	return ": " + text
}

// The bounds of what a provider may ask for.
const (
	maxRetryAfter     = 24 * time.Hour
	defaultRetryAfter = 30 * time.Second
)

// RetryAfter reads the header of that name: seconds, or a date. What makes no sense counts as half a minute, what is too long as a day.
func RetryAfter(text string, now time.Time) time.Duration {
	if text = strings.TrimSpace(text); text == "" {
		return 0
	}
	if seconds, err := strconv.ParseFloat(text, 64); err == nil {
		if seconds != seconds || seconds < 0 { //nolint:gocritic // not a number
			return defaultRetryAfter
		}
		return time.Duration(min(seconds, maxRetryAfter.Seconds()) * float64(time.Second))
	}
	at, err := http.ParseTime(text)
	if err != nil {
		return defaultRetryAfter
	}
	return min(max(at.Sub(now), 0), maxRetryAfter)
}

// Check implements Adapter.
func (w *web) Check(ctx context.Context) error {
	if w.checkup == nil {
		return nil
	}
	request, err := w.checkup()
	if err != nil {
		return err
	}
	answer, _, err := w.ask(ctx, request)
	if err != nil {
		return fmt.Errorf("%s: %w", w.name, err)
	}
	if answer.Status >= 300 {
		return errors.New(w.name + " answered " + strconv.Itoa(answer.Status) + said(answer.Body))
	}
	return nil
}

// Close implements Adapter.
func (w *web) Close() error { return nil }

// jsonRequest is a POST of JSON.
func jsonRequest(address string, body any, header http.Header) (outgoing.Request, error) {
	raw, err := json.Marshal(body)
	if err != nil {
		return outgoing.Request{}, fmt.Errorf("write a request: %w", err)
	}
	if header == nil {
		header = http.Header{}
	}
	header.Set("Content-Type", "application/json")
	return outgoing.Request{Method: http.MethodPost, URL: address, Header: header, Body: raw}, nil
}

// config reads the settings that are no secret, and the secrets that are required.
func config(s Settings, into any, secrets ...string) error {
	if err := json.Unmarshal(s.Config, into); err != nil {
		return errors.New("the settings of the provider cannot be read")
	}
	for _, name := range secrets {
		if s.Secret[name] == "" {
			return fmt.Errorf("%s is missing", name)
		}
	}
	return nil
}

// address joins a base, or the usual one, and a path.
func address(base, usual, path string) string {
	if base == "" {
		base = usual
	}
	return strings.TrimSuffix(base, "/") + path
}

func basic(user, password string) http.Header {
	r := http.Request{Header: http.Header{}}
	r.SetBasicAuth(user, password)
	return r.Header
}

func bearer(key string) http.Header { return http.Header{"Authorization": {"Bearer " + key}} }

// extra are the headers of an e-mail that a provider does not make itself.
func extra(p Parcel) map[string]string {
	headers := map[string]string{"X-Lejek-Message": p.Key()}
	for _, h := range p.Headers {
		switch h.Name {
		case "List-Unsubscribe", "List-Unsubscribe-Post", "Precedence", "Message-ID":
			headers[h.Name] = h.Value
		}
	}
	return headers
}

func form(values map[string]string) []byte {
	v := url.Values{}
	for name, value := range values {
		if value != "" {
			v.Set(name, value)
		}
	}
	return []byte(v.Encode())
}
