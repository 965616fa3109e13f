package aitest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

// completion writes a chat completion, in pieces for who asked for a stream.
func completion(w http.ResponseWriter, asked Asked, message map[string]any, finish string) {
	if asked.Stream {
		streamed(w, message, finish)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	body, err := json.Marshal(map[string]any{
		"id": "cmpl-1", "object": "chat.completion", "model": "fake",
		"choices": []any{map[string]any{"index": 0, "message": message, "finish_reason": finish}},
		"usage":   map[string]any{"prompt_tokens": 100, "completion_tokens": 50, "total_tokens": 150},
	})
	if err != nil {
		panic(err)
	}
	_, _ = w.Write(body) // a client that went away is the client's affair
}

// Says answers with a text.
func Says(text string) Reply {
	return func(w http.ResponseWriter, _ *http.Request, asked Asked) {
		completion(w, asked, map[string]any{"role": "assistant", "content": text}, "stop")
	}
}

// Fenced answers with a text in a code fence.
func Fenced(text string) Reply { return Says("```json\n" + text + "\n```") }

// Prose answers with a text among friendly words.
func Prose(text string) Reply {
	return Says("Sure! Here is {your} funnel:\n\n" + text + "\n\nLet me know if you would like changes.")
}

// Status answers with an error as OpenAI writes it.
func Status(code int) Reply {
	return func(w http.ResponseWriter, _ *http.Request, _ Asked) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(code)
		_, _ = fmt.Fprintf(w, `{"error":{"message":"scripted %d","type":"fake","code":null}}`, code)
	}
}

// RateLimited answers 429 with Retry-After in seconds; 0 leaves the header out.
func RateLimited(seconds int) Reply {
	return func(w http.ResponseWriter, r *http.Request, a Asked) {
		if seconds > 0 {
			w.Header().Set("Retry-After", strconv.Itoa(seconds))
		}
		Status(http.StatusTooManyRequests)(w, r, a)
	}
}

// HTML answers with a proxy's error page.
func HTML(code int) Reply {
	return func(w http.ResponseWriter, _ *http.Request, _ Asked) {
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(code)
		_, _ = fmt.Fprintf(w, "<html><body><h1>%d Bad Gateway</h1></body></html>", code)
	}
}

// Hang answers nothing until the client goes away.
func Hang() Reply {
	return func(_ http.ResponseWriter, r *http.Request, _ Asked) { <-r.Context().Done() }
}

// CutOff breaks the connection in the middle of the body.
func CutOff() Reply {
	return func(w http.ResponseWriter, _ *http.Request, _ Asked) {
		w.Header().Set("Content-Length", "5000")
		_, _ = w.Write([]byte(`{"id":"cmpl-1","choices":[{"index":0,"message":{"role":"assistant","content":"{\"status\":\"gra`))
		panic(http.ErrAbortHandler)
	}
}

// Refusal declines in the model's own words.
func Refusal(words string) Reply {
	return func(w http.ResponseWriter, _ *http.Request, asked Asked) {
		completion(w, asked, map[string]any{"role": "assistant", "content": nil, "refusal": words}, "stop")
	}
}

// ContentFilter stops the answer by a filter.
func ContentFilter() Reply {
	return func(w http.ResponseWriter, _ *http.Request, asked Asked) {
		completion(w, asked, map[string]any{"role": "assistant", "content": ""}, "content_filter")
	}
}

// Length cuts the answer off at the limit of tokens.
func Length(text string) Reply {
	return func(w http.ResponseWriter, _ *http.Request, asked Asked) {
		completion(w, asked, map[string]any{"role": "assistant", "content": text}, "length")
	}
}

// NoChoices answers 200 with nothing in it.
func NoChoices() Reply { return Body(`{"id":"cmpl-1","choices":[]}`) }

// Body answers 200 with a raw body.
func Body(raw string) Reply {
	return func(w http.ResponseWriter, _ *http.Request, _ Asked) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(raw))
	}
}

// Huge answers with a text of n bytes.
func Huge(n int) Reply { return Says(`{"status":"graph","plan":"` + strings.Repeat("x", n) + `"}`) }

// Slow sends its body byte by byte, flushing, until the client goes away or all is sent; each byte waits for the one before to
// be written.
func Slow(text string) Reply {
	return func(w http.ResponseWriter, _ *http.Request, _ Asked) {
		content, _ := json.Marshal(text) // a string
		body := `{"choices":[{"index":0,"message":{"role":"assistant","content":` + string(content) + `},"finish_reason":"stop"}]}`
		control := http.NewResponseController(w)
		for i := range len(body) {
			if _, err := w.Write([]byte{body[i]}); err != nil {
				return
			}
			if err := control.Flush(); err != nil {
				return
			}
		}
	}
}

// NeedsLess refuses requests whose response format asks for more than the given one: "json_object" accepts that and none, ""
// accepts no format only.
func NeedsLess(accepts string, then Reply) Reply {
	return func(w http.ResponseWriter, r *http.Request, a Asked) {
		if a.Format == "" || a.Format == accepts {
			then(w, r, a)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusBadRequest)
		_, _ = w.Write([]byte(`{"error":{"message":"response_format is not supported","type":"invalid_request_error","code":"unsupported"}}`))
	}
}

// Redirect sends the client elsewhere.
func Redirect(to string) Reply {
	return func(w http.ResponseWriter, r *http.Request, _ Asked) {
		http.Redirect(w, r, to, http.StatusTemporaryRedirect)
	}
}
