package api

import (
	"context"
	"strings"

	"github.com/google/uuid"

	"github.com/lejek/lejek/backend/forms"
)

// follow does in the recipient's place what a link of the Test inbox does that leads to a page of our own: it presses the button there that
// confirms an address or leaves. A page that only shows something leaves all as it is. No click is counted: outside the Test inbox those links are
// not watched either. It tells whether the link was one of these.
func (h *handlers) follow(ctx context.Context, message uuid.UUID, address string) (bool, error) {
	path, ours := strings.CutPrefix(address, h.Delivery.BaseURL)
	if !ours {
		return false, nil
	}
	if token, confirms := strings.CutPrefix(path, "/f/confirm/"); confirms {
		if err := h.Delivery.Leads(ctx, workspace(ctx), message, address); err != nil {
			return true, err
		}
		_, err := h.Inbound.Forms.Confirm(ctx, token, forms.Call{})
		for _, kind := range []string{"inbox", "deliver", "wake"} {
			h.nudge(kind)
		}
		return true, err
	}
	if address == h.Delivery.UnsubscribeURL(workspace(ctx), message) {
		return true, h.Delivery.Act(ctx, workspace(ctx), message, "unsubscribe", "")
	}
	shows := strings.HasPrefix(path, "/p/") || strings.HasPrefix(path, "/v/") || strings.HasPrefix(path, "/book/manage/")
	return shows, nil
}
