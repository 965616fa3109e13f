package bench

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strconv"
	"time"

	"github.com/google/uuid"

	"github.com/lejek/lejek/backend/clock"
	"github.com/lejek/lejek/backend/delivery"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/backend/workspaces"
)

//go:embed newsletter.json
var newsletter []byte

// SendOptions size the measurement; the zero value is the design's.
type SendOptions struct {
	Unsigned int    // mails; 0 is 40,000
	Signed   int    // 0 is 12,000
	Kill     int    // kill -9 the worker so often, in a run of its own
	Seed     uint64 // of the moments of killing
	Workers  int    // 0 is 1
}

// SendResult is how many mails a second an SMTP server accepts from a campaign: three merge fields, tracked links, ways out by one click, an attempt
// kept before each hand-over and after it. Lost are mails that are noted as sent, or were to be sent, and did not arrive; unknown are
// those noted as possibly sent.
type SendResult struct {
	UnsignedPerS float64 `json:"unsigned_per_s"`
	SignedPerS   float64 `json:"signed_per_s"`
	Lost         int     `json:"lost"`
	Doubled      int     `json:"doubled"`
	Unknown      int     `json:"unknown"`
	Kills        int     `json:"kills"`
	Verified     int     `json:"verified"`
}

// post is an installation with a campaign's people and a mail server.
type post struct {
	*installation

	sink     *sinkProcess
	contacts []uuid.UUID
	artifact string
	provider uuid.UUID
	workers  []*process
	perHour  int // the limit of an hour that was set; 0 is none
	progress io.Writer
}

// Send measures a worker process that sends to a mail server in another one.
func Send(ctx context.Context, options SendOptions, progress io.Writer) (result SendResult, err error) {
	options.Unsigned, options.Signed, options.Workers = cmp.Or(options.Unsigned, 40_000), cmp.Or(options.Signed, 12_000), cmp.Or(options.Workers, 1)
	p, err := openPost(ctx, max(options.Unsigned, options.Signed), delivery.SMTPSettings{PerSecond: 10_000}, progress)
	if err != nil {
		return result, err
	}
	defer func() { err = errors.Join(err, p.close(context.WithoutCancel(ctx))) }()
	if result.UnsignedPerS, err = p.campaign(ctx, "Unsigned", options.Unsigned, options.Workers, 0, nil, &result); err != nil {
		return result, err
	}
	if options.Kill > 0 {
		fmt.Fprintf(progress, "Kills: seed %d\n", options.Seed)
		if _, err = p.campaign(ctx, "Killed", options.Unsigned, options.Workers, options.Kill, rand.New(rand.NewPCG(options.Seed, 1)), &result); err != nil { //nolint:gosec // its seed is printed
			return result, err
		}
	}
	if err := p.sign(ctx); err != nil {
		return result, err
	}
	result.SignedPerS, err = p.campaign(ctx, "Signed", options.Signed, options.Workers, 0, nil, &result)
	return result, err
}

func openPost(ctx context.Context, people int, settings delivery.SMTPSettings, progress io.Writer) (p *post, err error) {
	p = &post{progress: progress}
	db, err := OpenDatabase(ctx, 12, progress)
	if err != nil {
		return nil, err
	}
	if p.sink, err = startSink(ctx); err != nil {
		return nil, errors.Join(err, db.Close(context.WithoutCancel(ctx)))
	}
	env := map[string]string{"LEJEK_SMTP_URL": "smtp://127.0.0.1:" + strconv.Itoa(p.sink.port)} // the operator allows a server that is not public
	if p.installation, err = install(ctx, db, env, newsletter); err != nil {
		return nil, errors.Join(err, p.sink.close(), db.Close(context.WithoutCancel(ctx)))
	}
	settings.SMTPConfig, settings.Active = delivery.SMTPConfig{Host: "127.0.0.1", Port: p.sink.port, TLS: "none"}, true
	return p, p.furnish(ctx, people, settings)
}

