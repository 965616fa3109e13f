package funnels_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/funnels"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/backend/store/storetest"
	"github.com/lejek/lejek/engine"
)

func TestPublish(t *testing.T) {
	t.Parallel()

	t.Run("FreezesTheDraftWithItsCreatives", func(t *testing.T) {
		t.Parallel()
		b := setup(t)
		published := b.publish(t, b.create(t, document(t)))
		require.True(t, published.New)
		require.Equal(t, "live", published.Current.Head.State)
		require.False(t, published.Current.Head.Changed)
		var pinned map[string]string
		require.NoError(t, json.Unmarshal(published.Version.Artifacts, &pinned))
		artifact, err := store.Q.Artifact(t.Context(), b.tx, store.ArtifactParams{WorkspaceID: b.workspace, Hash: pinned["welcome"]})
		require.NoError(t, err)
		require.Contains(t, string(artifact), "Hello")
		_, err = engine.DecodeBundle(published.Version.Bundle)
		require.NoError(t, err, "a version is a bundle")

		_, err = b.funnels.SaveDraft(t.Context(), b.workspace, published.Current.Head.ID, funnels.Save{Revision: 1, Document: document(t, rename("mail-1", "Later"))})
		require.NoError(t, err)
		_, frozen, err := b.funnels.Version(t.Context(), b.workspace, published.Current.Head.ID, 1)
		require.NoError(t, err)
		require.Equal(t, "Welcome", frozen.Graph.Nodes[1].Name)
		got, err := b.funnels.Get(t.Context(), b.workspace, published.Current.Head.ID)
		require.NoError(t, err)
		require.True(t, got.Head.Changed)
	})

	t.Run("TwiceMakesOneVersion", func(t *testing.T) {
		t.Parallel()
		b := setup(t)
		current := b.create(t, document(t))
		require.True(t, b.publish(t, current).New)
		again := b.publish(t, current)
		require.False(t, again.New)
		require.EqualValues(t, 1, again.Version.N)
	})

	t.Run("IsRefusedWithAllProblemsAndNothingIsWritten", func(t *testing.T) {
		t.Parallel()
		b := setup(t)
		for name, test := range map[string]struct {
			edit func(*funnels.Document)
			code string
		}{
			"an unknown tag": {func(d *funnels.Document) {
				d.Graph.Nodes = append(d.Graph.Nodes, engine.Node{ID: "tag-1", Kind: "add_tag", Name: "T", Config: json.RawMessage(`{"tag":"tag:nope"}`)})
				d.Graph.Edges = append(d.Graph.Edges, engine.Edge{From: "mail-1", Port: "next", To: "tag-1"})
			}, "REF_MISSING"},
			"a problem of the creative": {func(d *funnels.Document) {
				creative := d.Creatives["welcome"]
				creative.Preheader = "{{ broken"
				d.Creatives["welcome"] = creative
			}, "VAR_UNKNOWN"},
		} {
			current := b.create(t, document(t, test.edit))
			_, err := b.funnels.Publish(t.Context(), b.workspace, current.Head.ID, funnels.Publish{Revision: 1, AcceptWarnings: true})
			require.Equal(t, fault.Invalid, fault.CodeOf(err), name)
			refusal, ok := fault.Public(err).Details.(funnels.Refusal)
			require.True(t, ok, name)
			codes := map[string]string{}
			for _, problem := range refusal.Problems {
				codes[problem.Code] = problem.Node
			}
			require.NotEmpty(t, codes[test.code], "%s: the problem and its step, in %v", name, codes)
			versions, err := b.funnels.Versions(t.Context(), b.workspace, current.Head.ID)
			require.NoError(t, err)
			require.Empty(t, versions, name)
		}
	})

	t.Run("OfAnotherRevisionThanWasLookedAtIsAConflict", func(t *testing.T) {
		t.Parallel()
		b := setup(t)
		current := b.create(t, document(t))
		_, err := b.funnels.SaveDraft(t.Context(), b.workspace, current.Head.ID, funnels.Save{Revision: 1, Document: document(t, rename("mail-1", "Newer"))})
		require.NoError(t, err)
		_, err = b.funnels.Publish(t.Context(), b.workspace, current.Head.ID, funnels.Publish{Revision: 1, AcceptWarnings: true})
		require.Equal(t, fault.Conflict, fault.CodeOf(err))
		require.IsType(t, funnels.Current{}, fault.Public(err).Details)
	})

	t.Run("OfManyAtOnceMakesOneVersion", func(t *testing.T) {
		t.Parallel()
		db := storetest.DB(t)
		workspace := storetest.Workspace(t, db)
		_, err := store.Q.PutSender(t.Context(), db, store.PutSenderParams{
			WorkspaceID: workspace, Slug: "main", Email: "hello@acme.example", VerifiedAt: &storetest.Now, IsDefault: true, Now: storetest.Now,
		})
		require.NoError(t, err)
		f := funnels.New(db, storetest.Clock, compile)
		current, err := f.Create(t.Context(), workspace, "X", document(t), nil)
		require.NoError(t, err)
		answers := make(chan error)
		for range 4 {
			go func() {
				_, err := f.Publish(t.Context(), workspace, current.Head.ID, funnels.Publish{Revision: 1, AcceptWarnings: true})
				answers <- err
			}()
		}
		for range 4 {
			require.NoError(t, <-answers)
		}
		versions, err := f.Versions(t.Context(), workspace, current.Head.ID)
		require.NoError(t, err)
		require.Len(t, versions, 1)
	})
}

