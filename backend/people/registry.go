package people

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"github.com/google/uuid"

	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/engine"
)

// Names of a workspace that contacts and funnels refer to.

var fieldKeyPattern = regexp.MustCompile(`^[a-z][a-z0-9_]{0,63}$`)

// Tags are the registered tags.
func (p *People) Tags(ctx context.Context, workspace uuid.UUID) ([]store.Tag, error) {
	return store.Q.Tags(ctx, p.db, workspace)
}

// PutTag registers a tag, or renames it.
func (p *People) PutTag(ctx context.Context, workspace uuid.UUID, slug, name string) error {
	return p.put(ctx, slug, name, func(tx store.Tx, name string) error {
		return store.Q.PutTag(ctx, tx, store.PutTagParams{WorkspaceID: workspace, Slug: slug, Name: name, Now: tx.Now})
	})
}

// Lists are the lists of a workspace.
func (p *People) Lists(ctx context.Context, workspace uuid.UUID) ([]store.List, error) {
	return store.Q.Lists(ctx, p.db, workspace)
}

// PutList makes a list, or renames it.
func (p *People) PutList(ctx context.Context, workspace uuid.UUID, slug, name, description string) error {
	return p.put(ctx, slug, name, func(tx store.Tx, name string) error {
		return store.Q.PutList(ctx, tx, store.PutListParams{WorkspaceID: workspace, Slug: slug, Name: name, Description: description, Now: tx.Now})
	})
}

// Topics are what people can subscribe to one by one.
func (p *People) Topics(ctx context.Context, workspace uuid.UUID) ([]store.Topic, error) {
	return store.Q.Topics(ctx, p.db, workspace)
}

// PutTopic makes a topic, or renames it.
func (p *People) PutTopic(ctx context.Context, workspace uuid.UUID, slug, name, description string) error {
	return p.put(ctx, slug, name, func(tx store.Tx, name string) error {
		return store.Q.PutTopic(ctx, tx, store.PutTopicParams{WorkspaceID: workspace, Slug: slug, Name: name, Description: description, Now: tx.Now})
	})
}

func (p *People) put(ctx context.Context, slug, name string, write func(tx store.Tx, name string) error) error {
	if !slugPattern.MatchString(slug) {
		return fault.InvalidField("slug", "%q cannot be used as a name in funnels. Use small letters, digits, - and _, such as news-2026.", clip(slug))
	}
	name, err := line(name)
	if err != nil {
		return fault.InvalidField("name", "%s", sentence(err.Error()))
	}
	if name == "" {
		name = slug
	}
	return store.InTx(ctx, p.db, p.clock, func(tx store.Tx) error { return write(tx, name) })
}

// Fields are the custom fields of a workspace.
func (p *People) Fields(ctx context.Context, workspace uuid.UUID) ([]store.FieldDef, error) {
	return store.Q.FieldDefs(ctx, p.db, workspace)
}

// PutField makes a custom field, or gives it another label. Its type stays what it is: contacts hold values of it.
func (p *People) PutField(ctx context.Context, workspace uuid.UUID, key, fieldType, label string) error {
	if !fieldKeyPattern.MatchString(key) {
		return fault.InvalidField("key", "%q cannot be a field's key. Use small letters, digits and _, beginning with a letter, such as birth_date.", clip(key))
	}
	if engine.IsBuiltinField(key) || reservedKeys[key] {
		return fault.InvalidField("key", "Every contact has %q already. Choose another key.", key)
	}
	switch fieldType {
	case "text", "number", "boolean", "date":
	default:
		return fault.InvalidField("type", "%q is not a type. Use text, number, boolean or date.", clip(fieldType))
	}
	label, err := line(label)
	if err != nil {
		return fault.InvalidField("label", "%s", sentence(err.Error()))
	}
	if label == "" {
		label = strings.ToUpper(key[:1]) + strings.ReplaceAll(key[1:], "_", " ")
	}
	return store.InTx(ctx, p.db, p.clock, func(tx store.Tx) error {
		made, err := store.Q.InsertFieldDef(ctx, tx, store.InsertFieldDefParams{WorkspaceID: workspace, Key: key, Type: fieldType, Label: label, Now: tx.Now})
		if err != nil {
			return fmt.Errorf("make field %s: %w", key, err)
		}
		if made == 1 {
			return nil
		}
		defs, err := store.Q.FieldDefs(ctx, tx, workspace)
		if err != nil {
			return fmt.Errorf("read the fields: %w", err)
		}
		if old := defsOf(defs)[key]; old.Type != fieldType {
			return fault.New(fault.Conflict, "The field %q exists and is a %s. Choose another key for a %s.", key, old.Type, fieldType)
		}
		return store.Q.SetFieldLabel(ctx, tx, store.SetFieldLabelParams{WorkspaceID: workspace, Key: key, Label: label})
	})
}

// reservedKeys mean something else in rules and merge text.
var reservedKeys = map[string]bool{
	"id": true, "event": true, "vars": true, "workspace": true, "tags": true, "lists": true, "fields": true, "updated_at": true,
	"unsubscribe_url": true, "view_url": true, "true": true, "false": true, "nil": true, "null": true, "not": true, "and": true, "or": true, "in": true,
}
