package drafts

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"github.com/google/uuid"

	"github.com/lejek/lejek/ai"
	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/engine"
)

// WordsRequest asks for the words of one message.
type WordsRequest struct {
	Workspace uuid.UUID
	By        *uuid.UUID
	Prompt    string
	Language  string // of the notes
	Channel   string
	Variables []string // that this place has besides those of people: event.total, vars.opening
	Now       engine.Creative
}

// placed is how a variable of an event or of steps before is written.
var placed = regexp.MustCompile(`^(event|vars)(\.[a-zA-Z_][\w-]{0,63}){1,4}$`)

// Words are a suggestion for one message: by the workspace's model, else a built-in text. They change nothing.
func (d *Drafts) Words(ctx context.Context, r WordsRequest) (ai.Words, error) {
	prompt := strings.TrimSpace(r.Prompt)
	if !isText(prompt) {
		return ai.Words{}, fault.InvalidField("prompt", "Say in a sentence what the message is about, such as: thank them for the order and ask for a review.")
	}
	names, err := d.Names(ctx, r.Workspace)
	if err != nil {
		return ai.Words{}, fmt.Errorf("read what the workspace has: %w", err)
	}
	want := ai.WordsRequest{Request: ai.Request{Prompt: prompt, Language: r.Language, Workspace: names}, Channel: r.Channel, Now: r.Now}
	for _, v := range r.Variables {
		if placed.MatchString(v) {
			want.Variables = append(want.Variables, v)
		}
	}
	var got ai.Words
	why, err := d.asking(ctx, d.unwatched(ctx, r.Workspace), r.By, ai.WordsTokens(prompt), func(ctx context.Context, drafter *ai.Drafter) bool {
		got = drafter.Words(ctx, want)
		return got.Engine != ai.Offline && got.Creative != nil
	})
	if err != nil {
		return ai.Words{}, err
	}
	if why != "" {
		got.Explain(why)
	}
	return got, nil
}
