package chaos

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/backend/campaigns"
	"github.com/lejek/lejek/backend/clock"
	"github.com/lejek/lejek/backend/fault"
)

const sale = `{"channel": "email", "audience": {"include": ["list:all"]}, "when": {"mode": "now"}, "variants": [{"id": "a", "weight": 1, "creative": {"channel": "email", "subject": "Sale",
	"blocks": [{"id": "b1", "type": "heading", "text": "Hello {{ first_name }}", "level": 1}, {"id": "b2", "type": "footer"}]}}]}`

// TestFault_48_ACampaignIsPausedKilledAndLosesItsDatabase pauses a campaign three times, kills its worker twice while it sends and has two more
// die inside the freezing of the audience and inside a batch, and crashes the database once. Whoever was on the frozen list receives it, and receives it once; who joined
// the list later does not. The whole programme does so in the sandbox and to a mail server, which keeps a ledger; the short one to the mail server.
func TestFault_48_ACampaignIsPausedKilledAndLosesItsDatabase(t *testing.T) {
	t.Parallel()
	for _, live := range pick([]bool{false, true}, []bool{true}) {
		t.Run(fmt.Sprintf("live %t", live), func(t *testing.T) { campaignOfCrashes(t, live) })
	}
}

func campaignOfCrashes(t *testing.T, live bool) {
	t.Helper()
	server, _ := own(t)
	f := raise(t, server.URL("postgres"))
	people := pick(40_000, 3000)
	var mails *mailServer
	if live {
		mails = f.live(pick(2000, 500))
	}
	f.exec("INSERT INTO lists (workspace_id, slug, name, description, created_at) VALUES ($1, 'all', 'All', '', $2)", f.workspace, f.now())
	f.join(people)
	made, err := f.app.Campaigns.Create(t.Context(), f.workspace, "Sale", json.RawMessage(sale), nil)
	require.NoError(t, err)
	_, _, err = f.app.Campaigns.Start(t.Context(), f.workspace, made.ID, campaigns.Wish{Revision: 1, AcceptWarnings: true})
	require.NoError(t, err)

	victim := f.start(map[string]string{"LEJEK_FAILPOINTS": "campaigns.before_written=exit@2"}, "worker")
	select {
	case <-victim.ended:
	case <-time.After(patience):
		t.Fatal("the audience was never frozen")
	}
	require.Equal(t, 2000, f.count("SELECT count(*) FROM campaign_recipients"), "the portion that was committed is kept, the one after it is not begun")
	require.Equal(t, people, f.count("SELECT total FROM campaigns WHERE state = 'freezing'"))
	f.join(50) // too late: who is in the audience is decided

	worker := f.worker("campaigns.before_commit=exit@3")
	f.until(2*patience, "the audience is frozen", func() bool { return f.count("SELECT count(*) FROM campaigns WHERE state = 'sending'") == 1 })
	select {
	case <-worker.ended:
	case <-time.After(patience):
		t.Fatal("the worker did not come to its third batch")
	}
	_, _, err = f.app.Campaigns.Start(t.Context(), f.workspace, made.ID, campaigns.Wish{Revision: 1})
	require.Equal(t, fault.Conflict, fault.CodeOf(err), "the audience is frozen once")

	worker = f.worker("")
	for round := range 3 {
		f.until(patience, "it goes on", func() bool { return f.sent(made.ID) >= (round+1)*people/5 || f.over(made.ID) })
		f.pause(made.ID)
		f.until(patience, "what was handed over before is noted", func() bool { return f.count("SELECT count(*) FROM messages WHERE status = 'sending'") == 0 })
		before := f.sent(made.ID)
		f.pass(300 * time.Millisecond)
		require.Equal(t, before, f.sent(made.ID), "nothing leaves while it is paused")
		if round == 1 {
			require.NoError(t, server.Crash(t.Context()))
		}
		f.until(patience, "it is resumed", func() bool {
			_, err := f.app.Campaigns.Resume(t.Context(), f.workspace, made.ID)
			return err == nil
		})
		if round != 1 {
			f.pass(50 * time.Millisecond)
			worker.kill()
			worker = f.worker("")
		}
	}
	f.until(2*patience, "the campaign is over", func() bool { return f.over(made.ID) })

	require.Equal(t, people, f.count("SELECT count(*) FROM campaign_recipients WHERE campaign_id = $1", made.ID))
	sent := people
	if live {
		sent = f.arrived(mails, made.ID, people)
	}
	require.Equal(t, sent, f.sent(made.ID))
	require.Equal(t, sent, f.count(`SELECT count(DISTINCT m.contact_id) FROM messages m JOIN campaign_recipients r ON r.campaign_id = m.campaign_id AND r.contact_id = m.contact_id
		JOIN message_bodies b ON b.message_id = m.id WHERE m.campaign_id = $1 AND m.status = 'sent'`, made.ID))
	f.until(patience, "all is told", func() bool { return f.count("SELECT count(*) FROM inbox") == 0 })
	require.Equal(t, sent, f.count("SELECT count(*) FROM events WHERE name = 'message_sent' AND props->>'campaign' = 'sale'"))
	f.audit()
}

