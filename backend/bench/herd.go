package bench

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/lejek/lejek/backend/clock"
	"github.com/lejek/lejek/backend/funnels"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/backend/workspaces"
	"github.com/lejek/lejek/engine"
)

//go:embed herd.json
var herdFunnel []byte

// herd is a workspace whose people all stand in the first wait of one funnel.
type herd struct {
	db        *Database
	workspace uuid.UUID
	funnel    uuid.UUID
	version   uuid.UUID
}

// newHerd publishes the funnel: an hour's wait, a mail, ninety days' wait, a mail.
func newHerd(ctx context.Context, db *Database, clk clock.Source) (*herd, error) {
	h := &herd{db: db}
	err := store.InTx(ctx, db.Pool, clk, func(tx store.Tx) error {
		ws, err := workspaces.Create(ctx, tx, workspaces.Input{Name: "Bench", Email: "bench@lejek.example"})
		h.workspace = ws.ID
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("make the workspace: %w", err)
	}
	var bundle engine.Bundle
	if err := json.Unmarshal(herdFunnel, &bundle); err != nil {
		return nil, err
	}
	all := funnels.New(db.Pool, clk, compileNothing)
	made, err := all.Create(ctx, h.workspace, "Bench", funnels.Document{Graph: bundle.Graph, Creatives: bundle.Creatives}, nil)
	if err != nil {
		return nil, fmt.Errorf("make the funnel: %w", err)
	}
	published, err := all.Publish(ctx, h.workspace, made.Head.ID, funnels.Publish{Revision: made.Head.Revision, AcceptWarnings: true})
	if err != nil {
		return nil, fmt.Errorf("publish the funnel: %w", err)
	}
	h.funnel, h.version = made.Head.ID, published.Version.ID
	return h, nil
}

// compileNothing stands for the mail compiler: the engine's bench writes messages and renders none.
func compileNothing(c engine.Creative) (funnels.Compiled, []engine.Problem, error) {
	return funnels.Compiled{Hash: "bench-" + c.Subject, Artifact: json.RawMessage(`{}`)}, nil, nil
}

// add puts n people into the first wait, which ends for all of them at due.
func (h *herd) add(ctx context.Context, n int, due time.Time) error {
	if err := h.copy(ctx, n, func(int) time.Time { return due }); err != nil {
		return err
	}
	return h.tidy(ctx)
}

// portion is how many rows are held in memory at once.
const portion = 50_000

// copy puts n people into the first wait, each with an end of their own.
func (h *herd) copy(ctx context.Context, n int, due func(i int) time.Time) error {
	for from := 0; from < n; from += portion {
		size := min(portion, n-from)
		contacts, consents, runs := make([][]any, size), make([][]any, size), make([][]any, size)
		for i := range size {
			end := due(from + i)
			since := end.Add(-time.Hour)
			contact := uuid.Must(uuid.NewV7())
			mail := contact.String() + "@bench.example"
			contacts[i] = []any{h.workspace, contact, mail, mail, "Anna", "", "anna", "", "", "", map[string]any{}, []string{}, []string{}, "api", since, since}
			consents[i] = []any{h.workspace, contact, "email", "", "granted", "bench", since}
			runs[i] = []any{
				h.workspace, uuid.Must(uuid.NewV7()), h.funnel, h.version, contact, "wait-1", 2, "active", 1, end, since, end, since, "once", contact.String(),
			}
		}
		for _, table := range []struct {
			name    string
			columns []string
			rows    [][]any
		}{
			{"contacts", []string{
				"workspace_id", "id", "email", "email_folded", "first_name", "last_name", "name_folded", "last_name_folded", "zone", "language", "fields", "tags",
				"lists", "source", "created_at", "updated_at",
			}, contacts},
			{"consents", []string{"workspace_id", "contact_id", "channel", "topic", "state", "source", "at"}, consents},
			{"runs", []string{
				"workspace_id", "id", "funnel_id", "version_id", "contact_id", "node", "seq", "status", "lane", "wake_at", "at", "deadline", "started_at", "slot", "occurrence",
			}, runs},
		} {
			if _, err := h.db.Pool.CopyFrom(ctx, pgx.Identifier{table.name}, table.columns, pgx.CopyFromRows(table.rows)); err != nil {
				return fmt.Errorf("add %s: %w", table.name, err)
			}
		}
	}
	return nil
}

// tidy leaves the tables as autovacuum would, before anything is measured.
func (h *herd) tidy(ctx context.Context) error {
	for _, table := range []string{"contacts", "consents", "runs", "messages", "journal"} {
		if _, err := h.db.Pool.Exec(ctx, "VACUUM ANALYZE "+table); err != nil {
			return err
		}
	}
	_, err := h.db.Pool.Exec(ctx, "CHECKPOINT")
	return err
}

// waiting tells whether somebody whose wait ends at due still stands in it. It asks the index alone, for it is asked while the engine is
// measured.
func (h *herd) waiting(ctx context.Context, due time.Time) (some bool, err error) {
	err = h.db.Pool.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM runs WHERE lane = 1 AND wake_at = $1)`, due).Scan(&some)
	return some, err
}

// commits are the first and last commit of the runs that left the wait which ended at due, and their number.
func (h *herd) commits(ctx context.Context, due time.Time) (n int, first, last time.Time, err error) {
	err = h.db.Pool.QueryRow(ctx, `SELECT count(*), min(pg_xact_commit_timestamp(xmin)), max(pg_xact_commit_timestamp(xmin))
		FROM runs WHERE workspace_id = $1 AND node = 'wait-2' AND at = $2`, h.workspace, due).Scan(&n, &first, &last)
	return n, first, last, err
}
