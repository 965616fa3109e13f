package sample

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/lejek/lejek/backend/auth"
	"github.com/lejek/lejek/backend/campaigns"
	"github.com/lejek/lejek/backend/clock"
	"github.com/lejek/lejek/backend/delivery"
	"github.com/lejek/lejek/backend/events"
	"github.com/lejek/lejek/backend/funnels"
	"github.com/lejek/lejek/backend/people"
	"github.com/lejek/lejek/backend/plans"
	"github.com/lejek/lejek/backend/runner"
	"github.com/lejek/lejek/backend/segments"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/backend/tasks"
	"github.com/lejek/lejek/backend/workspaces"
)

const (
	// Email is who can sign in to the sample.
	Email = "maja@studio-aurora.example"

	zone    = "Europe/Warsaw"
	seed    = 20261130
	history = 90 * 24 * time.Hour // of imported classes and orders
	story   = 21 * 24 * time.Hour // played live
	// arrivals is the time before the story in which people came, one after the other.
	arrivals = 200 * 24 * time.Hour
)

// Deps are what the story is played with.
type Deps struct {
	DB       store.DB
	Clock    clock.Source
	Machine  clock.Clock
	Secret   []byte
	BaseURL  string
	Compile  funnels.Compile
	Template func(artifact []byte) (delivery.Template, error)
	Logger   *slog.Logger
}

// Seed makes the sample workspace and its administrator, with the given password, in an installation that has nobody yet. It answers false
// and does nothing in one that has.
func Seed(ctx context.Context, deps Deps, password string) (seeded bool, err error) {
	need, err := auth.New(auth.Options{DB: deps.DB, Machine: deps.Machine, BaseURL: deps.BaseURL}).NeedsSetup(ctx)
	if err != nil || !need {
		return false, err
	}
	end := deps.Clock.Now()
	err = store.InTx(ctx, deps.DB, deps.Clock, func(tx store.Tx) error {
		// The bare transaction: a store.Tx would give its own instant to everything within.
		s, err := newStudio(ctx, tx.Tx, deps, end, password)
		if err != nil {
			return err
		}
		if err := s.play(ctx); err != nil {
			return err
		}
		if _, manual := deps.Clock.(*clock.Manual); manual {
			return nil // the row stands at end
		}
		_, err = tx.Exec(ctx, "DELETE FROM clock")
		return err
	})
	if err != nil {
		return false, fmt.Errorf("make the sample workspace: %w", err)
	}
	return true, nil
}

// studio is the workspace while its story is played.
type studio struct {
	tx        pgx.Tx
	end       time.Time
	clock     *clock.Manual
	dice      *dice
	workspace uuid.UUID
	people    *people.People
	funnels   *funnels.Funnels
	reactor   *events.Reactor
	inbox     *events.Inbox
	runner    *runner.Runner
	deliverer *delivery.Deliverer
	tasks     *tasks.Tasks
	campaigns *campaigns.Campaigns
	mood      *dice // of those a campaign reaches: what they do changes nothing else in the story
	announced bool
	crowd     []people.Input
}

