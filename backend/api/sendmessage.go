package api

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/lejek/lejek/backend/creative"
	"github.com/lejek/lejek/backend/delivery"
	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/funnels"
	"github.com/lejek/lejek/backend/people"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/engine"
)

const (
	maxAhead    = 366 * 24 * time.Hour // that a message may be asked for
	expireAfter = 24 * time.Hour
)

// SendMessage puts one transactional message into the outbox.
func (h *handlers) SendMessage(ctx context.Context, request SendMessageRequestObject) (SendMessageResponseObject, error) {
	in := *request.Body
	if err := checkWish(in); err != nil {
		return nil, err
	}
	asked, err := json.Marshal(in)
	if err != nil {
		return nil, fault.Wrap(err, "read a request")
	}
	hash, key := sha256.Sum256(asked), orZero(request.Params.IdempotencyKey)
	var artifact []byte
	if in.Creative != nil {
		if artifact, err = compiled(ctx, *in.Creative); err != nil {
			return nil, err
		}
	}
	out, err := change(ctx, h, func(tx store.Tx) (MessageAccepted, error) {
		if known, err := repeated(ctx, tx, workspace(ctx), key, hash[:]); known != nil || err != nil {
			return orZero(known), err
		}
		return h.wish(ctx, tx, in, artifact, key, hash[:])
	})
	if store.Violated(err) == "message_requests_pkey" { // the same key at the same time: the other one was first
		out, err = change(ctx, h, func(tx store.Tx) (MessageAccepted, error) {
			known, err := repeated(ctx, tx, workspace(ctx), key, hash[:])
			return orZero(known), err
		})
	}
	if err != nil {
		return nil, err
	}
	h.nudge("deliver")
	return SendMessage202JSONResponse(out), nil
}

func checkWish(in MessageInput) error {
	var wrong []fault.Field
	if (in.Template == nil) == (in.Creative == nil) {
		wrong = append(wrong, fault.Field{Path: "template", Message: "Send either template, the message of a live funnel, or creative, the message itself."})
	}
	to := in.To
	if to.ContactId == nil && orZero(to.Email) == "" && orZero(to.Phone) == "" && orZero(to.ExternalId) == "" {
		wrong = append(wrong, fault.Field{Path: "to", Message: "Say whom: by contact_id, external_id, email or phone."})
	}
	return fault.InvalidFields(wrong)
}

// compiled makes an inline message ready.
func compiled(ctx context.Context, c engine.Creative) ([]byte, error) {
	artifact, problems, err := creative.Compile(ctx, c, creative.Options{})
	if err != nil {
		return nil, fault.Wrap(err, "compile a creative")
	}
	for _, problem := range problems {
		if problem.Severity == engine.Error && problem.Code != "UNSUBSCRIBE_MISSING" { // it is transactional
			return nil, fault.New(fault.Invalid, "The message cannot be sent: %s", problem.Message).WithDetails(funnels.Refusal{Problems: problems})
		}
	}
	raw, err := json.Marshal(artifact)
	return raw, fault.Wrap(err, "keep a compiled creative")
}

// repeated is the message a key stands for, nil if it stands for none.
func repeated(ctx context.Context, tx store.Tx, workspace uuid.UUID, key string, hash []byte) (*MessageAccepted, error) {
	if key == "" {
		return nil, nil
	}
	out, before := MessageAccepted{Repeated: new(true)}, []byte{}
	err := tx.QueryRow(ctx, `SELECT r.message_id, r.hash, m.contact_id, m.due_at FROM message_requests r
		JOIN messages m ON m.workspace_id = r.workspace_id AND m.id = r.message_id WHERE r.workspace_id = $1 AND r.key = $2`, workspace, key).
		Scan(&out.MessageId, &before, &out.ContactId, &out.DueAt)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fault.Wrap(err, "look for a request")
	}
	if !bytes.Equal(hash, before) {
		return nil, fault.New(fault.Invalid, "This Idempotency-Key was used for another message. Use a new key for each message.")
	}
	return &out, nil
}

func (h *handlers) wish(ctx context.Context, tx store.Tx, in MessageInput, artifact []byte, key string, hash []byte) (MessageAccepted, error) {
	at := or(in.SendAt, tx.Now)
	if at.Before(tx.Now) {
		at = tx.Now
	}
	if at.After(tx.Now.Add(maxAhead)) {
		return MessageAccepted{}, fault.InvalidField("send_at", "The time is more than a year ahead. Send it nearer to then.")
	}
	expires := or(in.ExpiresAt, at.Add(expireAfter))
	if !expires.After(at) {
		return MessageAccepted{}, fault.InvalidField("expires_at", "The message would expire before it is due. Give a later time, or none.")
	}
	who := people.Input{ID: orZero(in.To.ContactId), ExternalID: orZero(in.To.ExternalId), Email: orZero(in.To.Email), Phone: orZero(in.To.Phone)}
	met, err := h.People.UpsertMany(ctx, tx, workspace(ctx), []people.Input{who}, people.Options{Source: sourceAPI, Quiet: true})
	if err != nil {
		return MessageAccepted{}, err
	}
	if met[0].Err != nil {
		return MessageAccepted{}, met[0].Err
	}
	wish := delivery.Wish{
		Workspace: workspace(ctx), Contact: met[0].Contact.ID, Artifact: artifact, Sender: orZero(in.Sender), Vars: orZero(in.Variables), At: at.UTC(), Expires: expires.UTC(),
	}
	if wish.Vars == nil {
		wish.Vars = map[string]any{}
	}
	if in.Template != nil {
		wish.Funnel, wish.Message = in.Template.Funnel, in.Template.Message
	}
	id, err := h.Delivery.Wish(ctx, tx, wish)
	if err != nil {
		return MessageAccepted{}, err
	}
	if key != "" {
		_, err := tx.Exec(ctx, "INSERT INTO message_requests (workspace_id, key, message_id, hash, created_at) VALUES ($1, $2, $3, $4, $5)", workspace(ctx), key, id, hash, tx.Now)
		if err != nil {
			return MessageAccepted{}, fault.Wrap(err, "keep a request")
		}
	}
	return MessageAccepted{MessageId: id, ContactId: wish.Contact, DueAt: wish.At}, nil
}
