package delivery

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
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

// selectLetters reads messages m as leaseBy takes them.
const selectLetters = `SELECT m.workspace_id, m.id, m.contact_id, m.run_id, m.funnel_id, m.version_id, m.seq, m.node, m.channel, m.class, m.topic, m.creative,
		m.sender, m.attempts, m.due_at, m.expires_at, m.quiet, m.campaign_id, m.artifact, ` + campaignSlug + `, m.to_address IS NOT NULL`

// leaseMessages takes what is due of one lane of a provider.
const leaseMessages = selectLetters + ` FROM messages m WHERE m.provider_id = $1 AND m.lane = $2 AND m.status = 'queued' AND m.next_attempt_at <= $3` + untaken + `
	ORDER BY m.next_attempt_at LIMIT $4 FOR UPDATE SKIP LOCKED`

// untaken leaves out what this transaction took already.
const untaken = ` AND m.id <> ALL ($5::uuid[])`

// leaseTurns takes at most so many of each campaign that is being sent, so that a small one does not stand behind a large one. Each takes
// those that nobody else is taking at the moment.
var leaseTurns = strings.Replace(strings.NewReplacer("FOR UPDATE SKIP LOCKED", "", untaken, "").Replace(leaseMessages), "FROM messages m WHERE", `FROM campaigns k CROSS JOIN LATERAL (
		SELECT q.* FROM messages q WHERE q.workspace_id = k.workspace_id AND q.campaign_id = k.id
			AND q.status = 'queued' AND q.next_attempt_at <= $3 AND q.provider_id = $1 AND q.lane = $2 ORDER BY q.next_attempt_at LIMIT $6 FOR UPDATE SKIP LOCKED) AS m
		WHERE k.workspace_id = $5 AND k.state = 'sending' AND`, 1)

// turns is how many messages of each campaign a batch has at most, 0 if there are no two that would have to take turns. A campaign that has
// nothing to send now, such as one that waits for a winner, takes no turn.
func turns(ctx context.Context, tx store.Tx, p provider, lane, limit int) (int, error) {
	var sending int
	err := tx.QueryRow(ctx, `SELECT count(*) FROM campaigns k WHERE k.workspace_id = $1 AND k.state = 'sending' AND EXISTS (SELECT 1 FROM messages q
		WHERE q.workspace_id = k.workspace_id AND q.campaign_id = k.id AND q.status = 'queued' AND q.next_attempt_at <= $4 AND q.provider_id = $2 AND q.lane = $3)`,
		p.workspace, p.id, lane, tx.Now).Scan(&sending)
	if err != nil {
		return 0, fmt.Errorf("look for campaigns: %w", err)
	}
	if sending < 2 {
		return 0, nil
	}
	return (limit + sending - 1) / sending, nil
}

// lease takes due messages of a provider whose contacts nobody else holds, and says how many it left aside. What belongs to no campaign that
// is being sent, or is left over, comes after the turns of campaigns.
func lease(ctx context.Context, tx store.Tx, p provider, lane, limit int) (letters []*letter, busy int, err error) {
	var leased []*letter
	if lane == laneCampaigns && p.workspace != uuid.Nil {
		turn, err := turns(ctx, tx, p, lane, limit)
		if err != nil {
			return nil, 0, err
		}
		if turn > 0 {
			if leased, err = leaseBy(ctx, tx, p, leaseTurns, p.id, lane, tx.Now, limit, p.workspace, turn); err != nil {
				return nil, 0, err
			}
		}
	}
	if len(leased) < limit {
		taken := make([][16]byte, len(leased))
		for i, l := range leased {
			taken[i] = l.id
		}
		others, err := leaseBy(ctx, tx, p, leaseMessages, p.id, lane, tx.Now, limit-len(leased), taken)
		if err != nil {
			return nil, 0, err
		}
		leased = append(leased, others...)
	}
	if len(leased) == 0 {
		return nil, 0, nil
	}
	// Of two messages to one person that are due together the earlier made is judged first: a cap lets that one leave.
	slices.SortStableFunc(leased, func(a, b *letter) int {
		return cmp.Or(a.due.Compare(b.due), bytes.Compare(a.id[:], b.id[:]))
	})
	letters, err = withPersons(ctx, tx, leased)
	return letters, len(leased) - len(letters), err
}

// withPersons are the letters whose contacts nobody else holds; they are held from now on.
func withPersons(ctx context.Context, tx store.Tx, leased []*letter) (letters []*letter, err error) {
	keys := make([]facts.Key, len(leased))
	for i, l := range leased {
		keys[i] = facts.Key{Workspace: l.workspace, Contact: l.contact}
	}
	persons, err := facts.Contacts(ctx, tx, keys, facts.Skip)
	if err != nil {
		return nil, err
	}
	for i, l := range leased {
		if l.person = persons[keys[i]]; l.person != nil {
			letters = append(letters, l)
		}
	}
	return letters, nil
}

func leaseBy(ctx context.Context, tx store.Tx, p provider, sql string, args ...any) ([]*letter, error) {
	rows, err := tx.Query(ctx, sql, args...)
	if err != nil {
		return nil, fmt.Errorf("lease messages: %w", err)
	}
	leased, err := pgx.CollectRows(rows, func(r pgx.CollectableRow) (*letter, error) {
		l := letter{provider: p.id, keyed: p.kind.Idempotent}
		err := r.Scan(&l.workspace, &l.id, &l.contact, &l.run, &l.funnel, &l.version, &l.seq, &l.node, &l.channel, &l.class, &l.topic, &l.creative,
			&l.sender, &l.attempts, &l.due, &l.expires, &l.quiet, &l.campaign, &l.artifact, &l.campaignSlug, &l.tried)
		return &l, err
	})
	if err != nil {
		return nil, fmt.Errorf("lease messages: %w", err)
	}
	return leased, nil
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
