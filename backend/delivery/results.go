package delivery

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"time"

	"github.com/lejek/lejek/backend/events"
	"github.com/lejek/lejek/backend/mailwire"
	"github.com/lejek/lejek/backend/providers"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/engine"
)

// writeStopped stores what became of letters that do not leave now.
func writeStopped(ctx context.Context, tx store.Tx, letters []*letter) error {
	var workspaces, ids [][16]byte
	var status, reasons []string
	var again []time.Time
	for _, l := range letters {
		if l.state != leaves {
			workspaces, ids = append(workspaces, l.workspace), append(ids, l.id)
			status, reasons = append(status, states[l.state]), append(reasons, l.reason)
			again = append(again, l.until)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	_, err := tx.Exec(ctx, `UPDATE messages m SET status = x.status, reason = x.reason,
			next_attempt_at = CASE WHEN x.status = 'queued' THEN x.again ELSE m.next_attempt_at END
		FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::timestamptz[]) AS x (w, id, status, reason, again) WHERE m.workspace_id = x.w AND m.id = x.id`,
		workspaces, ids, status, reasons, again)
	if err != nil {
		return fmt.Errorf("store what the gate said: %w", err)
	}
	return nil
}

// writeBodies keeps what leaves for the first time.
func writeBodies(ctx context.Context, tx store.Tx, letters []*letter) error {
	var workspaces, ids [][16]byte
	var subjects, htmls, texts []string
	var headers, links, pdfs, spliced [][]byte
	var artifacts []string
	for _, l := range letters {
		if l.again {
			continue
		}
		head, err := json.Marshal(l.mail.Headers)
		if err != nil {
			return fmt.Errorf("keep a body: %w", err)
		}
		var list []byte
		if len(l.links) > 0 {
			if list, err = json.Marshal(l.links); err != nil {
				return fmt.Errorf("keep a body: %w", err)
			}
		}
		workspaces, ids = append(workspaces, l.workspace), append(ids, l.id)
		html, text, artifact := l.mail.HTML, l.mail.Text, ""
		if l.spliced != nil {
			html, text, artifact = "", "", l.hash
		}
		subjects, htmls, texts = append(subjects, l.mail.Subject), append(htmls, html), append(texts, text)
		artifacts, spliced = append(artifacts, artifact), append(spliced, l.spliced)
		headers, links, pdfs = append(headers, head), append(links, list), append(pdfs, l.mail.PDF)
	}
	if len(ids) == 0 {
		return nil
	}
	_, err := tx.Exec(ctx, `INSERT INTO message_bodies (workspace_id, message_id, subject, html, text, headers, links, pdf, artifact, spliced)
		SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::jsonb[], $7::jsonb[], $8::bytea[], $9::text[], $10::bytea[])`,
		workspaces, ids, subjects, htmls, texts, headers, links, pdfs, artifacts, spliced)
	if err != nil {
		return fmt.Errorf("keep bodies: %w", err)
	}
	return writeShortLinks(ctx, tx, letters)
}

// Retries of a message that was certainly not taken, in order; after the last one it has failed.
var retries = []time.Duration{5 * time.Minute, 15 * time.Minute, time.Hour, 4 * time.Hour}

const (
	accountRest  = 30 * time.Second // of a message whose account cannot be reached
	maxAmbiguous = 2                // hand-overs of a transactional message that may have left
	keyMargin    = time.Hour        // before the end of the time a provider knows a key for
	possiblySent = "possibly sent"
)

// secondTry is when a transactional message that may have left is tried again: there was time for news from the provider.
var secondTry = map[string]time.Duration{engine.ChannelEmail: 15 * time.Minute, engine.ChannelSMS: 5 * time.Minute, engine.ChannelWhatsApp: 5 * time.Minute}

// keyedRetries are the waits before asking a provider again that knows the key.
var keyedRetries = []time.Duration{5 * time.Second, 30 * time.Second, 2 * time.Minute, 10 * time.Minute, 30 * time.Minute}

// result is the outcome of one hand-over.
type result struct{ providers.Outcome }

// outcome is what a result means for the message.
func (l *letter) outcome(now time.Time) (status, reason string, next time.Time) {
	r := l.result
	next = l.due
	switch r.Verdict {
	case mailwire.Accepted:
		return "sent", "", next
	case mailwire.Refused:
		return "failed", "refused: " + r.Code, next
	case mailwire.Uncertain:
		return l.perhaps(now)
	case mailwire.Unbegun:
		return "queued", "", next
	case mailwire.Postponed: // it was not taken; what follows says when it is tried again
	}
	if r.free() {
		return "queued", "account: " + r.Code, now.Add(r.rest())
	}
	if tried := int(l.attempts) - 1; tried < len(retries) {
		return "queued", "postponed: " + r.Code, now.Add(retries[tried])
	}
	return "failed", "gave up: " + r.Code, next
}

// perhaps is what becomes of a message that may have been taken. A provider that knows a key again is asked again with the same key, as long as
// it knows it. Else marketing is not sent again, and a transactional message once, after there was time for news of it.
func (l *letter) perhaps(now time.Time) (status, reason string, next time.Time) {
	if l.keyKnown {
		tried := min(max(int(l.attempts)-1, 0), len(keyedRetries)-1)
		return "queued", possiblySent, now.Add(keyedRetries[tried])
	}
	if l.marketing() || l.attempts >= maxAmbiguous {
		return "unknown", possiblySent, l.due
	}
	grace, ok := secondTry[l.channel]
	if !ok {
		grace = secondTry[engine.ChannelEmail]
	}
	return "queued", possiblySent, now.Add(grace)
}

// free tells whether a failure uses up no attempt of the message: it is not the message's.
func (r result) free() bool {
	return r.Verdict == mailwire.Unbegun || r.Verdict == mailwire.Postponed && (r.Account || r.Slow)
}

// rest is how long a message waits after a failure of its account.
func (r result) rest() time.Duration {
	if r.After > 0 {
		return clampAfter(r.After)
	}
	return accountRest
}

const updateMessages = `UPDATE messages m SET status = x.status, reason = nullif(x.reason, ''), attempts = x.attempts, next_attempt_at = x.next,
		to_address = x.addressee, lease_until = NULL, sent_at = CASE WHEN x.status = 'sent' THEN $1::timestamptz ELSE m.sent_at END,
		delivered_at = CASE WHEN x.status = 'sent' THEN $1::timestamptz ELSE m.delivered_at END,
		bounced_at = CASE WHEN x.bounced THEN $1::timestamptz ELSE m.bounced_at END
	FROM unnest($2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::smallint[], $7::timestamptz[], $8::text[], $9::boolean[])
		AS x (w, id, status, reason, attempts, next, addressee, bounced)
	WHERE m.workspace_id = x.w AND m.id = x.id`

// writeResults stores what became of letters that were handed over, and tells the inbox.
func writeResults(ctx context.Context, tx store.Tx, letters []*letter) error {
	n := len(letters)
	if n == 0 {
		return nil
	}
	workspaces, ids := make([][16]byte, n), make([][16]byte, n)
	statuses, reasons, addressees := make([]string, n), make([]string, n), make([]string, n)
	attempts, next, bounced := make([]int16, n), make([]time.Time, n), make([]bool, n)
	var news postings
	for i, l := range letters {
		workspaces[i], ids[i], addressees[i], attempts[i] = l.workspace, l.id, l.to, l.attempts
		statuses[i], reasons[i], next[i] = l.outcome(tx.Now)
		bounced[i] = l.result.Verdict == mailwire.Refused && l.result.Recipient
		if l.result.free() {
			attempts[i]--
		}
		if err := news.add(l, statuses[i], bounced[i], tx.Now); err != nil {
			return err
		}
	}
	if _, err := tx.Exec(ctx, updateMessages, tx.Now, workspaces, ids, statuses, reasons, attempts, next, addressees, bounced); err != nil {
		return fmt.Errorf("store results: %w", err)
	}
	return news.write(ctx, tx)
}

// postings are internal events on their way into the inbox.
type postings struct {
	workspaces, contacts [][16]byte
	names                []string
	at                   []time.Time
	props                [][]byte
}

// add posts what a result tells the world.
func (p *postings) add(l *letter, status string, bounced bool, now time.Time) error {
	var names []string
	switch {
	case status == "sent":
		names = []string{events.MessageAccepted}
	case bounced:
		names = []string{"message_bounced"}
	}
	for _, name := range names {
		if err := p.post(l, name, now, nil); err != nil {
			return err
		}
	}
	return nil
}

func (p *postings) post(l *letter, name string, now time.Time, more map[string]any) error {
	props := map[string]any{"message": l.id.String(), engine.PropStep: l.node, "channel": l.channel}
	if l.run != nil {
		props[engine.PropRun] = l.run.String()
	}
	if l.campaignSlug != "" {
		props[engine.PropCampaign] = l.campaignSlug
	}
	maps.Copy(props, more)
	raw, err := json.Marshal(props)
	if err != nil {
		return fmt.Errorf("describe what became of a message: %w", err)
	}
	p.workspaces, p.contacts = append(p.workspaces, l.workspace), append(p.contacts, l.contact)
	p.names, p.at, p.props = append(p.names, name), append(p.at, now), append(p.props, raw)
	return nil
}

func (p *postings) write(ctx context.Context, tx store.Tx) error {
	if len(p.names) == 0 {
		return nil
	}
	_, err := tx.Exec(ctx, `INSERT INTO inbox (workspace_id, contact_id, name, at, due_at, props)
		SELECT w, c, name, at, at, props FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::timestamptz[], $5::jsonb[]) AS x (w, c, name, at, props)`,
		p.workspaces, p.contacts, p.names, p.at, p.props)
	if err != nil {
		return fmt.Errorf("tell what became of messages: %w", err)
	}
	return nil
}
