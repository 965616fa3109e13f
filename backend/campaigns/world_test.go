package campaigns_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/backend/app"
	"github.com/lejek/lejek/backend/auditor"
	"github.com/lejek/lejek/backend/auth"
	"github.com/lejek/lejek/backend/campaigns"
	"github.com/lejek/lejek/backend/clock"
	"github.com/lejek/lejek/backend/config"
	"github.com/lejek/lejek/backend/events"
	"github.com/lejek/lejek/backend/people"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/backend/store/storetest"
	"github.com/lejek/lejek/backend/timeline"
	"github.com/lejek/lejek/engine"
)

// world is the application on a database of its own under the manual clock. Tasks are done by River in the background; everything due is worked off
// by hand, so that a test decides when.
type world struct {
	testing.TB

	app       *app.App
	db        *pgxpool.Pool
	clock     *clock.Manual
	workspace uuid.UUID
	*campaigns.Campaigns
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{TB: t, db: storetest.DB(t)}
	var err error
	w.clock, err = clock.NewManual(t.Context(), w.db, storetest.Now)
	require.NoError(t, err)
	require.NoError(t, events.Prepare(t.Context(), w.db, storetest.Now))
	env := map[string]string{"LEJEK_DATA_DIR": t.TempDir(), "LEJEK_CLOCK": "manual", "LEJEK_SECRET": strings.Repeat("6b696e64", 8)}
	cfg, err := config.From(func(name string) string { return env[name] })
	require.NoError(t, err)
	w.app, err = app.New(t.Context(), app.Config{Config: cfg}, app.Deps{
		Pool: w.db, Clock: w.clock, Logger: slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelError})),
	})
	require.NoError(t, err)
	_, _, made, err := w.app.Auth.Setup(t.Context(), w.clock, auth.SetupInput{Name: "Anna", Email: "anna@lejek.example", Password: uuid.NewString(), Workspace: "Acme", Zone: "UTC"})
	require.NoError(t, err)
	w.workspace, w.Campaigns = made.ID, w.app.Campaigns
	w.exec("INSERT INTO lists (workspace_id, slug, name, description, created_at) VALUES ($1, 'news', 'News', '', $2)", w.workspace, storetest.Now)
	return w
}

func (w *world) exec(sql string, args ...any) {
	w.Helper()
	_, err := w.db.Exec(w.Context(), sql, args...)
	require.NoError(w, err)
}

func (w *world) count(sql string, args ...any) (n int) {
	w.Helper()
	require.NoError(w, w.db.QueryRow(w.Context(), sql, args...).Scan(&n))
	return n
}

// join makes people on the list who agreed to e-mail.
func (w *world) join(from, to int, zone string) {
	w.Helper()
	var inputs []people.Input
	for i := from; i < to; i++ {
		in := people.Input{Email: fmt.Sprintf("p%05d@example.com", i), Lists: []string{"news"}, Consents: []people.ConsentInput{{Channel: "email", State: people.Granted, Source: "test"}}}
		if zone != "" {
			in.Zone = &zone
		}
		inputs = append(inputs, in)
	}
	w.bring(inputs)
}

// bring writes people down.
func (w *world) bring(inputs []people.Input) {
	w.Helper()
	require.NoError(w, store.InTx(w.Context(), w.db, w.clock, func(tx store.Tx) error {
		outcomes, err := w.app.Worker.People.UpsertMany(w.Context(), tx, w.workspace, inputs, people.Options{})
		for _, outcome := range outcomes {
			require.NoError(w, outcome.Err)
		}
		return err
	}))
}

// document is a campaign to the list.
func document(change func(d *campaigns.Document)) campaigns.Document {
	d := campaigns.Document{
		Channel: "email", Audience: campaigns.Audience{Include: []string{"list:news"}}, When: campaigns.When{Mode: campaigns.ModeNow},
		Variants: []campaigns.Variant{variant("a", "Sale")},
	}
	if change != nil {
		change(&d)
	}
	return d
}

func variant(id, subject string) campaigns.Variant {
	return campaigns.Variant{ID: id, Weight: 1, Creative: engine.Creative{Channel: "email", Subject: subject, Blocks: []engine.Block{
		{ID: "h", Type: "heading", Level: 1, Text: "Come"}, {ID: "b", Type: "button", Text: "Shop", URL: "https://shop.example/"}, {ID: "f", Type: "footer"},
	}}}
}

func (w *world) make(d campaigns.Document) campaigns.Campaign {
	w.Helper()
	raw, err := json.Marshal(d)
	require.NoError(w, err)
	made, err := w.Create(w.Context(), w.workspace, "Sale", raw, nil)
	require.NoError(w, err)
	return made
}

// start freezes the audience.
func (w *world) start(d campaigns.Document) uuid.UUID {
	w.Helper()
	made := w.make(d)
	_, _, err := w.Start(w.Context(), w.workspace, made.ID, campaigns.Wish{Revision: 1, AcceptWarnings: true})
	require.NoError(w, err)
	_, err = w.app.Tasks.Settle(w.Context())
	require.NoError(w, err)
	return made.ID
}

// settle works off what is due.
func (w *world) settle(ctx context.Context) error { return w.app.Settle(ctx) }

// advance moves business time.
func (w *world) advance(d time.Duration) {
	w.Helper()
	require.NoError(w, timeline.Walk(w.Context(), w.db, w.clock, w.clock.Now().Add(d), w.settle))
}

func (w *world) state(id uuid.UUID) campaigns.Campaign {
	w.Helper()
	found, err := w.Get(w.Context(), w.workspace, id)
	require.NoError(w, err)
	return found
}

func (w *world) audit() {
	w.Helper()
	found, err := auditor.Audit(w.Context(), w.db, auditor.Options{Due: w.clock.Now(), Machine: clock.Machine{}.Now()})
	require.NoError(w, err)
	require.Empty(w, found)
}

// sentTo counts the messages that left, all and by distinct people.
func (w *world) sentTo(id uuid.UUID) (messages, persons int) {
	w.Helper()
	return w.count("SELECT count(*) FROM messages WHERE campaign_id = $1 AND status = 'sent'", id),
		w.count("SELECT count(DISTINCT contact_id) FROM messages WHERE campaign_id = $1 AND status = 'sent'", id)
}
