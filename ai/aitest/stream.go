package aitest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// piece is how many bytes of a text a streamed chunk holds.
const piece = 40

// chunk writes one event of a stream.
func chunk(w http.ResponseWriter, delta map[string]any, finish any) {
	body, err := json.Marshal(map[string]any{
		"id": "cmpl-1", "object": "chat.completion.chunk", "model": "fake",
		"choices": []any{map[string]any{"index": 0, "delta": delta, "finish_reason": finish}},
	})
	if err != nil {
		panic(err)
	}
	_, _ = fmt.Fprintf(w, "data: %s\n\n", body) // a client that went away is the client's affair
	_ = http.NewResponseController(w).Flush()
}

// pieces cuts a text into valid UTF-8.
func pieces(text string) []string {
	var out []string
	for text != "" {
		n := min(piece, len(text))
		for n < len(text) && text[n]&0xc0 == 0x80 {
			n++
		}
		out = append(out, text[:n])
		text = text[n:]
	}
	return out
}

func streamed(w http.ResponseWriter, message map[string]any, finish string) {
	w.Header().Set("Content-Type", "text/event-stream")
	text, _ := message["content"].(string)
	for _, p := range pieces(text) {
		chunk(w, map[string]any{"content": p}, nil)
	}
	if refusal, ok := message["refusal"].(string); ok {
		chunk(w, map[string]any{"refusal": refusal}, nil)
	}
	chunk(w, map[string]any{}, finish)
	_, _ = fmt.Fprint(w, `data: {"id":"cmpl-1","object":"chat.completion.chunk","model":"fake","choices":[],"usage":{"prompt_tokens":100,"completion_tokens":50,"total_tokens":150}}`+"\n\ndata: [DONE]\n\n")
}

// part streams the beginning of a text.
func part(w http.ResponseWriter, text string) {
	w.Header().Set("Content-Type", "text/event-stream")
	for _, p := range pieces(text[:len(text)/2]) {
		chunk(w, map[string]any{"content": p}, nil)
	}
}

// CutStream ends a stream in the middle of its text, as if it were complete.
func CutStream(text string) Reply {
	return func(w http.ResponseWriter, _ *http.Request, _ Asked) { part(w, text) }
}

// HangStream stops in the middle of a stream and says nothing more until the client goes away.
func HangStream(text string) Reply {
	return func(w http.ResponseWriter, r *http.Request, _ Asked) {
		part(w, text)
		<-r.Context().Done()
	}
}

// BreakStream sends an error in the middle of a stream.
func BreakStream(text string) Reply {
	return func(w http.ResponseWriter, _ *http.Request, _ Asked) {
		part(w, text)
		_, _ = fmt.Fprint(w, `data: {"error":{"message":"overloaded","type":"server_error"}}`+"\n\n")
	}
}

// Flood sends empty lines and comments between the pieces of a text.
func Flood(text string, lines int) Reply {
	return func(w http.ResponseWriter, _ *http.Request, _ Asked) {
		w.Header().Set("Content-Type", "text/event-stream")
		for range lines {
			_, _ = fmt.Fprint(w, ": keep-alive\n\n")
		}
		streamed(w, map[string]any{"content": text}, "stop")
	}
}

// Blank streams white space without end.
func Blank(text string) Reply {
	return func(w http.ResponseWriter, r *http.Request, _ Asked) {
		part(w, text)
		for range 10_000 {
			if r.Context().Err() != nil {
				return
			}
			chunk(w, map[string]any{"content": strings.Repeat(" ", piece)}, nil)
		}
	}
}

// Uncounted answers a text without saying how many tokens it took.
func Uncounted(text string) Reply {
	content, _ := json.Marshal(text) // a string
	return Body(`{"id":"cmpl-1","choices":[{"index":0,"message":{"role":"assistant","content":` + string(content) + `},"finish_reason":"stop"}]}`)
}

// NoStream answers as a whole whoever asks for a stream.
func NoStream(text string) Reply {
	return func(w http.ResponseWriter, r *http.Request, asked Asked) {
		asked.Stream = false
		Says(text)(w, r, asked)
	}
}
