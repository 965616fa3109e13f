package connections

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/lejek/lejek/backend/clock"
	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/payments"
	"github.com/lejek/lejek/backend/people"
	"github.com/lejek/lejek/backend/pump"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/backend/stripe"
)

// Reports take in what services report. All members are required but Nudge.
type Reports struct {
	Connections *Connections
	Machine     clock.Clock
	Payments    *payments.Payments
	Nudge       func(kind string) // told after a commit which pump has something to do
}

const (
	reportBatch    = 100
	reportAttempts = 8
	reportPause    = 10 * time.Second
)

// understood are the reports worth a row.
var understood = []string{"checkout.session.completed", "checkout.session.async_payment_succeeded", "payment_intent.succeeded", "charge.refunded"}

// Take keeps a report of Stripe, once. It is committed when Take returns; what follows from it comes later. A connection that is not there
// is fault.NotFound, a wrong signature fault.Unauthenticated.
func (r *Reports) Take(ctx context.Context, workspace, id uuid.UUID, body []byte, signature string) error {
	c := r.Connections
	row, err := store.Q.Connection(ctx, c.DB, store.ConnectionParams{WorkspaceID: workspace, ID: id})
	if err != nil {
		return missing(err)
	}
	if row.Kind != Stripe {
		return fault.New(fault.NotFound, "There is no such connection.")
	}
	hidden, err := c.open(row)
	if err != nil {
		return fault.Wrap(err, "open a connection")
	}
	if err := stripe.Verify(body, signature, hidden.Signing, r.Machine.Now()); err != nil {
		return fault.New(fault.Unauthenticated, "The report is not signed as it should be: %s.", err.Error())
	}
	var event stripe.Event
	if err := json.Unmarshal(body, &event); err != nil || event.ID == "" || len(event.ID) > 200 {
		return fault.New(fault.Invalid, "The report cannot be read.")
	}
	if !slices.Contains(understood, event.Type) {
		return nil
	}
	err = store.InTx(ctx, c.DB, c.Clock, func(tx store.Tx) error {
		_, err := store.Q.InsertReport(ctx, tx, store.InsertReportParams{
			WorkspaceID: workspace, ConnectionID: id, ExternalID: event.ID, Name: event.Type, Body: body, Now: tx.Now,
		})
		return err
	})
	if err == nil {
		r.nudge("report")
	}
	return fault.Wrap(err, "keep a report")
}

func (r *Reports) nudge(kind string) {
	if r.Nudge != nil {
		r.Nudge(kind)
	}
}

// Job is the pump's job that works on reports.
func (r *Reports) Job() pump.Job {
	return pump.Job{Kind: "report", Label: "Take in what services report", Slots: 1, Lanes: 1, Drain: r.Drain}
}

// Drain works on a batch of reports, each in a savepoint of its own.
func (r *Reports) Drain(ctx context.Context, batch pump.Batch) (pump.Drained, error) {
	c := r.Connections
	if !c.Clock.Settled() {
		return pump.Drained{}, nil
	}
	rows := 0
	err := store.InTx(ctx, c.DB, c.Clock, func(tx store.Tx) error {
		found, err := store.Q.LeaseReports(ctx, tx, store.LeaseReportsParams{Now: tx.Now, Batch: int32(min(batch.Limit, reportBatch))})
		if err != nil {
			return fmt.Errorf("lease reports: %w", err)
		}
		rows = len(found)
		for _, report := range found {
			end, err := r.work(ctx, tx, report)
			if err != nil {
				return err
			}
			if err := store.Q.EndReport(ctx, tx, end); err != nil {
				return fmt.Errorf("end a report: %w", err)
			}
		}
		return nil
	})
	if err == nil && rows > 0 {
		r.nudge("inbox")
		r.nudge("wake")
	}
	return pump.Drained{Rows: rows}, err
}

