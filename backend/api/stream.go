package api

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/google/uuid"

	"github.com/lejek/lejek/backend/views"
)

// How streams of server-sent events look for news. They read the database rather than listen to it: a NOTIFY per event would take a lock that all
// commits of the database share.
const (
	lookEvery   = 500 * time.Millisecond
	beatEvery   = 15 * time.Second // a comment, so that proxies keep the connection
	streamLimit = 30 * time.Minute // then the browser connects anew
)

// lookout answers what is new; done ends the stream.
type lookout func(ctx context.Context) (news []any, done bool, err error)

// stream is the body of an answer of server-sent events. The reader's end stops it.
func (h *handlers) stream(ctx context.Context, name string, look lookout) io.ReadCloser {
	reader, writer := io.Pipe()
	ctx, cancel := context.WithTimeout(ctx, streamLimit)
	go func() {
		defer cancel()
		_ = writer.CloseWithError(h.pour(ctx, writer, name, look)) // it never fails
	}()
	return streamed{reader, cancel}
}

type streamed struct {
	io.Reader

	cancel context.CancelFunc
}

// Close stops the look-out.
func (s streamed) Close() error {
	s.cancel()
	return nil
}

func (h *handlers) pour(ctx context.Context, w io.Writer, name string, look lookout) error {
	if _, err := io.WriteString(w, ": hello\n\n"); err != nil {
		return nil
	}
	ticker := time.NewTicker(lookEvery)
	defer ticker.Stop()
	quiet := time.Duration(0)
	for {
		news, done, err := look(ctx)
		if err != nil {
			if ctx.Err() == nil {
				h.Logger.WarnContext(ctx, "a stream ended", "stream", name, "error", err.Error())
			}
			return nil
		}
		for _, one := range news {
			if err := writeEvent(w, name, one); err != nil {
				return nil // the reader has gone
			}
			quiet = 0
		}
		if done {
			return nil
		}
		if quiet += lookEvery; quiet >= beatEvery {
			quiet = 0
			if _, err := io.WriteString(w, ": beat\n\n"); err != nil {
				return nil
			}
		}
		select {
		case <-ctx.Done():
			return nil
		case <-h.draining:
			return nil
		case <-ticker.C:
		}
	}
}

func writeEvent(w io.Writer, name string, value any) error {
	data, err := json.Marshal(value)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "event: %s\ndata: %s\n\n", name, data)
	return err
}

// StreamEvents streams events as they come.
func (h *handlers) StreamEvents(ctx context.Context, _ StreamEventsRequestObject) (StreamEventsResponseObject, error) {
	in := workspace(ctx)
	last, err := views.LastEvent(ctx, h.DB, in)
	if err != nil {
		return nil, err
	}
	body := h.stream(ctx, "event", func(ctx context.Context) ([]any, bool, error) {
		rows, err := views.EventsAfter(ctx, h.DB, in, last)
		if err != nil || len(rows) == 0 {
			return nil, false, err
		}
		last = rows[len(rows)-1].ID
		events, err := h.toEvents(ctx, in, rows)
		return anys(events), false, err
	})
	return StreamEvents200TexteventStreamResponse{StreamTexteventStreamResponse{Body: body}}, nil
}

// recent is how many of the newest messages a stream watches for changes.
const recent = 50

// StreamMessages streams messages when they come or change state.
func (h *handlers) StreamMessages(ctx context.Context, _ StreamMessagesRequestObject) (StreamMessagesResponseObject, error) {
	in := workspace(ctx)
	seen, err := h.recentMessages(ctx, in)
	if err != nil {
		return nil, err
	}
	body := h.stream(ctx, "message", func(ctx context.Context) ([]any, bool, error) {
		now, err := h.recentMessages(ctx, in)
		var news []any
		for id, message := range now {
			if before, known := seen[id]; !known || before.fingerprint != message.fingerprint {
				news = append(news, message.Message)
			}
		}
		seen = now
		return news, false, err
	})
	return StreamMessages200TexteventStreamResponse{StreamTexteventStreamResponse{Body: body}}, nil
}

type watched struct {
	Message

	fingerprint string
}

func (h *handlers) recentMessages(ctx context.Context, in uuid.UUID) (map[uuid.UUID]watched, error) {
	page, err := views.Messages(ctx, h.DB, in, views.MessageFilter{Paging: views.Paging{Limit: recent}})
	all := make(map[uuid.UUID]watched, len(page.Items))
	for _, m := range page.Items {
		message := toMessage(m)
		all[m.ID] = watched{message, fmt.Sprint(message.State, *message.Opened, *message.Clicked, m.RepliedAt != nil, m.UnsubscribedAt != nil)}
	}
	return all, err
}

func anys[T any](all []T) []any {
	out := make([]any, len(all))
	for i, one := range all {
		out[i] = one
	}
	return out
}
