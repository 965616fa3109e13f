package ai_test

import (
	"fmt"
	"testing"

	"github.com/lejek/lejek/ai"
	"github.com/stretchr/testify/require"
)

func catalogue() ai.Kinds {
	return ai.Drawable()
}

// asked are prompts as people write them, per playbook and language.
var asked = map[string][]string{
	"welcome": {"welcome series for new newsletter subscribers", "build a welcome sequence", "seria powitalna po zapisie na newsletter",
		"zrób sekwencję powitalną", "приветственная серия после подписки", "сделай приветственную цепочку"},
	"abandoned_cart": {"abandoned cart emails", "remind people who left their cart", "porzucony koszyk", "ratowanie porzuconych koszyków",
		"брошенная корзина", "письма о брошенной корзине"},
	"winback": {"build me a win-back sequence", "bring back customers who have not bought for 90 days", "zrób sekwencję win-back",
		"odzyskaj klientów, którzy nie kupowali od 90 dni", "сделай цепочку реактивации", "вернуть клиентов, которые не покупали 90 дней"},
	"post_purchase": {"post-purchase sequence", "after a purchase thank the customer and share tips", "sekwencja po zakupie",
		"po zakupie podziękuj i wyślij porady", "цепочка после покупки", "после покупки поблагодари и пришли советы"},
	"trial": {"onboarding for a 14-day trial", "free trial emails", "onboarding okresu próbnego", "wiadomości dla wersji próbnej",
		"письма для пробного периода", "онбординг триала"},
	"review_request": {"ask for a review after purchase", "review request", "prośba o opinię po zakupie", "poproś o opinię 10 dni po zakupie",
		"попросить отзыв после покупки", "запрос отзыва"},
}

func TestEveryPlaybookIsValidInThreeLanguages(t *testing.T) {
	t.Parallel()
	for book, prompts := range asked {
		for _, prompt := range prompts {
			t.Run(fmt.Sprintf("%s/%s", book, prompt), func(t *testing.T) {
				t.Parallel()
				got := ai.DraftOffline(ai.Request{Prompt: prompt}, catalogue())
				require.Equal(t, ai.StatusGraph, got.Outcome, got.Questions)
				require.Equal(t, ai.Offline, got.Engine)
				for _, p := range got.Problems {
					t.Log(p.Code, p.Severity, p.Node, p.Field, p.Message)
				}
				require.Empty(t, ai.Errors(got.Problems))
				t.Log("\n" + got.Explanation)
				t.Log(got.Assumptions)
			})
		}
	}
}