// furnish makes sender, provider and people, and finds the compiled newsletter.
func (p *post) furnish(ctx context.Context, people int, settings delivery.SMTPSettings) error {
	live, now := "live", clock.Micro(p.app.Clock.Now())
	err := store.InTx(ctx, p.db.Pool, p.app.Clock, func(tx store.Tx) error {
		if _, err := workspaces.Update(ctx, tx, p.workspace, workspaces.Patch{SendingMode: &live}); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `INSERT INTO senders (workspace_id, slug, name, email, reply_to, verified_at, is_default, created_at)
			VALUES ($1, 'bench', 'Shop', 'shop@bench.example', '', $2, NOT EXISTS (SELECT 1 FROM senders WHERE workspace_id = $1 AND is_default), $2)`, p.workspace, now)
		if err != nil {
			return fmt.Errorf("make the sender: %w", err)
		}
		return p.app.Worker.Deliverer.SaveSMTP(ctx, tx, p.workspace, settings)
	})
	if err != nil {
		return err
	}
	err = p.db.Pool.QueryRow(ctx, `SELECT (SELECT artifacts ->> 'news' FROM funnel_versions WHERE workspace_id = $1),
		(SELECT id FROM providers WHERE workspace_id = $1)`, p.workspace).Scan(&p.artifact, &p.provider)
	if err != nil {
		return fmt.Errorf("find the newsletter: %w", err)
	}
	fmt.Fprintf(p.progress, "Adding %d people ...\n", people)
	p.contacts = make([]uuid.UUID, people)
	columns := []string{
		"workspace_id", "id", "email", "email_folded", "first_name", "last_name", "name_folded", "last_name_folded", "zone", "language", "fields", "tags",
		"lists", "source", "created_at", "updated_at",
	}
	err = p.copyIn(ctx, "contacts", columns, people, func(i int) ([]any, error) {
		p.contacts[i] = store.NewID()
		mail := customer(i)
		return []any{p.workspace, p.contacts[i], mail, mail, "Anna", "Nowak", "anna", "nowak", "", "", json.RawMessage(`{"city": "Kraków"}`), []string{}, []string{}, "api", now, now}, nil
	})
	if err != nil {
		return err
	}
	return p.copyIn(ctx, "consents", []string{"workspace_id", "contact_id", "channel", "topic", "state", "source", "at"}, people, func(i int) ([]any, error) {
		return []any{p.workspace, p.contacts[i], "email", "", "granted", "bench", now}, nil
	})
}

// sign makes a key for the sender's domain and uses it from now on.
func (p *post) sign(ctx context.Context) error {
	var public string
	err := store.InTx(ctx, p.db.Pool, p.app.Clock, func(tx store.Tx) (err error) {
		if public, err = p.app.Worker.Deliverer.EnsureDomain(ctx, tx, p.workspace, "bench.example"); err != nil {
			return err
		}
		return delivery.SetSigning(ctx, tx, p.workspace, "bench.example", true)
	})
	if err != nil {
		return err
	}
	_, err = p.sink.ask("key v=DKIM1; k=rsa; p=" + public)
	return err
}

// queue makes a campaign with one message for each of the first n people, ready to leave.
func (p *post) queue(ctx context.Context, name string, n, lane int, class string) (campaign uuid.UUID, err error) {
	campaign = store.NewID()
	now := clock.Micro(p.app.Clock.Now())
	_, err = p.db.Pool.Exec(ctx, `INSERT INTO campaigns (workspace_id, id, slug, name, state, document, revision, frozen_at, feed_at, total, created_at, updated_at)
		VALUES ($1, $2, $3, $4, 'sending', '{}', 1, $5, 'infinity', $6, $5, $5)`, p.workspace, campaign, "c-"+campaign.String(), name, now, n)
	if err != nil {
		return campaign, fmt.Errorf("make a campaign: %w", err)
	}
	columns := []string{
		"workspace_id", "id", "seq", "node", "contact_id", "channel", "class", "creative", "sender", "provider_id", "lane", "status", "due_at", "next_attempt_at",
		"created_at", "campaign_id", "artifact",
	}
	err = p.copyIn(ctx, "messages", columns, n, func(i int) ([]any, error) {
		return []any{
			p.workspace, store.NewID(), 0, "", p.contacts[i], "email", class, "news", "bench", p.provider, lane, "queued", now, now, now, campaign, p.artifact,
		}, nil
	})
	if err != nil {
		return campaign, err
	}
	for _, table := range []string{"messages", "contacts", "consents", "campaigns"} {
		if _, err := p.db.Pool.Exec(ctx, "ANALYZE "+table); err != nil {
			return campaign, err
		}
	}
	return campaign, nil
}

// man starts workers.
func (p *post) man(ctx context.Context, n int) error {
	for len(p.workers) < n {
		w, err := startProcess(ctx, p.env, "worker")
		if err != nil {
			return err
		}
		p.workers = append(p.workers, w)
	}
	return nil
}

// rest ends the workers in order.
func (p *post) rest() error {
	var errs []error
	for _, w := range p.workers {
		errs = append(errs, w.stop())
	}
	p.workers = nil
	return errors.Join(errs...)
}

