package payments

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"regexp"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/lejek/lejek/backend/events"
	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/people"
	"github.com/lejek/lejek/backend/store"
)

// State of a payment.
type State string

// The states, in the order in which they are reached.
const (
	Created  State = "created"
	Paid     State = "paid"
	Refunded State = "refunded"
)

var rank = map[State]int{Created: 1, Paid: 2, Refunded: 3}

// ProviderAPI is the customer's own shop.
const ProviderAPI = "api"

// thousandths of a currency's unit are what is stored.
const thousandths = 1000

const (
	maxAmount   = 1e9
	maxID       = 200
	maxTitle    = 200
	maxProps    = 8 << 10
	maxAhead    = 5 * time.Minute
	lastMembers = 50
)

// Report is what somebody says about a payment. It may be said again.
type Report struct {
	Provider   string // "api", "stripe"
	ExternalID string // the provider's id, unique with it
	State      State
	Amount     float64 // in the currency's unit; at most three decimals
	Refunded   float64 // of a refunded payment: the whole sum so far; zero is all of it
	Currency   string  // three capital letters
	Title      string
	At         time.Time    // when it reached the state; zero is now
	Who        people.Input // who paid, by any identity; the zero Input leaves the payment as it is, or without a person
	Props      map[string]any
	Chain      int16 // how many runs stand between the report and the outside world
}

// Payments keep payments.
type Payments struct {
	People  *people.People
	Reactor *events.Reactor
}

// Record takes a report in, in the caller's transaction, and answers the payment as it stands and whether it is new. Its person is locked.
// A report that contradicts what is known (another amount or currency of a payment that was made) is a fault.Conflict. Nudge the pumps
// "inbox" and "wake" after the commit.
func (p *Payments) Record(ctx context.Context, tx store.Tx, workspace uuid.UUID, report Report) (payment store.Payment, isNew bool, err error) {
	report.Title = strings.TrimSpace(report.Title)
	if err := report.check(tx.Now); err != nil {
		return payment, false, err
	}
	contact, err := p.who(ctx, tx, workspace, report)
	if err != nil {
		return payment, false, err
	}
	key := store.LockPaymentParams{WorkspaceID: workspace, Provider: report.Provider, ExternalID: report.ExternalID}
	inserted, err := store.Q.InsertPayment(ctx, tx, store.InsertPaymentParams{
		WorkspaceID: workspace, ID: store.NewID(), Provider: report.Provider, ExternalID: report.ExternalID, Amount: units(report.Amount),
		Currency: report.Currency, Title: report.Title, Now: tx.Now,
	})
	if err != nil {
		return payment, false, fmt.Errorf("keep a payment: %w", err)
	}
	if payment, err = store.Q.LockPayment(ctx, tx, key); err != nil {
		return payment, false, fmt.Errorf("read a payment: %w", err)
	}
	before := payment
	if err := report.apply(&payment, contact, tx.Now); err != nil {
		return payment, false, err
	}
	if payment, err = write(ctx, tx, payment); err != nil {
		return payment, false, err
	}
	return payment, inserted > 0, p.tell(ctx, tx, before, payment, report)
}

// who is the person who paid, uuid.Nil when nobody was named.
func (p *Payments) who(ctx context.Context, tx store.Tx, workspace uuid.UUID, report Report) (uuid.UUID, error) {
	who := report.Who
	if who.ID == uuid.Nil && who.ExternalID == "" && who.Email == "" && who.Phone == "" {
		return uuid.Nil, nil
	}
	outcomes, err := p.People.UpsertMany(ctx, tx, workspace, []people.Input{who}, people.Options{Source: report.Provider, Chain: int(report.Chain), KeepRefusals: true})
	if err != nil {
		return uuid.Nil, err
	}
	if err := outcomes[0].Err; err != nil {
		return uuid.Nil, under("contact", err)
	}
	return outcomes[0].Contact.ID, nil
}

// under puts the fields of a fault beneath a member of the body.
func under(member string, err error) error {
	var public *fault.Error
	if !errors.As(err, &public) || len(public.Fields) == 0 {
		return err
	}
	moved := *public
	moved.Fields = nil
	for _, field := range public.Fields {
		moved.Fields = append(moved.Fields, fault.Field{Path: member + "." + field.Path, Message: field.Message})
	}
	return &moved
}

var currencyPattern = regexp.MustCompile(`^[A-Z]{3}$`)

func (r Report) check(now time.Time) error {
	var wrong []fault.Field
	no := func(path, format string, args ...any) {
		wrong = append(wrong, fault.Field{Path: path, Message: fmt.Sprintf(format, args...)})
	}
	if id := strings.TrimSpace(r.ExternalID); id == "" || len(r.ExternalID) > maxID {
		no("external_id", "Give the payment's own number, at most %d bytes.", maxID)
	}
	if rank[r.State] == 0 {
		no("state", "%q is not a state of a payment. Use created, paid or refunded.", r.State)
	}
	if !currencyPattern.MatchString(r.Currency) {
		no("currency", "%q is not a currency. Use three capital letters, such as EUR.", r.Currency)
	}
	if wrongAmount(r.Amount) || r.Amount == 0 {
		no("amount", "The amount must be more than zero, at most a thousand million, with at most three decimals.")
	}
	if wrongAmount(r.Refunded) || r.Refunded > r.Amount {
		no("refunded", "What was refunded must be between zero and the amount.")
	}
	if len([]rune(r.Title)) > maxTitle {
		no("title", "The title is too long: at most %d characters.", maxTitle)
	}
	if r.At.After(now.Add(maxAhead)) {
		no("at", "The instant lies in the future. Leave it out for now.")
	}
	if raw, err := json.Marshal(r.Props); err != nil || len(raw) > maxProps || len(r.Props) > lastMembers {
		no("properties", "The properties are too large: at most %d members and %d bytes.", lastMembers, maxProps)
	}
	return fault.InvalidFields(wrong)
}

