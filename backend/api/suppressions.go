package api

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/lejek/lejek/backend/csvfile"
	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/people"
	"github.com/lejek/lejek/backend/receipts"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/backend/tasks"
)

// ListSuppressions lists addresses nothing may be sent to.
func (h *handlers) ListSuppressions(ctx context.Context, request ListSuppressionsRequestObject) (ListSuppressionsResponseObject, error) {
	in := request.Params
	page, err := h.People.Refusals(ctx, workspace(ctx), people.RefusalFilter{
		Address: orZero(in.Q), Reason: string(orZero(in.Reason)), Channel: string(orZero(in.Channel)), Cursor: orZero(in.Cursor), Limit: or(in.Limit, 50),
	})
	return ListSuppressions200JSONResponse{Items: each(page.Items, toSuppression), Next: optional(page.Next), Counts: page.Counts}, err
}

func toSuppression(row store.ListSuppressionsRow) Suppression {
	out := Suppression{Id: row.ID, Channel: row.Channel, Reason: SuppressionReason(row.Reason), Hint: row.Hint, Source: row.Source, At: row.At}
	if row.ContactID != nil {
		out.Contact = &ContactRef{Id: *row.ContactID, Email: row.Email, Name: optional(strings.TrimSpace(orZero(row.FirstName) + " " + orZero(row.LastName)))}
	}
	return out
}

// CreateSuppression refuses an address by hand.
func (h *handlers) CreateSuppression(ctx context.Context, request CreateSuppressionRequestObject) (CreateSuppressionResponseObject, error) {
	in := request.Body
	return CreateSuppression204Response{}, h.People.Suppress(ctx, workspace(ctx), string(in.Channel), in.Address, people.ReasonManual, "by hand")
}

// ImportSuppressions imports refused addresses as a task.
func (h *handlers) ImportSuppressions(ctx context.Context, request ImportSuppressionsRequestObject) (ImportSuppressionsResponseObject, error) {
	file, err := io.ReadAll(request.Body)
	if err != nil {
		return nil, bodyError(err)
	}
	channel := string(or(request.Params.Channel, "email"))
	if channel == "push" || channel == "letter" {
		return nil, fault.InvalidField("channel", "Addresses are refused by email, sms or whatsapp.")
	}
	if len(file) == 0 {
		return nil, fault.New(fault.Invalid, "The file is empty. Send a CSV file whose first line names the columns.")
	}
	row, _, err := h.Tasks.Start(ctx, tasks.Request{
		Workspace: workspace(ctx), Kind: people.RefusalsKind, Args: people.RefusalsOptions{Channel: channel}, Input: file, Total: int64(len(file)), By: by(ctx),
	})
	if err != nil {
		return nil, err
	}
	task, err := toTask(row)
	return ImportSuppressions202JSONResponse{TaskAnswerJSONResponse(task)}, err
}

// LiftSuppression takes an address off. The reason goes into the audit in the same transaction.
func (h *handlers) LiftSuppression(ctx context.Context, request LiftSuppressionRequestObject) (LiftSuppressionResponseObject, error) {
	err := h.inTx(ctx, func(tx store.Tx) error {
		row, err := h.People.Lift(ctx, tx, workspace(ctx), request.Id)
		if err != nil {
			return err
		}
		return h.note(ctx, tx, "suppressionLifted", row.Channel+" "+row.Hint+" ("+row.Reason+"): "+request.Body.Reason)
	})
	return LiftSuppression204Response{}, err
}

// ListConsentRecords lists everything a person agreed to or refused.
func (h *handlers) ListConsentRecords(ctx context.Context, request ListConsentRecordsRequestObject) (ListConsentRecordsResponseObject, error) {
	rows, err := h.People.ConsentRecords(ctx, workspace(ctx), request.Id)
	if err != nil {
		return nil, err
	}
	items := make([]ConsentRecord, len(rows))
	for i, row := range rows {
		items[i] = ConsentRecord{Channel: row.Channel, Topic: row.Topic, State: ConsentState(row.State), Source: row.Source, At: row.At, Proof: Properties{}}
		if len(row.Proof) > 0 {
			if items[i].Proof, err = properties(row.Proof); err != nil {
				return nil, err
			}
		}
	}
	return ListConsentRecords200JSONResponse{Items: items}, nil
}

// ListConsentRecordsCsv is the same as a file to hand over.
func (h *handlers) ListConsentRecordsCsv(ctx context.Context, request ListConsentRecordsCsvRequestObject) (ListConsentRecordsCsvResponseObject, error) {
	contact, err := h.People.Get(ctx, workspace(ctx), request.Id)
	if err != nil {
		return nil, err
	}
	rows, err := h.People.ConsentRecords(ctx, workspace(ctx), request.Id)
	if err != nil {
		return nil, err
	}
	slices.Reverse(rows)
	var out bytes.Buffer
	w := csvfile.NewWriter(&out)
	err = w.Write("contact", "email", "phone", "at", "channel", "topic", "state", "source", "text", "ip_hash", "proof")
	for _, row := range rows {
		var proof map[string]any
		if len(row.Proof) > 0 && err == nil {
			err = json.Unmarshal(row.Proof, &proof)
		}
		text, _ := proof["text"].(string)
		ip, _ := proof["ip_hash"].(string)
		if err == nil {
			err = w.Write(contact.ID.String(), orZero(contact.Email), orZero(contact.Phone), row.At.UTC().Format(time.RFC3339), row.Channel, row.Topic, row.State, row.Source, text, ip, string(row.Proof))
		}
	}
	if err == nil {
		err = w.Flush()
	}
	return ListConsentRecordsCsv200TextcsvResponse{
		Body: bytes.NewReader(out.Bytes()), ContentLength: int64(out.Len()),
		Headers: ListConsentRecordsCsv200ResponseHeaders{ContentDisposition: new(`attachment; filename="consent.csv"`)}, // no browser shows it as a page
	}, fault.Wrap(err, "write proofs of consent")
}

// CreatePreferenceLink is the page of a person.
func (h *handlers) CreatePreferenceLink(ctx context.Context, request CreatePreferenceLinkRequestObject) (CreatePreferenceLinkResponseObject, error) {
	contact, err := h.People.Get(ctx, workspace(ctx), request.Id)
	return CreatePreferenceLink200JSONResponse{Url: h.Preferences.URL(contact.WorkspaceID, contact.ID)}, err
}

// GetConsentSettings tells what the workspace set about refusals.
func (h *handlers) GetConsentSettings(ctx context.Context, _ GetConsentSettingsRequestObject) (GetConsentSettingsResponseObject, error) {
	row, err := store.Q.Workspace(ctx, h.DB, workspace(ctx))
	return GetConsentSettings200JSONResponse{SoftBounces: int(row.SoftBounces), StopWords: receipts.StopWords()}, fault.Wrap(err, "read a workspace")
}

// PutConsentSettings changes it.
func (h *handlers) PutConsentSettings(ctx context.Context, request PutConsentSettingsRequestObject) (PutConsentSettingsResponseObject, error) {
	err := h.inTx(ctx, func(tx store.Tx) error {
		_, err := tx.Exec(ctx, "UPDATE workspaces SET soft_bounces = $2, updated_at = $3 WHERE id = $1", workspace(ctx), request.Body.SoftBounces, tx.Now)
		return fault.Wrap(err, "change a workspace")
	})
	return PutConsentSettings200JSONResponse{SoftBounces: request.Body.SoftBounces, StopWords: receipts.StopWords()}, err
}
