package people

import (
	"context"
	"strings"

	"github.com/google/uuid"

	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/store"
)

// Devices are where push notifications reach a contact, the oldest first.
func (p *People) Devices(ctx context.Context, workspace, contact uuid.UUID) ([]store.Device, error) {
	who, err := p.Get(ctx, workspace, contact)
	if err != nil {
		return nil, err
	}
	devices, err := store.Q.Devices(ctx, p.db, store.DevicesParams{WorkspaceID: workspace, ContactID: who.ID})
	return devices, fault.Wrap(err, "read devices")
}

// AddDevice notes a device of a living contact. A device is known by its token and belongs to whom used it last.
func (p *People) AddDevice(ctx context.Context, workspace, contact uuid.UUID, platform, token string) (store.Device, error) {
	token = strings.TrimSpace(token)
	if token == "" || strings.ContainsRune(token, 0) {
		return store.Device{}, fault.InvalidField("token", "Pass what the browser or the app got for this device.")
	}
	return store.InTxV(ctx, p.db, p.clock, func(tx store.Tx) (store.Device, error) {
		locked, err := store.Q.LockContacts(ctx, tx, store.LockContactsParams{WorkspaceID: workspace, Ids: []uuid.UUID{contact}})
		if err != nil {
			return store.Device{}, fault.Wrap(err, "lock a contact")
		}
		if len(locked) == 0 || locked[0].ErasedAt != nil || locked[0].MergedInto != nil {
			return store.Device{}, fault.New(fault.NotFound, "There is no contact %s.", contact)
		}
		device, err := store.Q.PutDevice(ctx, tx, store.PutDeviceParams{
			WorkspaceID: workspace, ID: store.NewID(), ContactID: contact, Platform: platform, Token: token, Now: tx.Now,
		})
		return device, fault.Wrap(err, "note a device")
	})
}

// RemoveDevice forgets a device.
func (p *People) RemoveDevice(ctx context.Context, workspace, contact, device uuid.UUID) error {
	n, err := store.Q.DeleteDevice(ctx, p.db, store.DeleteDeviceParams{WorkspaceID: workspace, ContactID: contact, ID: device})
	if err != nil {
		return fault.Wrap(err, "forget a device")
	}
	if n == 0 {
		return fault.New(fault.NotFound, "There is no such device.")
	}
	return nil
}