func TestPublishPreview(t *testing.T) {
	t.Parallel()
	b := setup(t)
	published := b.publish(t, b.create(t, document(t)))
	id := published.Current.Head.ID
	b.run(t, published.Version, "mail-1", "active")
	b.run(t, published.Version, "mail-1", "active")
	b.run(t, published.Version, "mail-1", "done")
	_, err := b.funnels.SaveDraft(t.Context(), b.workspace, id, funnels.Save{Revision: 1, Document: document(t, func(d *funnels.Document) {
		d.Graph.Nodes = append(d.Graph.Nodes, engine.Node{ID: "tag-1", Kind: "add_tag", Name: "Mark", Config: json.RawMessage(`{"tag":"tag:nope"}`)})
		d.Graph.Edges = append(d.Graph.Edges, engine.Edge{From: "mail-1", Port: "next", To: "tag-1"})
		creative := d.Creatives["welcome"]
		creative.Subject = "Hi"
		d.Creatives["welcome"] = creative
	})})
	require.NoError(t, err)

	preview, err := b.funnels.PublishPreview(t.Context(), b.workspace, id, 0)
	require.NoError(t, err)
	require.Equal(t, 2, preview.Version)
	require.EqualValues(t, 2, preview.Revision)
	require.Equal(t, []engine.Change{
		{Code: engine.ChangeText, Node: "mail-1", Kind: "send_email", Name: "Welcome", Field: "subject", From: document(t).Creatives["welcome"].Subject, To: "Hi"},
		{Code: engine.ChangeStepAdded, Node: "tag-1", Kind: "add_tag", Name: "Mark", To: []string{"mail-1:next"}},
	}, preview.Changes)
	require.Equal(t, []funnels.Inside{{Version: 1, VersionID: published.Version.ID, Node: "mail-1", Kind: "send_email", Name: "Welcome", People: 2}}, preview.Inside)
	require.NotEmpty(t, preview.Problems)

	traffic, err := b.funnels.Traffic(t.Context(), b.workspace, id, 1, time.Time{})
	require.NoError(t, err)
	require.Equal(t, funnels.Counts{Active: 2, Done: 1}, traffic.Runs)
	require.Equal(t, map[string]int{"mail-1": 2}, traffic.Here)
	require.Equal(t, 3, traffic.Passed["start"]["next"])
	require.Empty(t, traffic.Sent)
	_, err = b.funnels.Traffic(t.Context(), b.workspace, id, 7, time.Time{})
	require.Equal(t, fault.NotFound, fault.CodeOf(err))
}