func newStudio(ctx context.Context, tx pgx.Tx, deps Deps, end time.Time, password string) (*studio, error) {
	if _, err := tx.Exec(ctx, "DELETE FROM clock"); err != nil {
		return nil, err
	}
	manual, err := clock.NewManual(ctx, tx, end.Add(-history-arrivals))
	if err != nil {
		return nil, err
	}
	_, user, ws, err := auth.New(auth.Options{DB: tx, Machine: deps.Machine, BaseURL: deps.BaseURL}).Setup(ctx, manual, auth.SetupInput{
		Name: "Maja Kowalczyk", Email: Email, Password: password, Workspace: "Studio Aurora", Zone: zone, Language: "en",
	})
	if err != nil {
		return nil, err
	}
	s := &studio{tx: tx, end: end, clock: manual, dice: &dice{state: seed}, mood: &dice{state: seed + 1}, workspace: ws.ID, people: people.New(tx, manual, deps.Secret)}
	cache := &plans.Cache{}
	s.funnels = funnels.New(tx, manual, deps.Compile)
	s.reactor = &events.Reactor{Plans: cache, People: s.people}
	s.inbox = &events.Inbox{DB: tx, Clock: manual, Reactor: s.reactor}
	s.runner = &runner.Runner{DB: tx, Clock: manual, Machine: deps.Machine, Plans: cache, People: s.people, Logger: deps.Logger}
	s.deliverer = delivery.New(delivery.Config{
		DB: tx, Clock: manual, Machine: deps.Machine, Plans: cache, People: s.people, Template: deps.Template, Secret: deps.Secret,
		BaseURL: deps.BaseURL, Worker: "sample", Logger: deps.Logger,
	})
	if s.tasks, err = tasks.New(tx, manual, deps.Logger); err != nil {
		return nil, err
	}
	s.campaigns = campaigns.New(campaigns.Options{
		DB: tx, Clock: manual, Compile: deps.Compile, Tasks: s.tasks,
		Segments: segments.New(segments.Options{DB: tx, Clock: manual, Hash: people.NewSuppressionKey(deps.Secret).Hash, References: funnels.References}),
	})
	s.tasks.Register(s.campaigns.FreezeTask())
	return s, s.furnish(ctx, user.ID)
}

// furnish makes what funnels refer to, the funnels, and what happened before they were there.
func (s *studio) furnish(ctx context.Context, by uuid.UUID) error {
	address, currency := "Studio Aurora, ul. Józefa 12, 31-056 Kraków", "PLN"
	inner := store.Tx{Tx: s.tx, Now: s.clock.Now()}
	if _, err := workspaces.Update(ctx, inner, s.workspace, workspaces.Patch{Address: &address, Currency: &currency}); err != nil {
		return err
	}
	_, err := workspaces.PutSender(ctx, inner, s.workspace, workspaces.Sender{
		Slug: workspaces.MainSender, Name: "Studio Aurora", Email: "hello@studio-aurora.example", Default: true,
	})
	if err != nil {
		return err
	}
	for _, do := range []func() error{
		func() error { return s.people.PutField(ctx, s.workspace, "city", "text", "City") },
		func() error { return s.people.PutField(ctx, s.workspace, "favourite_class", "text", "Favourite class") },
		func() error { return s.people.PutField(ctx, s.workspace, "visits", "number", "Visits") },
		func() error {
			return s.people.PutList(ctx, s.workspace, "newsletter", "Newsletter", "A letter a month")
		},
		func() error { return s.people.PutTag(ctx, s.workspace, "regular", "Regular") },
		func() error { return s.people.PutTag(ctx, s.workspace, "new-student", "New student") },
		func() error {
			return s.people.PutTopic(ctx, s.workspace, "news", "Studio news", "Classes, teachers, events")
		},
	} {
		if err := do(); err != nil {
			return err
		}
	}
	for n := range crowd {
		if err := s.to(ctx, s.end.Add(-history-arrivals+arrivals*time.Duration(n)/crowd)); err != nil {
			return err
		}
		who := someone(s.dice, n, s.clock.Now())
		if _, err := s.people.Upsert(ctx, s.workspace, who, "import"); err != nil {
			return fmt.Errorf("person %d: %w", n+1, err)
		}
		s.crowd = append(s.crowd, who)
	}
	for _, draft := range []struct {
		name     string
		document funnels.Document
		publish  bool
	}{
		{"Welcome and first booking", welcome(), true},
		{"Abandoned cart", abandonedCart(), true},
		{"Win back after 60 days", winBack(), true},
		{"Review request", reviewRequest(), false},
	} {
		made, err := s.funnels.Create(ctx, s.workspace, draft.name, draft.document, &by)
		if err != nil {
			return fmt.Errorf("%s: %w", draft.name, err)
		}
		if !draft.publish {
			continue
		}
		_, err = s.funnels.Publish(ctx, s.workspace, made.Head.ID, funnels.Publish{Revision: made.Head.Revision, AcceptWarnings: true, By: &by})
		if err != nil {
			return fmt.Errorf("publish %s: %w", draft.name, err)
		}
	}
	return nil
}
