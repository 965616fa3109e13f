package drafts_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/ai"
	"github.com/lejek/lejek/backend/creative"
	"github.com/lejek/lejek/backend/drafts"
)

// TestTheLettersOfADraftBecomeMails compiles what the planner writes as it is when a funnel is published.
func TestTheLettersOfADraftBecomeMails(t *testing.T) {
	t.Parallel()
	for _, prompt := range []string{"abandoned cart, 15% off with code BACK15", "seria powitalna", "пробный период"} {
		got := ai.DraftOffline(ai.Request{Prompt: prompt}, drafts.Kinds())
		require.NotEmpty(t, got.Creatives, prompt)
		for slug, c := range got.Creatives {
			artifact, problems, err := creative.Compile(t.Context(), c, creative.Options{Language: got.Language})
			require.NoError(t, err, slug)
			require.Empty(t, problems, slug)
			require.NotEmpty(t, artifact.Subject)
			require.Contains(t, artifact.Text.Source, "\n")
		}
	}
}