func TestTrafficTellsWhatBecameOfMessages(t *testing.T) {
	t.Parallel()
	b := setup(t)
	published := b.publish(t, b.create(t, document(t)))
	id := published.Current.Head.ID
	send := func(status string, did ...string) {
		run := b.run(t, published.Version, "mail-1", "done")
		_, err := b.tx.Exec(t.Context(), `INSERT INTO messages (workspace_id, id, run_id, seq, funnel_id, version_id, node, contact_id, channel, class,
			creative, provider_id, lane, status, due_at, next_attempt_at, created_at)
			SELECT workspace_id, $2, id, 1, funnel_id, version_id, 'mail-1', contact_id, 'email', 'marketing', 'welcome', $3, 1, $4, $5, $5, $5
			FROM runs WHERE workspace_id = $1 AND id = $6`, b.workspace, store.NewID(), uuid.Nil, status, storetest.Now, run)
		require.NoError(t, err)
		for _, column := range did {
			_, err = b.tx.Exec(t.Context(), `UPDATE messages SET `+column+` = $3 WHERE workspace_id = $1 AND run_id = $2`, b.workspace, run, storetest.Now)
			require.NoError(t, err)
		}
	}
	send("sent", "sent_at", "delivered_at")
	send("sent", "sent_at", "delivered_at", "opened_at")
	send("sent", "sent_at", "delivered_at", "opened_at", "clicked_at")
	send("sent", "sent_at", "delivered_at", "bounced_at")
	for _, status := range []string{"skipped", "skipped", "expired", "failed", "unknown", "queued", "sending"} {
		send(status)
	}

	for _, version := range []int{0, 1} {
		traffic, err := b.funnels.Traffic(t.Context(), b.workspace, id, version, time.Time{})
		require.NoError(t, err)
		require.Equal(t, map[string]funnels.Messages{"mail-1": {Sent: 4, Delivered: 3, Opened: 2, Clicked: 1, Skipped: 3, Failed: 2}}, traffic.Sent)
	}
}

func TestPublishingWhatAVersionHeldLeavesTheDraftAlone(t *testing.T) {
	t.Parallel()
	b := setup(t)
	first := b.publish(t, b.create(t, document(t)))
	id := first.Current.Head.ID
	_, err := b.funnels.SaveDraft(t.Context(), b.workspace, id, funnels.Save{Revision: 1, Document: document(t, rename("mail-1", "Two"))})
	require.NoError(t, err)
	current, err := b.funnels.Get(t.Context(), b.workspace, id)
	require.NoError(t, err)
	second := b.publish(t, current)
	require.EqualValues(t, 2, second.Version.N)

	preview, err := b.funnels.PublishPreview(t.Context(), b.workspace, id, 1)
	require.NoError(t, err)
	require.Len(t, preview.Changes, 1)
	require.Equal(t, engine.ChangeStepRenamed, preview.Changes[0].Code)
	back, err := b.funnels.Publish(t.Context(), b.workspace, id, funnels.Publish{Revision: 2, AcceptWarnings: true, From: 1})
	require.NoError(t, err)
	require.True(t, back.New)
	require.EqualValues(t, 3, back.Version.N)
	require.Equal(t, first.Version.Hash, back.Version.Hash)
	require.True(t, back.Current.Head.Changed, "the draft is still the second version's")
	_, err = b.funnels.Publish(t.Context(), b.workspace, id, funnels.Publish{Revision: 2, From: 9})
	require.Equal(t, fault.NotFound, fault.CodeOf(err))
}

func TestLifecycle(t *testing.T) {
	t.Parallel()

	t.Run("PauseResumeStopPublishAgain", func(t *testing.T) {
		t.Parallel()
		b := setup(t)
		published := b.publish(t, b.create(t, document(t)))
		id := published.Current.Head.ID
		run := b.run(t, published.Version, "mail-1", "active")
		for _, step := range []struct {
			do    func() (funnels.Current, error)
			state string
		}{
			{func() (funnels.Current, error) { return b.funnels.Pause(t.Context(), b.workspace, id, nil) }, "paused"},
			{func() (funnels.Current, error) { return b.funnels.Pause(t.Context(), b.workspace, id, nil) }, "paused"},
			{func() (funnels.Current, error) { return b.funnels.Resume(t.Context(), b.workspace, id, nil) }, "live"},
			{func() (funnels.Current, error) { return b.funnels.Stop(t.Context(), b.workspace, id, nil) }, "stopped"},
		} {
			current, err := step.do()
			require.NoError(t, err)
			require.Equal(t, step.state, current.Head.State)
		}
		var reason string
		require.NoError(t, b.tx.QueryRow(t.Context(), "SELECT end_reason FROM runs WHERE id = $1", run).Scan(&reason))
		require.Equal(t, "stopped", reason)
		_, err := b.funnels.Resume(t.Context(), b.workspace, id, nil)
		require.Equal(t, fault.Conflict, fault.CodeOf(err))
		require.Equal(t, "live", b.publish(t, published.Current).Current.Head.State, "publishing starts a stopped funnel again")
	})

	t.Run("PublishingAPausedFunnelLeavesItPaused", func(t *testing.T) {
		t.Parallel()
		b := setup(t)
		published := b.publish(t, b.create(t, document(t)))
		id := published.Current.Head.ID
		_, err := b.funnels.Pause(t.Context(), b.workspace, id, nil)
		require.NoError(t, err)
		_, err = b.funnels.SaveDraft(t.Context(), b.workspace, id, funnels.Save{Revision: 1, Document: document(t, rename("mail-1", "Two"))})
		require.NoError(t, err)
		current, err := b.funnels.Get(t.Context(), b.workspace, id)
		require.NoError(t, err)
		again := b.publish(t, current)
		require.Equal(t, "paused", again.Current.Head.State)
		require.EqualValues(t, 2, again.Version.N)
	})

	t.Run("WhatWasPublishedIsArchivedAndNotDeleted", func(t *testing.T) {
		t.Parallel()
		b := setup(t)
		published := b.publish(t, b.create(t, document(t)))
		id := published.Current.Head.ID
		require.Equal(t, fault.Conflict, fault.CodeOf(b.funnels.Delete(t.Context(), b.workspace, id)))
		_, err := b.funnels.Archive(t.Context(), b.workspace, id, nil)
		require.Equal(t, fault.Conflict, fault.CodeOf(err), "a live funnel is stopped first")
		_, err = b.funnels.Stop(t.Context(), b.workspace, id, nil)
		require.NoError(t, err)
		_, err = b.funnels.Archive(t.Context(), b.workspace, id, nil)
		require.NoError(t, err)
		_, err = b.funnels.SaveDraft(t.Context(), b.workspace, id, funnels.Save{Revision: 1, Document: document(t, rename("mail-1", "Two"))})
		require.Equal(t, fault.Conflict, fault.CodeOf(err))

		draft := b.create(t, document(t))
		require.NoError(t, b.funnels.Delete(t.Context(), b.workspace, draft.Head.ID))
		_, err = b.funnels.Get(t.Context(), b.workspace, draft.Head.ID)
		require.Equal(t, fault.NotFound, fault.CodeOf(err))
	})
}

