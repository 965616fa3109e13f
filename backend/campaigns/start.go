package campaigns

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/google/uuid"

	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/funnels"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/backend/tasks"
	"github.com/lejek/lejek/engine"
)

// Wish is one wish to start or schedule a campaign.
type Wish struct {
	Revision       int64 // the one that was looked at
	AcceptWarnings bool
	By             *uuid.UUID
}

// CodeFrozen is the reason in the Details of a second start: the audience was fixed by the first one.
const CodeFrozen = "audience_frozen"

// Frozen is in the Details of a second start.
type Frozen struct {
	Reason string `json:"reason"`
}

// Start begins a campaign now: its audience is frozen by a task, then it is sent. A second start is a conflict (Frozen).
func (c *Campaigns) Start(ctx context.Context, workspace, id uuid.UUID, wish Wish) (Campaign, store.Task, error) {
	var task store.Task
	begun, err := c.pin(ctx, workspace, id, wish, func(tx store.Tx, found Campaign, _ checked) (err error) {
		task, err = c.begin(ctx, tx, workspace, found, wish.By)
		return err
	})
	return begun, task, err
}

// Schedule has a campaign started at the time its document says.
func (c *Campaigns) Schedule(ctx context.Context, workspace, id uuid.UUID, wish Wish) (Campaign, error) {
	return c.pin(ctx, workspace, id, wish, func(tx store.Tx, found Campaign, look checked) error {
		if found.Document.When.Mode == ModeNow {
			return fault.New(fault.Invalid, "%q has no time yet. Choose when it is sent, or send it now.", found.Name)
		}
		_, err := tx.Exec(ctx, "UPDATE campaigns SET state = 'scheduled', start_at = $3, updated_at = $4 WHERE workspace_id = $1 AND id = $2",
			workspace, id, look.startAt, tx.Now)
		if err != nil {
			return fmt.Errorf("schedule campaign %s: %w", id, err)
		}
		return nil
	})
}

// Unschedule makes a scheduled campaign a draft again.
func (c *Campaigns) Unschedule(ctx context.Context, workspace, id uuid.UUID) (Campaign, error) {
	return store.InTxV(ctx, c.DB, c.Clock, func(tx store.Tx) (Campaign, error) {
		found, err := lock(ctx, tx, workspace, id)
		if err != nil {
			return found, err
		}
		if found.State != Scheduled {
			return found, refusal(found, "taken off the schedule")
		}
		_, err = tx.Exec(ctx, "UPDATE campaigns SET state = 'draft', start_at = NULL, updated_at = $3 WHERE workspace_id = $1 AND id = $2", workspace, id, tx.Now)
		if err != nil {
			return found, fmt.Errorf("take campaign %s off the schedule: %w", id, err)
		}
		return read(ctx, tx, workspace, id, "")
	})
}

// pin checks a draft, keeps its messages as they are now, and hands it to then, all under its lock.
func (c *Campaigns) pin(ctx context.Context, workspace, id uuid.UUID, wish Wish, then func(tx store.Tx, found Campaign, look checked) error) (Campaign, error) {
	before, err := c.Get(ctx, workspace, id)
	if err != nil {
		return before, err
	}
	look, err := c.check(ctx, workspace, before.Document) // compiling takes long, so it is done before anything is locked
	if err != nil {
		return before, err
	}
	return store.InTxV(ctx, c.DB, c.Clock, func(tx store.Tx) (Campaign, error) {
		found, err := lock(ctx, tx, workspace, id)
		if err != nil {
			return found, err
		}
		switch {
		case found.State == Scheduled:
			return found, refusal(found, "started")
		case found.State != Draft:
			return found, fault.New(fault.Conflict, "%q has been started already. Its audience is fixed, and everybody in it receives it once.", found.Name).
				WithDetails(Frozen{CodeFrozen})
		case found.Revision != before.Revision || wish.Revision != found.Revision:
			return found, fault.New(fault.Conflict, "Somebody else changed %q meanwhile. Reload it and look at it again.", found.Name).WithDetails(Stale{found.Revision})
		}
		if err := refuse(found.Name, look.problems, wish.AcceptWarnings); err != nil {
			return found, err
		}
		if err := keepArtifacts(ctx, tx, workspace, id, look.compiled); err != nil {
			return found, err
		}
		if err := then(tx, found, look); err != nil {
			return found, err
		}
		return read(ctx, tx, workspace, id, "")
	})
}

func refuse(name string, problems []engine.Problem, acceptWarnings bool) error {
	if !engine.Publishable(problems) {
		return fault.New(fault.Invalid, "%q cannot be sent yet. Mend what is marked in it.", name).WithDetails(funnels.Refusal{Problems: problems})
	}
	if len(problems) > 0 && !acceptWarnings {
		return fault.New(fault.Invalid, "%q has warnings. Look at them, or send it anyway.", name).WithDetails(funnels.Refusal{Problems: problems})
	}
	return nil
}

func keepArtifacts(ctx context.Context, tx store.Tx, workspace, id uuid.UUID, compiled map[string]funnels.Compiled) error {
	hashes := map[string]string{}
	for _, variant := range slices.Sorted(maps.Keys(compiled)) {
		made := compiled[variant]
		hashes[variant] = made.Hash
		err := store.Q.PutArtifact(ctx, tx, store.PutArtifactParams{WorkspaceID: workspace, Hash: made.Hash, Artifact: made.Artifact, Now: tx.Now})
		if err != nil {
			return fmt.Errorf("keep the message of campaign %s: %w", id, err)
		}
	}
	raw, err := json.Marshal(hashes)
	if err != nil {
		return fmt.Errorf("write the message's hashes: %w", err)
	}
	if _, err := tx.Exec(ctx, "UPDATE campaigns SET artifacts = $3 WHERE workspace_id = $1 AND id = $2", workspace, id, raw); err != nil {
		return fmt.Errorf("keep the message of campaign %s: %w", id, err)
	}
	return nil
}

// begin has the audience of a locked campaign frozen.
func (c *Campaigns) begin(ctx context.Context, tx store.Tx, workspace uuid.UUID, found Campaign, by *uuid.UUID) (store.Task, error) {
	_, err := tx.Exec(ctx, "UPDATE campaigns SET state = 'freezing', start_at = NULL, updated_at = $3 WHERE workspace_id = $1 AND id = $2", workspace, found.ID, tx.Now)
	if err != nil {
		return store.Task{}, fmt.Errorf("start campaign %s: %w", found.ID, err)
	}
	task, _, err := c.Tasks.StartIn(ctx, tx, tasks.Request{
		Workspace: workspace, Kind: FreezeKind, Label: found.Name, Args: freezeArgs{found.ID}, UniqueKey: found.ID.String(), By: by,
	})
	return task, err
}
