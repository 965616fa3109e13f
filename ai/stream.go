package ai

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"time"

	openai "github.com/sashabaranov/go-openai"
)

// Bounds of a streamed answer.
const (
	idleTime      = 10 * time.Second
	maxStream     = 64 << 10 // bytes of text
	maxWhitespace = 64       // in a row, outside of which a model has lost its way
	emptyMessages = 1_000_000
)

var errNoStream = errors.New("the endpoint does not stream")

// streamed asks for the answer piece by piece and hands each to take. The whole counts only with the word that it is complete.
func (e *endpoint) streamed(ctx context.Context, req openai.ChatCompletionRequest, span Span, take func(string)) (answer, error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	idle := time.AfterFunc(idleTime, func() { stop(&failure{why: whyTimeout}) })
	defer idle.Stop()
	req.Stream, req.StreamOptions = true, &openai.StreamOptions{IncludeUsage: true}
	stream, err := e.client.CreateChatCompletionStream(ctx, req)
	if err != nil {
		return answer{}, causeOr(ctx, err)
	}
	defer stream.Close() //nolint:errcheck // it was read, or is given up
	var a answer
	var text strings.Builder
	blank, came := 0, false
	for {
		part, err := stream.Recv()
		switch {
		case errors.Is(err, io.EOF):
			if !came {
				return answer{}, errNoStream
			}
			if a.finish == "" {
				return answer{}, &failure{why: whyNetwork}
			}
			a.text = text.String()
			return a, nil
		case err != nil:
			if !came && ctx.Err() == nil && strings.Contains(err.Error(), "invalid character") {
				return answer{}, errNoStream
			}
			return answer{}, causeOr(ctx, err)
		}
		idle.Reset(idleTime)
		if !came {
			came = true
			span.First()
		}
		if part.Usage != nil {
			a.usage = *part.Usage
		}
		if len(part.Choices) == 0 {
			continue
		}
		choice := part.Choices[0]
		if choice.FinishReason != "" {
			a.finish = choice.FinishReason
		}
		a.refusal += choice.Delta.Refusal
		text.WriteString(choice.Delta.Content)
		if blank = trailingBlank(choice.Delta.Content, blank); blank > maxWhitespace || text.Len() > maxStream {
			return answer{}, &failure{why: whyJSON, detail: "the answer ran away"}
		}
		take(choice.Delta.Content)
	}
}

func causeOr(ctx context.Context, err error) error {
	if f, ok := errors.AsType[*failure](context.Cause(ctx)); ok {
		return f
	}
	return err
}

// trailingBlank is how much white space the text ends with now.
func trailingBlank(piece string, before int) int {
	rest := strings.TrimRight(piece, " \t\r\n")
	if rest == "" {
		return before + len(piece)
	}
	return len(piece) - len(rest)
}

// growing reads a plan while it is written and draws what there is of it so far.
type growing struct {
	pipe *io.PipeWriter
	done chan struct{}
}

// grow calls drawn after each step that is complete. What is no plan ends it in silence: the whole answer is read again later.
func grow(drawn func(s Spec, newest Step), plan func(string)) *growing {
	from, to := io.Pipe()
	g := &growing{pipe: to, done: make(chan struct{})}
	go func() {
		defer close(g.done)
		readGrowing(from, drawn, plan)
		_, _ = io.Copy(io.Discard, from) // the writer must never wait
	}()
	return g
}

func (g *growing) take(piece string) {
	_, _ = g.pipe.Write([]byte(piece)) // the reader drains whatever comes
}

func (g *growing) end() {
	_ = g.pipe.Close() // of a pipe: never fails
	<-g.done
}

func readGrowing(from io.Reader, drawn func(Spec, Step), plan func(string)) {
	r := bufio.NewReader(from)
	for { // prose or a fence before the object
		b, err := r.ReadByte()
		if err != nil {
			return
		}
		if b == '{' {
			if r.UnreadByte() != nil {
				return
			}
			break
		}
	}
	dec := json.NewDecoder(r)
	dec.UseNumber()
	s := Spec{Status: StatusGraph, Reentry: "never"}
	members(dec, func(key string) bool {
		switch key {
		case "plan":
			if dec.Decode(&s.Plan) != nil {
				return false
			}
			plan(s.Plan)
			return true
		case "trigger":
			var w wireTrigger
			if dec.Decode(&w) != nil {
				return false
			}
			s.Trigger = Trigger{Kind: w.Kind, Ref: str(w.Ref), When: str(w.When)}
			return true
		case "blocks":
			return elements(dec, func() bool {
				s.Blocks = append(s.Blocks, Part{})
				at := len(s.Blocks) - 1
				return members(dec, func(key string) bool {
					switch key {
					case "id":
						return dec.Decode(&s.Blocks[at].ID) == nil
					case "next":
						var next *string
						ok := dec.Decode(&next) == nil
						s.Blocks[at].Next = str(next)
						return ok
					case "steps":
						return elements(dec, func() bool {
							var raw json.RawMessage
							if dec.Decode(&raw) != nil {
								return false
							}
							step, err := decodeStep(raw)
							if err != nil || len(s.Blocks[at].Steps) > maxSteps {
								return false
							}
							s.Blocks[at].Steps = append(s.Blocks[at].Steps, step)
							drawn(s, step)
							return true
						})
					}
					return skip(dec)
				})
			})
		}
		return skip(dec)
	})
}

func skip(dec *json.Decoder) bool {
	var raw json.RawMessage
	return dec.Decode(&raw) == nil
}

// members walks an object; each is called at the value of a key and has to read it.
func members(dec *json.Decoder, each func(key string) bool) bool {
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return false
	}
	for dec.More() {
		t, err := dec.Token()
		key, ok := t.(string)
		if err != nil || !ok || !each(key) {
			return false
		}
	}
	_, err := dec.Token()
	return err == nil
}

func elements(dec *json.Decoder, each func() bool) bool {
	if t, err := dec.Token(); err != nil || t != json.Delim('[') {
		return false
	}
	for dec.More() {
		if !each() {
			return false
		}
	}
	_, err := dec.Token()
	return err == nil
}
