package api

import (
	"context"

	"github.com/lejek/lejek/backend/store"
)

// ListContactDevices lists where push notifications reach a person.
func (h *handlers) ListContactDevices(ctx context.Context, request ListContactDevicesRequestObject) (ListContactDevicesResponseObject, error) {
	devices, err := h.People.Devices(ctx, workspace(ctx), request.Id)
	return ListContactDevices200JSONResponse{Items: each(devices, toDevice)}, err
}

// AddContactDevice notes a device.
func (h *handlers) AddContactDevice(ctx context.Context, request AddContactDeviceRequestObject) (AddContactDeviceResponseObject, error) {
	device, err := h.People.AddDevice(ctx, workspace(ctx), request.Id, string(request.Body.Platform), request.Body.Token)
	return AddContactDevice201JSONResponse(toDevice(device)), err
}

// RemoveContactDevice forgets a device.
func (h *handlers) RemoveContactDevice(ctx context.Context, request RemoveContactDeviceRequestObject) (RemoveContactDeviceResponseObject, error) {
	return RemoveContactDevice204Response{}, h.People.RemoveDevice(ctx, workspace(ctx), request.Id, request.Device)
}

func toDevice(d store.Device) Device {
	return Device{Id: d.ID, Platform: DevicePlatform(d.Platform), CreatedAt: d.CreatedAt, SeenAt: d.SeenAt}
}
