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

// Rule is who a sentence means, by the built-in reader and the names the workspace has.
func (d *Drafts) Rule(ctx context.Context, workspace uuid.UUID, prompt, language string) (ai.RuleDraft, error) {
	prompt = strings.TrimSpace(prompt)
	if prompt == "" || !utf8.ValidString(prompt) {
		return ai.RuleDraft{}, fault.InvalidField("prompt", "Say in a sentence who is meant, such as: bought twice in 90 days but not in the last 30.")
	}
	names, err := d.Names(ctx, workspace)
	if err != nil {
		return ai.RuleDraft{}, fmt.Errorf("read what the workspace has: %w", err)
	}
	return ai.DraftRule(ai.Request{Prompt: prompt, Language: language, Workspace: names}), nil
}
