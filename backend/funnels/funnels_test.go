package funnels_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/funnels"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/backend/store/storetest"
	"github.com/lejek/lejek/engine"
)

type bundle struct {
	tx        store.Tx
	funnels   *funnels.Funnels
	workspace uuid.UUID
}

func setup(t *testing.T) bundle {
	t.Helper()
	tx := storetest.Tx(t)
	b := bundle{tx: tx, funnels: funnels.New(tx, storetest.Clock, compile), workspace: storetest.Workspace(t, tx)}
	_, err := store.Q.PutSender(t.Context(), tx, store.PutSenderParams{
		WorkspaceID: b.workspace, Slug: "main", Name: "Acme", Email: "hello@acme.example", VerifiedAt: &storetest.Now, IsDefault: true, Now: storetest.Now,
	})
	require.NoError(t, err)
	return b
}

// compile stands in for MJML: what matters here is that equal content has an equal name.
func compile(creative engine.Creative) (funnels.Compiled, []engine.Problem, error) {
	raw, err := json.Marshal(creative)
	sum := sha256.Sum256(raw)
	var problems []engine.Problem
	if creative.Preheader == "{{ broken" {
		problems = []engine.Problem{{Code: "VAR_UNKNOWN", Severity: engine.Error, Field: "creative.preheader", Message: "The hole is not closed."}}
	}
	return funnels.Compiled{Hash: hex.EncodeToString(sum[:]), Artifact: raw}, problems, err
}

// document is a sound funnel of one mail; edit changes it.
func document(t *testing.T, edit ...func(*funnels.Document)) funnels.Document {
	t.Helper()
	var d funnels.Document
	require.NoError(t, json.Unmarshal([]byte(`{
		"graph": {"schema": 1, "nodes": [
			{"id": "start", "kind": "entry", "name": "Start", "config": {"triggers": [{"kind": "manual"}]}},
			{"id": "mail-1", "kind": "send_email", "name": "Welcome", "config": {"creative": "creative:welcome", "class": "marketing"}}
		], "edges": [{"from": "start", "port": "next", "to": "mail-1"}]},
		"creatives": {"welcome": {"channel": "email", "subject": "Hello", "blocks": [
			{"id": "h", "type": "heading", "text": "Hello", "level": 1}, {"id": "f", "type": "footer"}]}},
		"layout": {"notes": [{"at": "mail-1", "text": "tone?"}]}
	}`), &d))
	for _, change := range edit {
		change(&d)
	}
	return d
}

func rename(id, name string) func(*funnels.Document) {
	return func(d *funnels.Document) {
		for i := range d.Graph.Nodes {
			if d.Graph.Nodes[i].ID == id {
				d.Graph.Nodes[i].Name = name
			}
		}
	}
}

func (b bundle) create(t *testing.T, d funnels.Document) funnels.Current {
	t.Helper()
	current, err := b.funnels.Create(t.Context(), b.workspace, "Welcome series", d, nil)
	require.NoError(t, err)
	return current
}

func (b bundle) publish(t *testing.T, current funnels.Current) funnels.Published {
	t.Helper()
	published, err := b.funnels.Publish(t.Context(), b.workspace, current.Head.ID, funnels.Publish{Revision: current.Head.Revision, AcceptWarnings: true, Note: "first"})
	if refused, ok := errors.AsType[*fault.Error](err); ok {
		require.NoError(t, err, "%+v", refused.Details)
	}
	return published
}

// run puts a person into a version.
func (b bundle) run(t *testing.T, version store.FunnelVersion, node, status string) uuid.UUID {
	t.Helper()
	contact, run := store.NewID(), store.NewID()
	_, err := b.tx.Exec(t.Context(), `INSERT INTO contacts (workspace_id, id, external_id, first_name, last_name, name_folded, last_name_folded, zone, language,
		fields, tags, lists, source, created_at, updated_at) VALUES ($1, $2, $3, '', '', '', '', '', '', '{}', '{}', '{}', '', $4, $4)`,
		b.workspace, contact, contact.String(), storetest.Now)
	require.NoError(t, err)
	_, err = b.tx.Exec(t.Context(), `INSERT INTO runs (workspace_id, id, funnel_id, version_id, contact_id, node, seq, status, lane, wake_at, at, started_at, occurrence)
		VALUES ($1, $2, $3, $4, $5, $6, 1, $7, 1, CASE WHEN $7 = 'active' THEN $8::timestamptz END, $8, $8, 'x')`,
		b.workspace, run, version.FunnelID, version.ID, contact, node, status, storetest.Now)
	require.NoError(t, err)
	_, err = b.tx.Exec(t.Context(), `INSERT INTO journal (workspace_id, run_id, seq, node, kind, at, port) VALUES ($1, $2, 1, 'start', 'entry', $3, 'next')`,
		b.workspace, run, storetest.Now)
	require.NoError(t, err)
	return run
}

