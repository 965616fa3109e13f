package delivery

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/lejek/lejek/backend/providers"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/engine"
)

// loadDevices reads where push notifications reach the people of letters.
func loadDevices(ctx context.Context, tx store.Tx, letters []*letter) error {
	type who struct{ workspace, contact uuid.UUID }
	of := map[who][]*letter{}
	var workspaces, contacts [][16]byte
	for _, l := range letters {
		if l.channel != engine.ChannelPush {
			continue
		}
		key := who{l.workspace, l.contact}
		if of[key] == nil {
			workspaces, contacts = append(workspaces, l.workspace), append(contacts, l.contact)
		}
		of[key] = append(of[key], l)
	}
	if len(contacts) == 0 {
		return nil
	}
	rows, err := tx.Query(ctx, `SELECT d.workspace_id, d.contact_id, d.platform, d.token FROM unnest($1::uuid[], $2::uuid[]) AS k (w, contact)
		JOIN devices d ON d.workspace_id = k.w AND d.contact_id = k.contact ORDER BY d.created_at, d.id`, workspaces, contacts)
	if err != nil {
		return fmt.Errorf("read devices: %w", err)
	}
	var key who
	var device providers.Device
	_, err = pgx.ForEachRow(rows, []any{&key.workspace, &key.contact, &device.Platform, &device.Token}, func() error {
		for _, l := range of[key] {
			l.devices = append(l.devices, device)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("read devices: %w", err)
	}
	return nil
}