// campaign sends to n people and counts what became of each. With kills the worker is killed at moments of the middle part.
func (p *post) campaign(ctx context.Context, name string, n, workers, kills int, random *rand.Rand, result *SendResult) (perSecond float64, err error) {
	if _, err := p.sink.ask("forget"); err != nil {
		return 0, err
	}
	id, err := p.queue(ctx, name, n, 2, "marketing")
	if err != nil {
		return 0, err
	}
	database, sink := cpuOfTree(serverPID(p.db.Server.Dir())), cpuOf(p.sink.cmd.Process.Pid)
	transactions, err := p.transactions(ctx)
	if err != nil {
		return 0, err
	}
	if err := p.man(ctx, workers); err != nil {
		return 0, err
	}
	for i := range kills {
		at := int(float64(n) * (0.2 + 0.6*(float64(i)+random.Float64())/float64(kills)))
		err := p.await(ctx, 10*time.Minute, func() (bool, error) {
			report, err := p.sink.ask("report")
			return report.Mails >= at, err
		})
		if err != nil {
			return 0, err
		}
		victim := random.IntN(len(p.workers))
		if err := p.workers[victim].kill(); err != nil {
			return 0, err
		}
		if p.workers[victim], err = startProcess(ctx, p.env, "worker"); err != nil {
			return 0, err
		}
		result.Kills++
	}
	arrived := -1
	err = p.await(ctx, 20*time.Minute+p.hourly(n), func() (bool, error) {
		open := false
		report, err := p.sink.ask("report")
		if err != nil || report.Mails > arrived { // asking the database costs it time, which is measured
			arrived = report.Mails
			return false, err
		}
		err = p.db.Pool.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM messages WHERE workspace_id = $1 AND campaign_id = $2 AND status IN ('queued', 'sending'))`,
			p.workspace, id).Scan(&open)
		return !open, err
	})
	if err != nil {
		return 0, err
	}
	database, sink = cpuOfTree(serverPID(p.db.Server.Dir()))-database, cpuOf(p.sink.cmd.Process.Pid)-sink
	var own time.Duration
	for _, w := range p.workers {
		own += cpuOf(w.cmd.Process.Pid)
	}
	after, err := p.transactions(ctx)
	if err != nil {
		return 0, err
	}
	fmt.Fprintf(p.progress, "%s: processor time of a mail: worker %d, database %d, mail server %d microseconds; %.2f transactions\n", name,
		own.Microseconds()/int64(n), database.Microseconds()/int64(n), sink.Microseconds()/int64(n), float64(after-transactions)/float64(n))
	if err := p.rest(); err != nil {
		return 0, err
	}
	return p.settle(ctx, name, id, n, result)
}

// hourly is how long so many mails take at least under the account's limit of an hour.
func (p *post) hourly(n int) time.Duration {
	if p.perHour == 0 {
		return 0
	}
	return time.Duration(float64(n) / float64(p.perHour) * float64(time.Hour))
}

// transactions is how many the database has ended so far.
func (p *post) transactions(ctx context.Context) (n int64, err error) {
	err = p.db.Pool.QueryRow(ctx, "SELECT xact_commit + xact_rollback FROM pg_stat_database WHERE datname = current_database()").Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("count transactions: %w", err)
	}
	return n, nil
}

func (p *post) await(ctx context.Context, patience time.Duration, reached func() (bool, error)) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		if done, err := reached(); err != nil || done {
			return err
		}
		for _, w := range p.workers {
			if err := w.alive(); err != nil {
				return err
			}
		}
		if err := rest(ctx, 100*time.Millisecond); err != nil {
			return err
		}
	}
}

// settle compares what is noted with what arrived.
func (p *post) settle(ctx context.Context, name string, campaign uuid.UUID, n int, result *SendResult) (perSecond float64, err error) {
	report, err := p.sink.ask("ledger")
	if err != nil {
		return 0, err
	}
	rows, err := p.db.Pool.Query(ctx, "SELECT status, coalesce(to_address, '') FROM messages WHERE workspace_id = $1 AND campaign_id = $2", p.workspace, campaign)
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	for rows.Next() {
		var status, to string
		if err := rows.Scan(&status, &to); err != nil {
			return 0, err
		}
		switch got := report.To[to]; {
		case status == "unknown":
			result.Unknown++
		case got == 0:
			result.Lost++
		}
		if report.To[to] > 1 {
			result.Doubled++
		}
	}
	result.Verified += report.Verified
	seconds := report.Last.Sub(report.First).Seconds()
	fmt.Fprintf(p.progress, "%s: %d mails in %.1f s, %.0f a second, %d signatures checked\n", name, report.Mails, seconds, float64(n)/seconds, report.Verified)
	if report.Bad != "" {
		return 0, fmt.Errorf("a signature is not good: %s", report.Bad)
	}
	return float64(report.Mails) / seconds, rows.Err()
}

func (p *post) close(ctx context.Context) error {
	return errors.Join(p.rest(), p.stop(ctx), p.sink.close(), p.db.Close(ctx))
}
