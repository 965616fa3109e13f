package receipts

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/lejek/lejek/backend/clock"
	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/outgoing"
	"github.com/lejek/lejek/backend/people"
	"github.com/lejek/lejek/backend/seal"
	"github.com/lejek/lejek/backend/store"
)

// The kinds of sources.
const (
	Resend   = "resend"
	SendGrid = "sendgrid"
	SES      = "ses"
	Mailgun  = "mailgun"
	Twilio   = "twilio"
	Lob      = "lob"
	Generic  = "generic"
)

// Kinds are all of them.
var Kinds = []string{Resend, SendGrid, SES, Mailgun, Twilio, Lob, Generic}

const (
	maxSources = 50
	secrets    = "lejek receipt sources"
)

// Sealed are the columns of secrets that are ours.
var Sealed = []seal.Column{{Table: "receipt_sources", Column: "secret", Purpose: secrets, Owner: "uuid_send(id)"}}

// Sources keep who may report, and take in what they report. All members are required but Nudge.
type Sources struct {
	DB      store.DB
	Clock   clock.Source
	Machine clock.Clock
	People  *people.People
	Secret  []byte
	Keys    seal.Keys // of what is sealed; none is the secret
	BaseURL string    // as providers know us, without a trailing slash
	Get     func(ctx context.Context, r outgoing.Request) (outgoing.Answer, error)
	Logger  *slog.Logger
	Nudge   func(kind string) // told after a commit which pump has something to do

	once sync.Once
	pem  *certificates
}

func (s *Sources) certs() *certificates {
	s.once.Do(func() { s.pem = &certificates{get: s.Get} })
	return s.pem
}

// Source is a provider that may report.
type Source struct {
	Workspace, ID uuid.UUID

	Kind, Name, TopicArn string

	HasSecret bool
	CreatedAt time.Time
	LastAt    *time.Time // of the last genuine report
	Counts    Counts
}

// Counts are the reports of the last two weeks.
type Counts struct{ Done, Queued, Ignored, Failed int }

// opened is a source with what its reports are checked by.
type opened struct {
	Source
	secret string
}

// Input is a source as people enter it.
type Input struct{ Kind, Name, TopicArn, Secret string }

// Path is where a source's provider sends its reports, behind the base address.
func Path(workspace, id uuid.UUID) string {
	return "/hooks/messages/" + workspace.String() + "/" + id.String()
}

func (in Input) check() error {
	var wrong []fault.Field
	add := func(path, message string) { wrong = append(wrong, fault.Field{Path: path, Message: message}) }
	if !slices.Contains(Kinds, in.Kind) {
		add("kind", "There is no such provider. Use "+strings.Join(Kinds, ", ")+".")
	}
	if in.Name == "" || len(in.Name) > 200 {
		add("name", "Name the provider, in at most 200 characters.")
	}
	switch in.Kind {
	case SES:
		if !strings.HasPrefix(in.TopicArn, "arn:aws") || len(in.TopicArn) > 300 {
			add("topic_arn", "Enter the ARN of the SNS topic, such as arn:aws:sns:eu-west-1:123456789012:lejek.")
		}
	case Resend:
		if key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(in.Secret, "whsec_")); err != nil || len(key) == 0 {
			add("secret", "Enter the signing secret of the webhook. It begins with whsec_.")
		}
	case SendGrid:
		if !readableKey(in.Secret) {
			add("secret", "Enter the verification key of the event webhook: one line of letters and digits that ends with =.")
		}
	default:
		if len(in.Secret) < 8 {
			add("secret", "Enter what the provider signs with: at least 8 characters.")
		}
	}
	return fault.InvalidFields(wrong)
}