func TestCreate(t *testing.T) {
	t.Parallel()

	t.Run("GivesEachFunnelANameOfItsOwnForReferences", func(t *testing.T) {
		t.Parallel()
		b := setup(t)
		for _, test := range [][2]string{
			{"Zażółć gęślą jaźń", "zazolc-gesla-jazn"}, {"Приветствие новых", "privetstvie-novykh"}, {"  50% off!  ", "50-off"}, {"50 % OFF", "50-off-2"}, {"中文", "funnel"}, {"?", "funnel-2"},
		} {
			current, err := b.funnels.Create(t.Context(), b.workspace, test[0], funnels.Blank(), nil)
			require.NoError(t, err)
			require.Equal(t, test[1], current.Head.Slug)
			require.Equal(t, "draft", current.Head.State)
			require.True(t, current.Head.Changed)
		}
		_, err := b.funnels.Create(t.Context(), b.workspace, "  ", funnels.Blank(), nil)
		require.Equal(t, fault.Invalid, fault.CodeOf(err))
	})

	t.Run("RefusesWhatCannotBeStored", func(t *testing.T) {
		t.Parallel()
		b := setup(t)
		for name, edit := range map[string]func(*funnels.Document){
			"a NUL in a text": rename("start", "a\x00b"),
			"broken JSON":     func(d *funnels.Document) { d.Graph.Nodes[0].Config = json.RawMessage(`{"a"`) },
			"broken layout":   func(d *funnels.Document) { d.Layout = json.RawMessage(`[`) },
		} {
			_, err := b.funnels.Create(t.Context(), b.workspace, "X", document(t, edit), nil)
			require.Equal(t, fault.Invalid, fault.CodeOf(err), name)
		}
		_, err := b.funnels.Create(t.Context(), b.workspace, "X", document(t, rename("start", strings.Repeat("x", 5<<20))), nil)
		require.Equal(t, fault.TooLarge, fault.CodeOf(err))
	})
}

