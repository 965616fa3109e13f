package receipts

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/lejek/lejek/backend/failpoint"
	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/store"
)

// MaxReport is the largest report, in bytes.
const MaxReport = 1 << 20

const keepFor = 14 * 24 * time.Hour // longer than any signature is good for

// Take keeps a report, each of its items once. It is committed when Take returns; what follows from it comes later. A source that is not
// there is fault.NotFound, a wrong or old signature fault.Unauthenticated, a body nobody can read fault.Invalid.
func (s *Sources) Take(ctx context.Context, workspace, id uuid.UUID, report Report) error {
	source, err := s.open(ctx, workspace, id)
	if err != nil {
		return err
	}
	receipts, err := s.read(ctx, source, report)
	switch {
	case errors.Is(err, ErrSignature), errors.Is(err, ErrTime):
		return fault.New(fault.Unauthenticated, "The report is not taken: %s.", err.Error())
	case errors.Is(err, ErrBody):
		return fault.New(fault.Invalid, "The report is not taken: %s.", err.Error())
	case err != nil:
		return fault.New(fault.Unavailable, "The report cannot be checked now. Send it again.").WithErr(err)
	}
	err = store.InTx(ctx, s.DB, s.Clock, func(tx store.Tx) error { return s.keep(ctx, tx, source, receipts) })
	if err != nil {
		return fault.Wrap(err, "keep a report")
	}
	failpoint.Hit("receipts.after_commit")
	s.nudge("receipt")
	return nil
}

func (s *Sources) read(ctx context.Context, source opened, report Report) ([]Receipt, error) {
	now := s.Machine.Now()
	switch source.Kind {
	case Resend:
		return readResend(source, report, now)
	case SendGrid:
		return readSendGrid(source, report, now)
	case SES:
		return s.readSES(ctx, source, report, now)
	case Mailgun:
		return readMailgun(source, report, now)
	case Twilio:
		return readTwilio(source, report, now)
	case Lob:
		return readLob(source, report, now)
	default:
		return readGeneric(source, report, now)
	}
}

func (s *Sources) keep(ctx context.Context, tx store.Tx, source opened, receipts []Receipt) error {
	n := len(receipts)
	keys, kinds, bodies := make([]string, n), make([]string, n), make([][]byte, n)
	for i, receipt := range receipts {
		receipt.tidy()
		if receipt.At.After(tx.Now) || receipt.At.Year() < 1971 {
			receipt.At = tx.Now
		}
		body, err := json.Marshal(receipt)
		if err != nil {
			return fmt.Errorf("keep a report: %w", err)
		}
		keys[i], kinds[i], bodies[i] = receipt.Key, receipt.Kind, body
	}
	_, err := tx.Exec(ctx, `INSERT INTO receipts (workspace_id, source_id, key, kind, body, status, received_at, next_attempt_at)
		SELECT $1, $2, key, kind, body, 'queued', $3, $3 FROM unnest($4::text[], $5::text[], $6::jsonb[]) AS x (key, kind, body)
		ON CONFLICT DO NOTHING`, source.Workspace, source.ID, tx.Now, keys, kinds, bodies)
	if err != nil {
		return fmt.Errorf("keep reports: %w", err)
	}
	_, err = tx.Exec(ctx, `UPDATE receipt_sources SET last_at = $3 WHERE workspace_id = $1 AND id = $2 AND (last_at IS NULL OR last_at < $3::timestamptz - interval '1 minute')`,
		source.Workspace, source.ID, tx.Now)
	if err != nil {
		return fmt.Errorf("note that a provider reported: %w", err)
	}
	return nil
}

func (s *Sources) nudge(kind string) {
	if s.Nudge != nil {
		s.Nudge(kind)
	}
}

// Forget drops reports that are worked off and older than any signature is good for.
func (s *Sources) Forget(ctx context.Context) error {
	_, err := s.DB.Exec(ctx, "DELETE FROM receipts WHERE status <> 'queued' AND received_at < $1", s.Clock.Now().Add(-keepFor))
	if err != nil {
		return fmt.Errorf("forget old reports: %w", err)
	}
	return nil
}