// Create saves a source.
func (s *Sources) Create(ctx context.Context, tx store.Tx, workspace uuid.UUID, in Input) (Source, error) {
	in.Name, in.Secret, in.TopicArn = strings.TrimSpace(in.Name), strings.TrimSpace(in.Secret), strings.TrimSpace(in.TopicArn)
	if err := in.check(); err != nil {
		return Source{}, err
	}
	var count int
	if err := tx.QueryRow(ctx, "SELECT count(*) FROM receipt_sources WHERE workspace_id = $1", workspace).Scan(&count); err != nil {
		return Source{}, fmt.Errorf("count sources of reports: %w", err)
	}
	if count >= maxSources {
		return Source{}, fault.New(fault.Conflict, "This workspace has %d providers that report, the most it can have. Remove one first.", maxSources)
	}
	id := store.NewID()
	var sealed []byte
	if in.Kind != SES {
		var err error
		in.TopicArn = ""
		if sealed, err = seal.New(s.Keys.Or(s.Secret), secrets).Seal(id[:], in.Secret); err != nil {
			return Source{}, err
		}
	}
	_, err := tx.Exec(ctx, `INSERT INTO receipt_sources (workspace_id, id, kind, name, topic_arn, secret, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
		workspace, id, in.Kind, in.Name, in.TopicArn, sealed, tx.Now)
	if err != nil {
		return Source{}, fmt.Errorf("save a source of reports: %w", err)
	}
	return Source{Workspace: workspace, ID: id, Kind: in.Kind, Name: in.Name, TopicArn: in.TopicArn, HasSecret: sealed != nil, CreatedAt: tx.Now}, nil
}

// Delete takes a source away, with what it reported.
func (s *Sources) Delete(ctx context.Context, tx store.Tx, workspace, id uuid.UUID) error {
	done, err := tx.Exec(ctx, "DELETE FROM receipt_sources WHERE workspace_id = $1 AND id = $2", workspace, id)
	if err != nil {
		return fmt.Errorf("remove a source of reports: %w", err)
	}
	if done.RowsAffected() == 0 {
		return fault.New(fault.NotFound, "There is no such provider.")
	}
	return nil
}

// List shows the sources of a workspace.
func (s *Sources) List(ctx context.Context, workspace uuid.UUID) ([]Source, error) {
	rows, err := s.DB.Query(ctx, `SELECT s.id, s.kind, s.name, s.topic_arn, s.secret IS NOT NULL, s.created_at, s.last_at,
			count(r.key) FILTER (WHERE r.status = 'done'), count(r.key) FILTER (WHERE r.status = 'queued'),
			count(r.key) FILTER (WHERE r.status = 'ignored'), count(r.key) FILTER (WHERE r.status = 'failed')
		FROM receipt_sources s LEFT JOIN receipts r ON r.workspace_id = s.workspace_id AND r.source_id = s.id
		WHERE s.workspace_id = $1 GROUP BY s.workspace_id, s.id ORDER BY s.name, s.id`, workspace)
	if err != nil {
		return nil, fmt.Errorf("list sources of reports: %w", err)
	}
	list, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (Source, error) {
		x := Source{Workspace: workspace}
		err := row.Scan(&x.ID, &x.Kind, &x.Name, &x.TopicArn, &x.HasSecret, &x.CreatedAt, &x.LastAt, &x.Counts.Done, &x.Counts.Queued, &x.Counts.Ignored, &x.Counts.Failed)
		return x, err
	})
	if err != nil {
		return nil, fmt.Errorf("list sources of reports: %w", err)
	}
	return list, nil
}

func (s *Sources) open(ctx context.Context, workspace, id uuid.UUID) (opened, error) {
	source := opened{Source: Source{Workspace: workspace, ID: id}}
	var sealed []byte
	err := s.DB.QueryRow(ctx, "SELECT kind, topic_arn, secret FROM receipt_sources WHERE workspace_id = $1 AND id = $2", workspace, id).
		Scan(&source.Kind, &source.TopicArn, &sealed)
	if errors.Is(err, pgx.ErrNoRows) {
		return source, fault.New(fault.NotFound, "There is no such provider.")
	}
	if err != nil {
		return source, fmt.Errorf("read a source of reports: %w", err)
	}
	source.secret, err = seal.New(s.Keys.Or(s.Secret), secrets).Open(id[:], sealed)
	return source, err
}
