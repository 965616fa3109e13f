package funnels

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/google/uuid"

	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/engine"
)

// References is everything a funnel of the workspace may name.
func References(ctx context.Context, db store.DB, workspace uuid.UUID) (*engine.Workspace, error) {
	set := &engine.Workspace{Events: map[string][]string{}}
	for _, part := range []struct {
		what string
		load func() error
	}{
		{"settings", func() error {
			row, err := store.Q.Workspace(ctx, db, workspace)
			if err != nil {
				return err
			}
			set.Zone, set.Language, set.Currency = row.Zone, row.Language, row.Currency
			return json.Unmarshal(row.QuietHours, &set.Quiet)
		}},
		{"fields", func() error {
			rows, err := store.Q.FieldDefs(ctx, db, workspace)
			for _, row := range rows {
				set.Fields = append(set.Fields, engine.ContactField{Key: row.Key, Type: row.Type, Label: row.Label})
			}
			return err
		}},
		{"event names", func() error {
			rows, err := store.Q.EventNames(ctx, db, workspace)
			for _, row := range rows {
				set.Events[row.Name] = row.Properties
			}
			return err
		}},
		{"tags", func() error {
			rows, err := store.Q.Tags(ctx, db, workspace)
			for _, row := range rows {
				set.Tags = append(set.Tags, row.Slug)
			}
			return err
		}},
		{"lists", func() error {
			rows, err := store.Q.Lists(ctx, db, workspace)
			for _, row := range rows {
				set.Lists = append(set.Lists, row.Slug)
			}
			return err
		}},
		{"segments", func() (err error) {
			set.Segments, err = store.Q.SegmentSlugs(ctx, db, workspace)
			return err
		}},
		{"topics", func() error {
			rows, err := store.Q.Topics(ctx, db, workspace)
			for _, row := range rows {
				set.Topics = append(set.Topics, row.Slug)
			}
			return err
		}},
		{"senders", func() error {
			rows, err := store.Q.Senders(ctx, db, workspace)
			for _, row := range rows {
				set.Senders = append(set.Senders, engine.Sender{Slug: row.Slug, Email: row.Email, Name: row.Name, Verified: row.VerifiedAt != nil})
			}
			return err
		}},
		{"connections", func() error {
			rows, err := store.Q.Connections(ctx, db, workspace)
			for _, row := range rows {
				set.Connections = append(set.Connections, engine.Connection{Slug: row.Slug, Kind: row.Kind, Name: row.Name})
			}
			return err
		}},
		{"forms", func() error {
			rows, err := store.Q.Forms(ctx, db, workspace)
			for _, row := range rows {
				var fields []struct {
					Key string `json:"key"`
				}
				if err := json.Unmarshal(row.Fields, &fields); err != nil {
					return fmt.Errorf("fields of the form %s: %w", row.Slug, err)
				}
				form := engine.Form{Slug: row.Slug, Name: row.Name}
				for _, field := range fields {
					form.Answers = append(form.Answers, field.Key)
				}
				set.Forms = append(set.Forms, form)
			}
			return err
		}},
		{"resources", func() error {
			rows, err := store.Q.Resources(ctx, db, workspace)
			for _, row := range rows {
				set.Resources = append(set.Resources, row.Slug)
			}
			return err
		}},
		{"funnels", func() (err error) {
			set.Funnels, err = store.Q.CallableFunnelSlugs(ctx, db, workspace)
			return err
		}},
		{"calls between funnels", func() (err error) {
			set.Calls, err = liveCalls(ctx, db, workspace)
			return err
		}},
	} {
		if err := part.load(); err != nil {
			return nil, fmt.Errorf("read the workspace's %s: %w", part.what, err)
		}
	}
	return set, nil
}

// Judge says what is wrong with a document in this workspace, without saving it.
func (f *Funnels) Judge(ctx context.Context, workspace uuid.UUID, document Document) ([]engine.Problem, error) {
	return f.judge(ctx, workspace, "", document)
}

func (f *Funnels) judge(ctx context.Context, workspace uuid.UUID, self string, document Document) ([]engine.Problem, error) {
	set, err := referencesOf(ctx, f.db, workspace, self)
	if err != nil {
		return nil, err
	}
	problems := engine.Validate(document.Bundle(set))
	if problems == nil {
		problems = []engine.Problem{}
	}
	return problems, nil
}

// Validate says what is wrong with the draft.
func (f *Funnels) Validate(ctx context.Context, workspace, id uuid.UUID) ([]engine.Problem, error) {
	funnel, err := f.Get(ctx, workspace, id)
	if err != nil {
		return nil, err
	}
	return f.judge(ctx, workspace, funnel.Head.Slug, funnel.Document)
}
