package ai

import (
	"context"
	"errors"
	"net/http"
	"strings"

	openai "github.com/sashabaranov/go-openai"
)

// why is the reason a model gave no usable answer. The values name phrases "why_<value>".
type why string

const (
	whyAuth    why = "auth"    // 401, 403
	whyModel   why = "model"   // 404
	whyRate    why = "rate"    // 429
	whyServer  why = "server"  // 5xx
	whyTimeout why = "timeout" // nothing within the time
	whyNetwork why = "network" // no connection, or it broke
	whyLength  why = "length"  // finish_reason length, twice
	whyFilter  why = "filter"  // finish_reason content_filter
	whyEmpty   why = "empty"   // no choices, no text
	whyJSON    why = "json"    // not the agreed JSON
	whyOpen    why = "open"    // the breaker is open, or the endpoint cools down
	whyRequest why = "request" // 400 whatever the mode
	whyRefusal why = "refusal" // the model declined; detail holds its words
)

// failure says why an endpoint gave no answer. It never holds the key or the body of the reply.
type failure struct {
	why    why
	detail string
}

func (f *failure) Error() string { return "model: " + string(f.why) }

// final tells whether the model answered, and the answer is no: no other model is asked.
func (f *failure) final() bool { return f.why == whyRefusal || f.why == whyFilter }

// counts tells whether the breaker counts it.
func (f *failure) counts() bool {
	switch f.why {
	case whyServer, whyTimeout, whyNetwork, whyEmpty:
		return true
	default:
		return false
	}
}

// failureOf sorts an error of the client out.
func failureOf(ctx context.Context, err error) *failure {
	if known, ok := errors.AsType[*failure](err); ok {
		return known
	}
	var api *openai.APIError
	var req *openai.RequestError
	switch {
	case ctx.Err() != nil || errors.Is(err, context.DeadlineExceeded):
		return &failure{why: whyTimeout}
	case errors.As(err, &api):
		if code, _ := api.Code.(string); code == "content_filter" || code == "content_policy_violation" {
			return &failure{why: whyFilter}
		}
		return byStatus(api.HTTPStatusCode, api.Message)
	case errors.As(err, &req):
		return byStatus(req.HTTPStatusCode, "")
	case strings.Contains(err.Error(), "invalid character"), strings.Contains(err.Error(), "unmarshal"):
		return &failure{why: whyServer}
	default:
		return &failure{why: whyNetwork}
	}
}

func byStatus(status int, message string) *failure {
	switch {
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return &failure{why: whyAuth}
	case status == http.StatusNotFound:
		return &failure{why: whyModel}
	case status == http.StatusTooManyRequests:
		return &failure{why: whyRate}
	case status >= 400 && status < 500:
		return &failure{why: whyRequest, detail: strings.ToLower(message)}
	default:
		return &failure{why: whyServer}
	}
}
