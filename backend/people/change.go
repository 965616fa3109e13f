package people

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/store"
)

// Patch changes the given members of a contact only; null empties one. "fields" holds custom fields in the same way. The
// contact keeps at least one identity.
func (p *People) Patch(ctx context.Context, workspace, id uuid.UUID, patch map[string]json.RawMessage) (store.Contact, error) {
	return p.edit(ctx, workspace, id, func(know vocabulary) (change, error) {
		c := checker{know: know}
		for key, raw := range patch {
			switch {
			case key == "fields":
				var fields map[string]any
				if json.Unmarshal(raw, &fields) != nil {
					c.failf("fields", "expected an object of field keys and values")
					continue
				}
				for name := range fields {
					if isMember(name) {
						c.failf("fields."+name, "%s is not a custom field; set it beside fields, not inside", name)
						delete(fields, name)
					}
				}
				c.values(fields)
			case isMember(key):
				var value *string
				if json.Unmarshal(raw, &value) != nil {
					c.failf(key, "expected a text or null")
					continue
				}
				if value == nil {
					value = new(string)
				}
				c.member(key, value)
			default:
				c.failf(key, "there is no member %q. Put custom fields into \"fields\"", clip(key))
			}
		}
		slices.SortFunc(c.wrong, func(a, b fault.Field) int { return strings.Compare(a.Path, b.Path) })
		return c.change, fault.InvalidFields(c.wrong)
	})
}

// AddTag puts a tag on and registers it if it is new.
func (p *People) AddTag(ctx context.Context, workspace, id uuid.UUID, tag string) (store.Contact, error) {
	return p.edit(ctx, workspace, id, func(know vocabulary) (change, error) {
		c := checker{know: know}
		c.tags("tag", []string{tag})
		return change{addTags: []string{tag}}, fault.InvalidFields(c.wrong)
	})
}

// RemoveTag takes a tag off; one that is not there is fine.
func (p *People) RemoveTag(ctx context.Context, workspace, id uuid.UUID, tag string) (store.Contact, error) {
	return p.edit(ctx, workspace, id, func(vocabulary) (change, error) { return change{removeTags: []string{tag}}, nil })
}

// JoinList puts the contact on a list that exists.
func (p *People) JoinList(ctx context.Context, workspace, id uuid.UUID, list string) (store.Contact, error) {
	return p.edit(ctx, workspace, id, func(know vocabulary) (change, error) {
		c := checker{know: know}
		c.lists("list", []string{list})
		return change{joinLists: []string{list}}, fault.InvalidFields(c.wrong)
	})
}

// LeaveList takes the contact off a list; one who is not on it is fine.
func (p *People) LeaveList(ctx context.Context, workspace, id uuid.UUID, list string) (store.Contact, error) {
	return p.edit(ctx, workspace, id, func(vocabulary) (change, error) { return change{leaveLists: []string{list}}, nil })
}