// calling is a funnel that enters another one, by its slug.
func calling(slug string) func(*funnels.Document) {
	return func(d *funnels.Document) {
		d.Graph.Nodes = append(d.Graph.Nodes, engine.Node{ID: "call-1", Kind: "enter_funnel", Name: "Call", Config: json.RawMessage(`{"funnel": "funnel:` + slug + `"}`)})
		d.Graph.Edges = append(d.Graph.Edges, engine.Edge{From: "mail-1", Port: "next", To: "call-1"})
	}
}

func TestARingOfCallersIsRefusedWhenItWouldClose(t *testing.T) {
	t.Parallel()
	b := setup(t)
	first := b.create(t, document(t))
	b.publish(t, first)
	second := b.create(t, document(t, calling(first.Head.Slug)))
	b.publish(t, second)
	third := b.create(t, document(t, calling(second.Head.Slug)))
	b.publish(t, third)

	saved, err := b.funnels.SaveDraft(t.Context(), b.workspace, first.Head.ID, funnels.Save{Revision: 1, Document: document(t, calling(third.Head.Slug))})
	require.NoError(t, err)
	_, err = b.funnels.Publish(t.Context(), b.workspace, first.Head.ID, funnels.Publish{Revision: saved.Revision, AcceptWarnings: true})
	require.Equal(t, fault.Invalid, fault.CodeOf(err))
	refusal, ok := fault.Public(err).Details.(funnels.Refusal)
	require.True(t, ok)
	last := refusal.Problems[len(refusal.Problems)-1]
	require.Equal(t, []string{"CYCLE_NO_WAIT", "call-1", "funnel"}, []string{last.Code, last.Node, last.Field})
	require.Contains(t, last.Message, third.Head.Slug)
	require.Contains(t, last.Message, second.Head.Slug)

	withWait := document(t, calling(third.Head.Slug))
	withWait.Graph.Nodes = append(withWait.Graph.Nodes, engine.Node{ID: "wait-1", Kind: "wait", Name: "Day", Config: json.RawMessage(`{"mode": "duration", "for": {"amount": 1, "unit": "days"}}`)})
	withWait.Graph.Edges[1] = engine.Edge{From: "mail-1", Port: "next", To: "wait-1"}
	withWait.Graph.Edges = append(withWait.Graph.Edges, engine.Edge{From: "wait-1", Port: "next", To: "call-1"})
	saved, err = b.funnels.SaveDraft(t.Context(), b.workspace, first.Head.ID, funnels.Save{Revision: saved.Revision, Document: withWait})
	require.NoError(t, err)
	_, err = b.funnels.Publish(t.Context(), b.workspace, first.Head.ID, funnels.Publish{Revision: saved.Revision, AcceptWarnings: true})
	require.NoError(t, err, "a day on the way is a wait for sure")
}