func wrongAmount(amount float64) bool {
	scaled := amount * thousandths
	return math.IsNaN(amount) || amount < 0 || amount > maxAmount || math.Abs(scaled-math.Round(scaled)) > 1e-4
}

func units(amount float64) int64 { return int64(math.Round(amount * thousandths)) }

// Amount is stored units as a number of the currency's unit.
func Amount(units int64) float64 { return float64(units) / thousandths }

// apply raises the payment to what the report says. It never lowers anything.
func (r Report) apply(payment *store.Payment, contact uuid.UUID, now time.Time) error {
	settled := State(payment.State) != Created
	if r.Currency != payment.Currency || settled && r.State != Created && units(r.Amount) != payment.Amount {
		return fault.New(fault.Conflict, "The payment %s was reported as %.2f %s before. Give another payment another external id.",
			r.ExternalID, Amount(payment.Amount), payment.Currency)
	}
	if !settled {
		payment.Amount = units(r.Amount)
	}
	at := r.At
	if at.IsZero() {
		at = now
	}
	if rank[r.State] >= rank[Paid] {
		payment.PaidAt = earlier(payment.PaidAt, at)
	}
	if r.State == Refunded {
		sum := units(r.Refunded)
		if sum == 0 {
			sum = payment.Amount
		}
		payment.Refunded = max(payment.Refunded, sum)
		payment.RefundedAt = earlier(payment.RefundedAt, at)
	}
	if rank[r.State] > rank[State(payment.State)] {
		payment.State = string(r.State)
	}
	if payment.ContactID == nil && contact != uuid.Nil {
		payment.ContactID = &contact
	}
	if payment.Title == "" {
		payment.Title = r.Title
	}
	payment.UpdatedAt = now
	return r.addProps(payment)
}

// addProps keeps what is new; the first word about a property counts.
func (r Report) addProps(payment *store.Payment) error {
	if len(r.Props) == 0 {
		return nil
	}
	known := map[string]any{}
	if err := json.Unmarshal(payment.Props, &known); err != nil {
		return fmt.Errorf("properties of payment %s: %w", payment.ID, err)
	}
	all := maps.Clone(r.Props)
	maps.Copy(all, known)
	raw, err := json.Marshal(all)
	if err != nil {
		return fmt.Errorf("properties of payment %s: %w", payment.ID, err)
	}
	payment.Props = raw
	return nil
}

func earlier(known *time.Time, at time.Time) *time.Time {
	if known != nil && !at.Before(*known) {
		return known
	}
	return &at
}

func write(ctx context.Context, tx store.Tx, p store.Payment) (store.Payment, error) {
	row, err := store.Q.UpdatePayment(ctx, tx, store.UpdatePaymentParams{
		WorkspaceID: p.WorkspaceID, ID: p.ID, ContactID: p.ContactID, Amount: p.Amount, Refunded: p.Refunded, Title: p.Title, State: p.State,
		Props: p.Props, PaidAt: p.PaidAt, RefundedAt: p.RefundedAt, Now: p.UpdatedAt,
	})
	if err != nil {
		return row, fmt.Errorf("keep a payment: %w", err)
	}
	return row, nil
}

// Get is one payment.
func (*Payments) Get(ctx context.Context, db store.DB, workspace, id uuid.UUID) (store.Payment, error) {
	payment, err := store.Q.Payment(ctx, db, store.PaymentParams{WorkspaceID: workspace, ID: id})
	if errors.Is(err, pgx.ErrNoRows) {
		return payment, fault.New(fault.NotFound, "There is no such payment.")
	}
	return payment, fault.Wrap(err, "read a payment")
}

// Refund notes that money of a payment went back: the whole sum so far, zero for all of it.
func (p *Payments) Refund(ctx context.Context, tx store.Tx, workspace, id uuid.UUID, sum float64) (store.Payment, error) {
	payment, err := p.Get(ctx, tx, workspace, id)
	if err != nil {
		return payment, err
	}
	if sum > Amount(payment.Amount) {
		return payment, fault.InvalidField("amount", "%.2f is more than the payment of %.2f %s.", sum, Amount(payment.Amount), payment.Currency)
	}
	report := Report{
		Provider: payment.Provider, ExternalID: payment.ExternalID, State: Refunded, Amount: Amount(payment.Amount), Refunded: sum, Currency: payment.Currency,
	}
	payment, _, err = p.Record(ctx, tx, workspace, report)
	return payment, err
}
