package drafts

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/lejek/lejek/ai"
	"github.com/lejek/lejek/backend/fault"
)

// Rule is who a sentence means, with the names the workspace has: by its model, else by the built-in reader.
func (d *Drafts) Rule(ctx context.Context, workspace uuid.UUID, by *uuid.UUID, prompt, language string) (ai.RuleDraft, error) {
	prompt = strings.TrimSpace(prompt)
	if !isText(prompt) {
		return ai.RuleDraft{}, fault.InvalidField("prompt", "Say in a sentence who is meant, such as: bought twice in 90 days but not in the last 30.")
	}
	names, err := d.Names(ctx, workspace)
	if err != nil {
		return ai.RuleDraft{}, fmt.Errorf("read what the workspace has: %w", err)
	}
	var got ai.RuleDraft
	why, err := d.asking(ctx, d.unwatched(ctx, workspace), by, ai.RuleTokens(prompt), func(ctx context.Context, drafter *ai.Drafter) bool {
		got = drafter.Rule(ctx, ai.Request{Prompt: prompt, Language: language, Workspace: names})
		return got.Engine != ai.Offline && got.Rule != nil
	})
	if err != nil {
		return ai.RuleDraft{}, err
	}
	if why != "" {
		got.Explain(why)
	}
	return got, nil
}

// isText tells whether a sentence holds anything, and nothing that is no text.
func isText(prompt string) bool {
	return prompt != "" && utf8.ValidString(prompt) && !strings.ContainsRune(prompt, 0)
}
