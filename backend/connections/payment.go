package connections

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/google/uuid"

	"github.com/lejek/lejek/backend/calls"
	"github.com/lejek/lejek/backend/outgoing"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/backend/stripe"
	"github.com/lejek/lejek/engine"
)

// What we write on a payment, to know it again in a report.
const (
	metaWorkspace = "lejek_workspace"
	metaContact   = "lejek_contact"
	metaRun       = "lejek_run"
	metaStep      = "lejek_step"
	metaTitle     = "lejek_title"
)

// Pay makes the page of a create_payment step.
func (c *Connections) Pay(ctx context.Context, call calls.Request) (calls.Answer, error) {
	var asked engine.PaymentRequest
	if err := call.Read(&asked); err != nil {
		return calls.Answer{}, err
	}
	minor, err := stripe.Minor(asked.Amount, asked.Currency)
	if err != nil {
		return calls.Answer{}, calls.Final(err)
	}
	row, hidden, err := c.account(ctx, call.Workspace, asked.Connection)
	if err != nil {
		return calls.Answer{}, err
	}
	link, err := c.stripe(row, hidden).Pay(ctx, stripe.Page{
		Minor: minor, Currency: asked.Currency, Title: asked.Title, Key: call.Key,
		Metadata: map[string]string{
			metaWorkspace: call.Workspace.String(), metaContact: call.Contact.String(), metaRun: call.Run.String(), metaStep: call.Node, metaTitle: asked.Title,
		},
	})
	if err != nil {
		return calls.Answer{}, sort(err)
	}
	return calls.Answer{
		Port: engine.PortOK, Vars: map[string]any{"payment_url": link.URL, "payment_id": link.ID},
		Why: map[string]any{"payment": link.ID, "amount": asked.Amount, "currency": asked.Currency},
	}, nil
}

func (c *Connections) stripe(row store.Connection, hidden secrets) stripe.Client {
	return stripe.Client{HTTP: c.Client, Base: base(row), Key: hidden.Token}
}

// account is the Stripe account of that slug, or the workspace's only one.
func (c *Connections) account(ctx context.Context, workspace uuid.UUID, name string) (store.Connection, secrets, error) {
	if name == "" {
		rows, err := store.Q.ConnectionsOfKind(ctx, c.DB, store.ConnectionsOfKindParams{WorkspaceID: workspace, Kind: Stripe})
		switch {
		case err != nil:
			return store.Connection{}, secrets{}, fmt.Errorf("read connections: %w", err)
		case len(rows) == 0:
			return store.Connection{}, secrets{}, calls.Final(errors.New("this workspace has no Stripe account any more"))
		case len(rows) > 1:
			return store.Connection{}, secrets{}, calls.Final(errors.New("this workspace has several Stripe accounts and the step names none"))
		}
		name = rows[0].Slug
	}
	return c.named(ctx, workspace, name, Stripe)
}

// sort says whether an error of a service is worth another attempt.
func sort(err error) error {
	if refused, ok := errors.AsType[*stripe.Error](err); ok {
		if refused.Status == http.StatusConflict { // another attempt with the key is under way
			return err
		}
		return refusal(outgoing.Answer{Status: refused.Status, Header: refused.Header}, err)
	}
	if outgoing.Lasting(err) {
		return calls.Final(err)
	}
	return err
}