func TestSaveDraft(t *testing.T) {
	t.Parallel()

	t.Run("RaisesTheRevisionAndKeepsTheDocument", func(t *testing.T) {
		t.Parallel()
		b := setup(t)
		current := b.create(t, document(t))
		saved, err := b.funnels.SaveDraft(t.Context(), b.workspace, current.Head.ID, funnels.Save{Revision: 1, Document: document(t, rename("mail-1", "Hi")), Name: "Renamed"})
		require.NoError(t, err)
		require.EqualValues(t, 2, saved.Revision)
		got, err := b.funnels.Get(t.Context(), b.workspace, current.Head.ID)
		require.NoError(t, err)
		require.Equal(t, "Renamed", got.Head.Name)
		require.Equal(t, "welcome-series", got.Head.Slug, "references survive a new name")
		require.Equal(t, "Hi", got.Document.Graph.Nodes[1].Name)
		require.JSONEq(t, `{"notes":[{"at":"mail-1","text":"tone?"}]}`, string(got.Document.Layout))
	})

	t.Run("AStaleRevisionIsAConflictWithTheDocumentAsItIs", func(t *testing.T) {
		t.Parallel()
		b := setup(t)
		id := b.create(t, document(t)).Head.ID
		_, err := b.funnels.SaveDraft(t.Context(), b.workspace, id, funnels.Save{Revision: 1, Document: document(t, rename("mail-1", "Theirs"))})
		require.NoError(t, err)
		_, err = b.funnels.SaveDraft(t.Context(), b.workspace, id, funnels.Save{Revision: 1, Document: document(t, rename("mail-1", "Mine"))})
		require.Equal(t, fault.Conflict, fault.CodeOf(err))
		now, ok := fault.Public(err).Details.(funnels.Current)
		require.True(t, ok)
		require.EqualValues(t, 2, now.Head.Revision)
		require.Equal(t, "Theirs", now.Document.Graph.Nodes[1].Name)
	})

	t.Run("TheSameDocumentAgainIsTheSameSave", func(t *testing.T) {
		t.Parallel()
		b := setup(t)
		id := b.create(t, document(t)).Head.ID
		edited := document(t, rename("mail-1", "Mine"))
		for range 2 {
			saved, err := b.funnels.SaveDraft(t.Context(), b.workspace, id, funnels.Save{Revision: 1, Document: edited})
			require.NoError(t, err)
			require.EqualValues(t, 2, saved.Revision)
		}
		reordered := edited
		reordered.Graph.Nodes = append([]engine.Node{}, edited.Graph.Nodes...)
		reordered.Graph.Nodes[1].Config = json.RawMessage(`{"class": "marketing",   "creative": "creative:welcome"}`)
		saved, err := b.funnels.SaveDraft(t.Context(), b.workspace, id, funnels.Save{Revision: 2, Document: reordered})
		require.NoError(t, err)
		require.EqualValues(t, 2, saved.Revision, "the order of members means nothing")
	})

	t.Run("OfTwoAtOnceOneWins", func(t *testing.T) {
		t.Parallel()
		db := storetest.DB(t)
		workspace := storetest.Workspace(t, db)
		f := funnels.New(db, storetest.Clock, compile)
		current, err := f.Create(t.Context(), workspace, "X", document(t), nil)
		require.NoError(t, err)
		answers := make(chan error)
		for _, name := range []string{"A", "B", "C", "D"} {
			go func() {
				_, err := f.SaveDraft(t.Context(), workspace, current.Head.ID, funnels.Save{Revision: 1, Document: document(t, rename("mail-1", name))})
				answers <- err
			}()
		}
		won := 0
		for range 4 {
			if err := <-answers; err == nil {
				won++
			} else {
				require.Equal(t, fault.Conflict, fault.CodeOf(err))
			}
		}
		require.Equal(t, 1, won)
	})
}

func TestList(t *testing.T) {
	t.Parallel()
	b := setup(t)
	first := b.create(t, document(t))
	second, err := b.funnels.Create(t.Context(), b.workspace, "Żółty koszyk", document(t), nil)
	require.NoError(t, err)
	third, err := b.funnels.Duplicate(t.Context(), b.workspace, second.Head.ID, "", nil)
	require.NoError(t, err)
	require.Equal(t, "Żółty koszyk (copy)", third.Head.Name)
	published := b.publish(t, first)
	b.run(t, published.Version, "mail-1", "active")
	b.run(t, published.Version, "mail-1", "done")
	_, err = b.funnels.Archive(t.Context(), b.workspace, third.Head.ID, nil)
	require.NoError(t, err)

	heads, more, err := b.funnels.List(t.Context(), b.workspace, funnels.Filter{})
	require.NoError(t, err)
	require.False(t, more)
	require.Len(t, heads, 2)
	require.Equal(t, funnels.Counts{Active: 1, Done: 1}, heads[1].Counts)
	require.False(t, heads[1].Changed)
	require.Equal(t, 1, heads[1].Version)
	heads, _, err = b.funnels.List(t.Context(), b.workspace, funnels.Filter{Query: "KOSZ"})
	require.NoError(t, err)
	require.Len(t, heads, 1)
	heads, more, err = b.funnels.List(t.Context(), b.workspace, funnels.Filter{Limit: 1})
	require.NoError(t, err)
	require.True(t, more)
	heads, more, err = b.funnels.List(t.Context(), b.workspace, funnels.Filter{Limit: 1, After: heads[0].ID})
	require.NoError(t, err)
	require.False(t, more)
	require.Equal(t, first.Head.ID, heads[0].ID)
	other := storetest.Workspace(t, b.tx)
	_, err = b.funnels.Get(t.Context(), other, first.Head.ID)
	require.Equal(t, fault.NotFound, fault.CodeOf(err))
}