// arrived compares what is noted with what the mail server took: each person's mail once, and everybody's that is noted as sent. It answers how
// many are noted so; the others died in the server's hands, possibly sent.
func (f *fleet) arrived(mails *mailServer, campaign uuid.UUID, people int) (sent int) {
	f.Helper()
	report := mails.ledger()
	rows, err := f.db.Query(f.Context(), "SELECT status, coalesce(to_address, '') FROM messages WHERE campaign_id = $1", campaign)
	require.NoError(f, err)
	var status, to string
	unknown := 0
	_, err = pgx.ForEachRow(rows, []any{&status, &to}, func() error {
		switch got := report.To[to]; {
		case status == "sent" && got == 1:
			sent++
		case status == "unknown" && got <= 1:
			unknown++
		default:
			f.Errorf("the mail to %q is noted as %s and arrived %d times", to, status, got)
		}
		return nil
	})
	require.NoError(f, err)
	require.Equal(f, people, sent+unknown)
	require.LessOrEqual(f, len(report.To), people)
	f.Logf("%d sent, %d possibly sent, %d mails arrived", sent, unknown, report.Mails)
	return sent
}

// join puts n people on the list who agreed to e-mail.
func (f *fleet) join(n int) {
	f.Helper()
	f.exec(`WITH people AS (
		INSERT INTO contacts (workspace_id, id, email, email_folded, first_name, last_name, name_folded, last_name_folded, zone, language, fields, tags, lists, source, created_at, updated_at)
		SELECT $1, id, id || '@example.com', id || '@example.com', 'Anna', '', 'anna', '', '', '', '{}', '{}', '{all}', 'api', $2::timestamptz, $2
		FROM (SELECT gen_random_uuid() AS id FROM generate_series(1, $3)) AS x RETURNING id)
		INSERT INTO consents (workspace_id, contact_id, channel, topic, state, source, at) SELECT $1, id, 'email', '', 'granted', 'test', $2 FROM people`,
		f.workspace, clock.Micro(f.now()), n)
}

func (f *fleet) sent(campaign uuid.UUID) int {
	return f.count("SELECT count(*) FROM messages WHERE campaign_id = $1 AND status = 'sent'", campaign)
}

func (f *fleet) over(campaign uuid.UUID) bool {
	return f.count("SELECT count(*) FROM campaigns WHERE id = $1 AND state = 'done'", campaign) == 1
}

// pause pauses a campaign that is not over.
func (f *fleet) pause(campaign uuid.UUID) {
	f.Helper()
	f.until(patience, "it is paused", func() bool {
		_, err := f.app.Campaigns.Pause(f.Context(), f.workspace, campaign)
		if fault.CodeOf(err) == fault.Conflict {
			f.Fatal(fmt.Sprint("it was over too soon: ", err))
		}
		return err == nil
	})
}
