package ai_test

import (
	"testing"

	"github.com/lejek/lejek/ai"
	"github.com/stretchr/testify/require"
)

// TestAStoryIsDrawnClauseByClause tells the same kinds of stories in words of several trades.
func TestAStoryIsDrawnClauseByClause(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		prompt string
		steps  map[string]int
	}{
		// a slot that is free or not
		{"Form 'Sauna' sent: book a slot; got one: text the time, nothing free: apology email", map[string]int{"book_slot": 1, "send_sms": 1, "send_email": 1, "condition": 0}},
		{"formularz Sauna wysłany: zarezerwuj termin; jest termin - sms, brak terminu - mail z przeprosinami", map[string]int{"book_slot": 1, "send_sms": 1, "send_email": 1, "condition": 0}},
		{"заявка с формы Баня: забронируй время; есть место - смс, мест нет - письмо с извинением", map[string]int{"book_slot": 1, "send_sms": 1, "send_email": 1, "condition": 0}},
		// shares with a control group
		{"whoever joins the list Divers: 40% get an email, 40% a text, 20% nothing", map[string]int{"split": 1, "send_email": 1, "send_sms": 1}},
		{"kto dołączy do listy Nurkowie: 40% dostaje maila, 40% sms, a 20% nic", map[string]int{"split": 1, "send_email": 1, "send_sms": 1}},
		{"кто вступил в список Дайверы: 40% получают письмо, 40% смс, 20% ничего", map[string]int{"split": 1, "send_email": 1, "send_sms": 1}},
		// what is asked, and its other answer
		{"tag quote added: email, no click in 3 days: text, clicked: tag warm", map[string]int{"send_email": 1, "send_sms": 1, "add_tag": 1, "condition": 1}},
		{"dodano tag oferta: mail, nie kliknie przez 3 dni - sms, kliknie - tag ciepły", map[string]int{"send_email": 1, "send_sms": 1, "add_tag": 1, "condition": 1}},
		{"поставили тег смета: письмо, не перешёл за 3 дня — смс, перешёл — тег «тёплый»", map[string]int{"send_email": 1, "send_sms": 1, "add_tag": 1, "condition": 1}},
		// who is where
		{"new contact. From Leeds: sms with the address. From elsewhere: email with the catalogue", map[string]int{"condition": 1, "send_sms": 1, "send_email": 1}},
		{"Zapis na listę Glina. Z Łodzi: sms z adresem. Spoza Łodzi: mail z linkiem", map[string]int{"condition": 1, "send_sms": 1, "send_email": 1}},
		{"новый контакт. Из Омска: смс с адресом. Из других городов: письмо с каталогом", map[string]int{"condition": 1, "send_sms": 1, "send_email": 1}},
		// waits that stand alone
		{"basket_left. 20 minutes. Push. One day. Email.", map[string]int{"wait": 2, "send_push": 1, "send_email": 1}},
		{"koszyk_zostawiony → 20 minut → push → 1 dzień → mail", map[string]int{"wait": 2, "send_push": 1, "send_email": 1}},
		{"событие koszyk_left. 20 минут ждём, пуш. Сутки ждём, письмо.", map[string]int{"wait": 2, "send_push": 1, "send_email": 1}},
	} {
		got := offline(c.prompt)
		require.Equal(t, ai.StatusGraph, got.Outcome, c.prompt)
		require.Empty(t, ai.Errors(got.Problems), c.prompt)
		for kind, n := range c.steps {
			require.Equal(t, n, kindsOf(got)[kind], "%s: %s\n%s", c.prompt, kind, got.Explanation)
		}
	}
}