// work does what a report asks and says what became of it. An error concerns the whole batch.
func (r *Reports) work(ctx context.Context, tx store.Tx, report store.Report) (store.EndReportParams, error) {
	end := store.EndReportParams{
		WorkspaceID: report.WorkspaceID, ConnectionID: report.ConnectionID, ExternalID: report.ExternalID, Status: "done", Attempts: report.Attempts + 1,
		NextAttemptAt: tx.Now,
	}
	ignored := ""
	err := store.InTx(ctx, tx, r.Connections.Clock, func(tx store.Tx) (err error) {
		ignored, err = r.record(ctx, tx, report)
		return err
	})
	public, about := errors.AsType[*fault.Error](err)
	switch {
	case ctx.Err() != nil:
		return end, ctx.Err()
	case err == nil && ignored != "":
		end.Status, end.Reason = "ignored", &ignored
	case err == nil:
	case about && public.Code != fault.Internal && public.Code != fault.Unavailable, end.Attempts >= reportAttempts:
		end.Status, end.Reason = "failed", new(store.Text(err.Error(), 1000))
	default:
		end.Status, end.Reason = "queued", new(store.Text(err.Error(), 1000))
		end.NextAttemptAt = tx.Now.Add(reportPause << report.Attempts)
	}
	return end, nil
}

// record turns a report into a payment of the workspace.
func (r *Reports) record(ctx context.Context, tx store.Tx, report store.Report) (ignored string, err error) {
	var event stripe.Event
	if err := json.Unmarshal(report.Body, &event); err != nil {
		return "", fault.New(fault.Invalid, "The report cannot be read.")
	}
	row, err := store.Q.Connection(ctx, tx, store.ConnectionParams{WorkspaceID: report.WorkspaceID, ID: report.ConnectionID})
	if err != nil {
		return "", fmt.Errorf("read a connection: %w", err)
	}
	hidden, err := r.Connections.open(row)
	if err != nil {
		return "", err
	}
	if live := len(hidden.Token) > 8 && hidden.Token[3:7] == "live"; live != event.Live {
		return "it is of the other mode, test or live, than the key of the connection", nil
	}
	paid, ok, err := event.Payment()
	if err != nil {
		return "", fault.New(fault.Invalid, "The report cannot be read.")
	}
	if !ok {
		return "nothing was paid yet", nil
	}
	return "", r.tell(ctx, tx, report.WorkspaceID, paid)
}

func (r *Reports) tell(ctx context.Context, tx store.Tx, workspace uuid.UUID, paid stripe.Payment) error {
	out := payments.Report{
		Provider: "stripe", ExternalID: paid.ID, State: payments.Paid, Amount: stripe.Major(paid.Minor, paid.Currency), Currency: paid.Currency,
		Title: paid.Metadata[metaTitle], At: paid.At, Who: people.Input{Email: paid.Email},
	}
	if out.At.After(tx.Now) {
		out.At = tx.Now
	}
	if paid.Refunded > 0 {
		out.State, out.Refunded = payments.Refunded, stripe.Major(paid.Refunded, paid.Currency)
	}
	ours := paid.Metadata[metaWorkspace] == workspace.String()
	if contact, err := uuid.Parse(paid.Metadata[metaContact]); ours && err == nil {
		out.Who = people.Input{ID: contact}
		out.Props = map[string]any{"run": paid.Metadata[metaRun], "step": paid.Metadata[metaStep]}
	}
	err := store.InTx(ctx, tx, r.Connections.Clock, func(tx store.Tx) error {
		_, _, err := r.Payments.Record(ctx, tx, workspace, out)
		return err
	})
	if public, ok := errors.AsType[*fault.Error](err); ok && ours && (public.Code == fault.NotFound || public.Code == fault.Invalid) {
		out.Who = people.Input{} // the person is gone; the money is not
		_, _, err = r.Payments.Record(ctx, tx, workspace, out)
	}
	return err
}
