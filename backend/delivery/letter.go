package delivery

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/lejek/lejek/backend/facts"
	"github.com/lejek/lejek/backend/providers"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/engine"
)

// letter is one leased message on its way.
type letter struct {
	workspace, id, contact  uuid.UUID
	run, funnel, version    *uuid.UUID
	seq                     int32
	node, channel, class    string
	provider                uuid.UUID
	topic, creative, sender string
	attempts                int16
	due                     time.Time
	expires                 *time.Time
	quiet                   []byte // the run's quiet hours; nil are none
	campaign                *uuid.UUID
	campaignSlug            string
	artifact                string // hash of what it says; "" is what the funnel's version says

	vars    map[string]any // of a message that a customer's system asked for
	person  *facts.Person
	to      string
	state   fate
	reason  string
	until   time.Time // when to ask the gate again; zero is soon
	mail    Mail
	hash    string // of the creative's artifact
	spliced []byte // of an e-mail, if the body is kept as the values in its holes
	links   []Link
	shorts  []shortLink
	tried   bool // it was to be handed over before, whether that used up an attempt or not
	again   bool // a later attempt: the body is kept already

	devices  []providers.Device // of a push notification
	keyed    time.Duration      // for how long the provider knows its key again
	firstAt  time.Time          // of the first attempt; machine
	keyKnown bool               // a second hand-over is harmless
	result   result
}

// fate is what becomes of a letter before it is handed over.
type fate int

const (
	leaves  fate = iota
	skipped      // for good
	expired
	failed
	waits // the gate is shut for now
)

func (l *letter) stop(f fate, reason string) { l.state, l.reason = f, reason }

// campaignSlug is the slug of a message's campaign, "" of one without.
const campaignSlug = `coalesce((SELECT k.slug FROM campaigns k WHERE k.workspace_id = m.workspace_id AND k.id = m.campaign_id), '')`

// leaseMessages takes what is due of one lane of a provider.
const leaseMessages = `SELECT m.workspace_id, m.id, m.contact_id, m.run_id, m.funnel_id, m.version_id, m.seq, m.node, m.channel, m.class, m.topic, m.creative,
		m.sender, m.attempts, m.due_at, m.expires_at, m.quiet, m.campaign_id, m.artifact, ` + campaignSlug + `, m.to_address IS NOT NULL
	FROM messages m WHERE m.provider_id = $1 AND m.lane = $2 AND m.status = 'queued' AND m.next_attempt_at <= $3
	ORDER BY m.next_attempt_at LIMIT $4 FOR UPDATE SKIP LOCKED`

// leaseTurns takes at most so many of each campaign that is being sent, so that a small one does not stand behind a large one. What belongs
// to no such campaign, or is left over, comes after them.
var leaseTurns = strings.Replace(strings.Replace(leaseMessages, "FOR UPDATE", "FOR UPDATE OF m", 1), "FROM messages m WHERE", `FROM (
		SELECT x.id FROM campaigns k CROSS JOIN LATERAL (SELECT q.id, q.next_attempt_at FROM messages q WHERE q.workspace_id = k.workspace_id AND q.campaign_id = k.id
			AND q.status = 'queued' AND q.next_attempt_at <= $3 AND q.provider_id = $1 AND q.lane = $2 ORDER BY q.next_attempt_at LIMIT $6) AS x
		WHERE k.workspace_id = $5 AND k.state = 'sending') AS turn JOIN messages m ON m.workspace_id = $5 AND m.id = turn.id WHERE`, 1)

// turns is how many messages of each campaign a batch has at most, 0 if there are no two that would have to take turns.
func turns(ctx context.Context, tx store.Tx, workspace uuid.UUID, limit int) (int, error) {
	var sending int
	if err := tx.QueryRow(ctx, "SELECT count(*) FROM campaigns WHERE workspace_id = $1 AND state = 'sending'", workspace).Scan(&sending); err != nil {
		return 0, fmt.Errorf("look for campaigns: %w", err)
	}
	if sending < 2 {
		return 0, nil
	}
	return max(limit/sending, 1), nil
}

// lease takes due messages of a provider whose contacts nobody else holds, and says how many it left aside.
func lease(ctx context.Context, tx store.Tx, p provider, lane, limit int) (letters []*letter, busy int, err error) {
	sql, args := leaseMessages, []any{p.id, lane, tx.Now, limit}
	if lane == laneCampaigns && p.workspace != uuid.Nil {
		var turn int
		if turn, err = turns(ctx, tx, p.workspace, limit); err != nil {
			return nil, 0, err
		}
		if turn > 0 {
			sql, args = leaseTurns, append(args, p.workspace, turn)
		}
	}
	rows, err := tx.Query(ctx, sql, args...)
	if err != nil {
		return nil, 0, fmt.Errorf("lease messages: %w", err)
	}
	leased, err := pgx.CollectRows(rows, func(r pgx.CollectableRow) (*letter, error) {
		l := letter{provider: p.id, keyed: p.kind.Idempotent}
		err := r.Scan(&l.workspace, &l.id, &l.contact, &l.run, &l.funnel, &l.version, &l.seq, &l.node, &l.channel, &l.class, &l.topic, &l.creative,
			&l.sender, &l.attempts, &l.due, &l.expires, &l.quiet, &l.campaign, &l.artifact, &l.campaignSlug, &l.tried)
		return &l, err
	})
	if err != nil {
		return nil, 0, fmt.Errorf("lease messages: %w", err)
	}
	if len(leased) == 0 {
		return nil, 0, nil
	}
	keys := make([]facts.Key, len(leased))
	for i, l := range leased {
		keys[i] = facts.Key{Workspace: l.workspace, Contact: l.contact}
	}
	persons, err := facts.Contacts(ctx, tx, keys, facts.Skip)
	if err != nil {
		return nil, 0, err
	}
	for i, l := range leased {
		if l.person = persons[keys[i]]; l.person != nil {
			letters = append(letters, l)
		}
	}
	return letters, len(leased) - len(letters), nil
}

// with are the letters of one fate.
func with(letters []*letter, f fate) []*letter {
	var some []*letter
	for _, l := range letters {
		if l.state == f {
			some = append(some, l)
		}
	}
	return some
}

func (l *letter) marketing() bool { return l.class != engine.ClassTransactional }
