package api

import (
	"context"

	"github.com/lejek/lejek/backend/delivery"
	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/backend/workspaces"
)

// smtpTLS are the words of the contract for those of delivery.
var (
	smtpTLS      = map[SmtpSecurity]string{SmtpSecurityNone: "none", SmtpSecurityStarttls: "starttls", SmtpSecurityTls: "implicit"}
	smtpSecurity = map[string]SmtpSecurity{"none": SmtpSecurityNone, "starttls": SmtpSecurityStarttls, "implicit": SmtpSecurityTls}
)

const defaultRate = 10 // messages a second

// GetSmtp answers the mail server without its password.
func (h *handlers) GetSmtp(ctx context.Context, _ GetSmtpRequestObject) (GetSmtpResponseObject, error) {
	smtp, err := h.smtp(ctx, h.DB)
	return GetSmtp200JSONResponse(smtp), err
}

// PutSmtp sets the mail server. Being disabled takes the workspace back into the sandbox; going live is asked for by itself (GoLive).
func (h *handlers) PutSmtp(ctx context.Context, request PutSmtpRequestObject) (PutSmtpResponseObject, error) {
	in := *request.Body
	if _, known := smtpTLS[in.Security]; !known {
		return nil, fault.InvalidField("security", "There is no security %q. Use starttls, tls or none.", string(in.Security))
	}
	smtp, err := change(ctx, h, func(tx store.Tx) (Smtp, error) {
		if !in.Enabled {
			if err := workspaces.GoSandbox(ctx, tx, workspace(ctx)); err != nil {
				return Smtp{}, err
			}
		}
		err := h.Delivery.SaveSMTP(ctx, tx, workspace(ctx), delivery.SMTPSettings{
			SMTPConfig: delivery.SMTPConfig{Host: in.Host, Port: in.Port, User: orZero(in.Username), TLS: smtpTLS[in.Security]},
			Password:   in.Password, PerSecond: or(in.RatePerSecond, defaultRate), Active: in.Enabled,
		})
		if err != nil {
			return Smtp{}, err
		}
		return h.smtp(ctx, tx)
	})
	h.nudge("deliver")
	return PutSmtp200JSONResponse(smtp), err
}

func (h *handlers) smtp(ctx context.Context, db store.DB) (Smtp, error) {
	settings, configured, err := delivery.SMTPOf(ctx, db, workspace(ctx))
	if err != nil || !configured {
		return Smtp{Security: SmtpSecurityStarttls, Port: 587}, fault.Wrap(err, "read the mail server")
	}
	return Smtp{
		Configured: true, Enabled: settings.Active, Host: settings.Host, Port: settings.Port, Username: settings.User,
		HasPassword: settings.HasPassword, Security: smtpSecurity[settings.TLS], RatePerSecond: &settings.PerSecond,
	}, nil
}
