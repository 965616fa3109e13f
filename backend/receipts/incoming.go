package receipts

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/lejek/lejek/backend/people"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/backend/tracking"
	"github.com/lejek/lejek/engine"
)

// stopWords end texts to a number, startWords let them come again. The whole text has to be the word: "please do not stop" is an answer.
var (
	stopWords = wordsOf(`stop stopall stop-all unsubscribe cancel end quit revoke optout opt-out
		koniec stój rezygnuję rezygnuje wypisz wypiszmnie anuluj
		стоп отписка отписаться отпишите отмена хватит
		stopp abmelden arret arrêt désabonner baja alto parar basta cancella зупинити`)
	startWords = wordsOf(`start unstop subscribe resume wznów wznow zapisz старт подписаться возобновить`)
)

func wordsOf(text string) map[string]bool {
	all := map[string]bool{}
	for word := range strings.FieldsSeq(text) {
		all[word] = true
	}
	return all
}

// word is a text without what people put around one word.
func word(text string) string {
	return strings.ToLower(strings.TrimFunc(strings.Join(strings.Fields(text), ""), func(r rune) bool {
		return unicode.IsPunct(r) || unicode.IsSymbol(r)
	}))
}

// answerWithin is how long after a message a text counts as an answer to it.
const answerWithin = 7 * 24 * time.Hour

// incoming is a text somebody sent. A word such as STOP is obeyed at once, also from a number nobody knows.
func (s *Sources) incoming(ctx context.Context, tx store.Tx, workspace uuid.UUID, r Receipt) (*uuid.UUID, error) {
	channel := r.Channel
	if channel != engine.ChannelWhatsApp {
		channel = engine.ChannelSMS
	}
	phone, err := people.Phone(r.Address)
	if err != nil {
		return nil, ignored{"it comes from no telephone number"}
	}
	said := word(r.Text)
	contact, err := s.People.In(tx).ByPhone(ctx, workspace, phone)
	known := !errors.Is(err, pgx.ErrNoRows)
	if known && err != nil {
		return nil, err
	}
	switch {
	case stopWords[said] && known:
		return nil, s.People.In(tx).Unsubscribe(ctx, workspace, contact, channel, "", "text "+said)
	case stopWords[said]:
		return nil, s.People.In(tx).Suppress(ctx, workspace, channel, phone, people.ReasonUnsubscribed, "text "+said)
	case startWords[said] && known:
		proof := map[string]any{"text": r.Text, "from": "text message"}
		_, err := s.People.In(tx).SetConsents(ctx, workspace, contact, []people.ConsentInput{
			{Channel: channel, State: people.Granted, Source: "text " + said, Proof: proof, At: r.At},
		})
		return nil, err
	case !known:
		return nil, ignored{"nobody here has this number"}
	}
	var id uuid.UUID
	err = tx.QueryRow(ctx, `SELECT id FROM messages WHERE workspace_id = $1 AND contact_id = $2 AND channel = $3 AND status = 'sent'
		AND sent_at > $4 ORDER BY sent_at DESC, id DESC LIMIT 1`, workspace, contact, channel, r.At.Add(-answerWithin)).Scan(&id)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, ignored{"no text was sent to them in the last week"}
	}
	if err != nil {
		return nil, fmt.Errorf("look for what is answered: %w", err)
	}
	return &id, tracking.Happened(ctx, tx, []tracking.Act{{Workspace: workspace, Message: id, Kind: tracking.ActReply, Text: r.Text, At: r.At}})
}

// StopWords are the texts that unsubscribe, sorted.
func StopWords() []string { return slices.Sorted(maps.Keys(stopWords)) }
