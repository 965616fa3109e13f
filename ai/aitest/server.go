package aitest

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
)

// Asked is one request as the server saw it.
type Asked struct {
	Path          string
	Authorization string
	Model         string
	Format        string // json_schema, json_object or ""
	Strict        bool
	Stream        bool
	System        string
	User          string
	Body          []byte
}

// Copy tells whether the request asks for texts of messages rather than for a plan.
func (a Asked) Copy() bool { return strings.Contains(a.System, "Task: copy") }

// Reply answers one request.
type Reply func(w http.ResponseWriter, r *http.Request, asked Asked)

// Server answers plan requests with the script given to Start, in order and the last one for ever, and copy requests with the
// script given to WriteCopy, or with an empty list of texts. It is safe for concurrent use.
type Server struct {
	URL string // base URL for a client, ends in /v1

	http  *httptest.Server
	mu    sync.Mutex
	plans []Reply
	copy  []Reply
	asked []Asked
}

// Start opens the server. Close it when done.
func Start(plans ...Reply) *Server {
	s := &Server{plans: plans, copy: []Reply{Says(`{"messages":[]}`)}}
	s.http = httptest.NewServer(http.HandlerFunc(s.serve))
	s.URL = s.http.URL + "/v1"
	return s
}

// WriteCopy scripts the answers to copy requests.
func (s *Server) WriteCopy(replies ...Reply) *Server {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.copy = replies
	return s
}

// Close breaks off open requests and ends the server.
func (s *Server) Close() {
	s.http.CloseClientConnections()
	s.http.Close()
}

// Asked returns all requests so far.
func (s *Server) Asked() []Asked {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Asked(nil), s.asked...)
}

// Plans returns the plan requests so far.
func (s *Server) Plans() []Asked {
	var out []Asked
	for _, a := range s.Asked() {
		if !a.Copy() {
			out = append(out, a)
		}
	}
	return out
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	asked := read(r)
	s.mu.Lock()
	s.asked = append(s.asked, asked)
	script := &s.plans
	if asked.Copy() {
		script = &s.copy
	}
	if len(*script) == 0 {
		s.mu.Unlock()
		http.Error(w, `{"error":{"message":"nothing scripted"}}`, http.StatusInternalServerError)
		return
	}
	reply := (*script)[0]
	if len(*script) > 1 {
		*script = (*script)[1:]
	}
	s.mu.Unlock()
	reply(w, r, asked)
}

func read(r *http.Request) Asked {
	body, _ := io.ReadAll(io.LimitReader(r.Body, 4<<20)) // a broken request shows as an empty one
	var sent struct {
		Model    string `json:"model"`
		Stream   bool   `json:"stream"`
		Messages []struct {
			Role    string `json:"role"`
			Content string `json:"content"`
		} `json:"messages"`
		Format struct {
			Type   string `json:"type"`
			Schema struct {
				Strict bool `json:"strict"`
			} `json:"json_schema"`
		} `json:"response_format"`
	}
	_ = json.Unmarshal(body, &sent) // likewise
	a := Asked{Path: r.URL.Path, Authorization: r.Header.Get("Authorization"), Model: sent.Model, Format: sent.Format.Type, Strict: sent.Format.Schema.Strict, Stream: sent.Stream, Body: body}
	for _, m := range sent.Messages {
		if m.Role == "system" {
			a.System += m.Content
		} else {
			a.User += m.Content
		}
	}
	return a
}
