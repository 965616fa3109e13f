package connections

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/lejek/lejek/backend/calls"
	"github.com/lejek/lejek/backend/outgoing"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/engine"
)

// maxSaved bounds one value that a step keeps of an answer, in bytes of JSON.
const maxSaved = 4 << 10

// idempotencyKey is the header that names a call, the same for each of its attempts.
const idempotencyKey = "Idempotency-Key"

// Request makes the request of an http_request step.
func (c *Connections) Request(ctx context.Context, call calls.Request) (calls.Answer, error) {
	var asked engine.HTTPRequest
	if err := call.Read(&asked); err != nil {
		return calls.Answer{}, err
	}
	request := outgoing.Request{Method: asked.Method, URL: asked.URL, Header: http.Header{}, Body: []byte(asked.Body)}
	for _, header := range asked.Headers {
		request.Header.Set(header[0], header[1])
	}
	if asked.Connection != "" {
		row, hidden, err := c.named(ctx, call.Workspace, asked.Connection, HTTP)
		if err != nil {
			return calls.Answer{}, err
		}
		if request.URL, err = beneath(row.BaseURL, asked.URL); err != nil {
			return calls.Answer{}, calls.Final(err)
		}
		for name, value := range hidden.Headers {
			request.Header.Set(name, value)
		}
	}
	request.Header.Set(idempotencyKey, call.Key)
	answer, err := c.ask(ctx, request)
	if err != nil {
		return calls.Answer{}, err
	}
	out := calls.Answer{Port: engine.PortOK, Why: map[string]any{"status": answer.Status}}
	out.Vars, err = saved(asked.Save, answer.Body)
	if err != nil {
		out.Why["kept"] = err.Error()
	}
	return out, nil
}

// named opens a connection of a workspace by its slug.
func (c *Connections) named(ctx context.Context, workspace uuid.UUID, name, kind string) (store.Connection, secrets, error) {
	row, err := store.Q.ConnectionBySlug(ctx, c.DB, store.ConnectionBySlugParams{WorkspaceID: workspace, Slug: name})
	if errors.Is(err, pgx.ErrNoRows) {
		return row, secrets{}, calls.Final(fmt.Errorf("there is no connection %q any more", name))
	}
	if err != nil {
		return row, secrets{}, fmt.Errorf("read a connection: %w", err)
	}
	if row.Kind != kind {
		return row, secrets{}, calls.Final(fmt.Errorf("the connection %q is one of the kind %s, not %s", name, row.Kind, kind))
	}
	hidden, err := c.open(row)
	if err != nil {
		return row, secrets{}, calls.Final(err)
	}
	return row, hidden, nil
}

// beneath puts a path under the address of a connection. Whatever the path says, the host stays.
func beneath(address, path string) (string, error) {
	parent, err := outgoing.Target(address)
	if err != nil {
		return "", err
	}
	if path == "" {
		return parent.String(), nil
	}
	if !strings.HasPrefix(path, "/") && !strings.HasPrefix(path, "?") {
		return "", errors.New("the path has to begin with /")
	}
	whole, err := url.Parse(parent.String() + path)
	if err != nil || whole.Host != parent.Host || whole.Scheme != parent.Scheme || whole.User != nil {
		return "", errors.New("the path leads away from the address of the connection")
	}
	return whole.String(), nil
}

// ask makes one request and sorts what came back: 2xx is an answer; 408, 425, 429 and 5xx are worth another attempt; the rest is final.
func (c *Connections) ask(ctx context.Context, request outgoing.Request) (outgoing.Answer, error) {
	answer, err := c.Client.Do(ctx, request)
	if err != nil {
		if outgoing.Lasting(err) {
			err = calls.Final(err)
		}
		return answer, err
	}
	if answer.Status >= 200 && answer.Status < 300 {
		return answer, nil
	}
	return answer, refusal(answer, fmt.Errorf("it answered %d %s", answer.Status, http.StatusText(answer.Status)))
}

// refusal says whether an answer that is no success is worth another attempt, and when.
func refusal(answer outgoing.Answer, err error) error {
	switch s := answer.Status; {
	case s == http.StatusRequestTimeout, s == http.StatusTooEarly, s == http.StatusTooManyRequests, s >= 500:
		return calls.After(err, retryAfter(answer.Header))
	default:
		return calls.Final(err)
	}
}

func retryAfter(header http.Header) time.Duration {
	seconds, err := strconv.Atoi(header.Get("Retry-After"))
	if err != nil || seconds < 0 || seconds > 24*3600 {
		return 0
	}
	return time.Duration(seconds) * time.Second
}

// saved takes values out of an answer. What is not there is left out, and the error says so; the request has been made all the same.
func saved(wanted []engine.SavedValue, body []byte) (map[string]any, error) {
	if len(wanted) == 0 {
		return nil, nil
	}
	var document any
	unreadable := json.Unmarshal(engine.KeepDigits(body), &document) != nil
	vars := map[string]any{}
	var problems []error
	for _, want := range wanted {
		value, there := any(string(body)), true
		if want.Path != "" {
			value, there = at(document, want.Path)
		} else if !unreadable {
			value = document
		}
		raw, err := json.Marshal(value)
		switch {
		case !there && unreadable:
			problems = append(problems, fmt.Errorf("%s: the answer is no JSON", want.Name))
		case !there:
			problems = append(problems, fmt.Errorf("%s: there is nothing at %s", want.Name, want.Path))
		case err != nil || len(raw) > maxSaved:
			problems = append(problems, fmt.Errorf("%s: the value is larger than %d kB", want.Name, maxSaved>>10))
		case value != nil:
			vars[want.Name] = value
		}
	}
	return vars, errors.Join(problems...)
}

// at is the value at a path of names and numbers.
func at(value any, path string) (any, bool) {
	for part := range strings.SplitSeq(path, ".") {
		switch in := value.(type) {
		case map[string]any:
			member, there := in[part]
			if !there {
				return nil, false
			}
			value = member
		case []any:
			i, err := strconv.Atoi(part)
			if err != nil || i < 0 || i >= len(in) {
				return nil, false
			}
			value = in[i]
		default:
			return nil, false
		}
	}
	return value, true
}
