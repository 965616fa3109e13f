package payments_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/payments"
	"github.com/lejek/lejek/backend/people"
	"github.com/lejek/lejek/backend/spinetest"
	"github.com/lejek/lejek/backend/store"
)

type shop struct {
	*spinetest.World

	payments *payments.Payments
}

func setup(t *testing.T) *shop {
	t.Helper()
	w := spinetest.New(t)
	return &shop{w, &payments.Payments{People: w.People, Reactor: w.Reactor}}
}

func (s *shop) try(r payments.Report) (payment store.Payment, isNew bool, err error) {
	err = store.InTx(s.Context(), s.Pool, s.Clock, func(tx store.Tx) (err error) {
		payment, isNew, err = s.payments.Record(s.Context(), tx, s.Workspace, r)
		return err
	})
	return payment, isNew, err
}

func (s *shop) record(r payments.Report) store.Payment {
	s.Helper()
	payment, _, err := s.try(r)
	require.NoError(s, err)
	return payment
}

// told are the payment events of everybody, oldest name first, after the inbox was worked off.
func (s *shop) told() []string {
	s.Helper()
	s.Settle()
	rows, err := s.Pool.Query(s.Context(), `SELECT name, (props->>'amount')::float8, imported FROM events WHERE workspace_id = $1 AND name LIKE 'payment%' ORDER BY name, id`, s.Workspace)
	require.NoError(s, err)
	told := []string{}
	for rows.Next() {
		var name string
		var amount float64
		var quiet bool
		require.NoError(s, rows.Scan(&name, &amount, &quiet))
		told = append(told, strings.TrimSpace(fmt.Sprintf("%s %g %s", name, amount, map[bool]string{true: "quiet"}[quiet])))
	}
	require.NoError(s, rows.Err())
	return told
}

func report(state payments.State) payments.Report {
	return payments.Report{
		Provider: "stripe", ExternalID: "pi_1", State: state, Amount: 49.99, Currency: "EUR", Who: people.Input{Email: "anna@example.com"},
	}
}

func TestRecordIsTheSameInAnyOrderAndHoweverOften(t *testing.T) {
	t.Parallel()
	s := setup(t)
	at := s.Clock.Now().Add(-3 * time.Hour)
	reports := []payments.Report{report(payments.Created), report(payments.Paid), report(payments.Refunded), report(payments.Refunded)}
	for i := range reports {
		reports[i].At = at.Add(time.Duration(i) * time.Minute)
	}
	reports[2].Refunded = 10
	n := 0
	var first []byte
	permute(reports, func(order []payments.Report) {
		n++
		var last store.Payment
		for _, r := range slices.Concat(order, order[:2]) {
			r.ExternalID = fmt.Sprint("pi_", n)
			last = s.record(r)
		}
		require.Equal(t, "refunded", last.State)
		require.Equal(t, int64(49990), last.Refunded)
		require.Equal(t, at.Add(time.Minute), *last.PaidAt)
		last.ID, last.ExternalID = uuid.Nil, ""
		raw, err := json.Marshal(last)
		require.NoError(t, err)
		if first == nil {
			first = raw
		}
		require.JSONEq(t, string(first), string(raw))
	})
	require.Equal(t, 24, n)
	s.Settle()
	require.Equal(t, n, s.Count("SELECT count(*) FROM events WHERE name = 'payment_made'"), "each payment is told once")
	require.InDelta(t, float64(n)*49.99, s.sum("payment_refunded"), 1e-6, "what went back is told once, in however many parts")
	s.Audit()
}

func (s *shop) sum(name string) (total float64) {
	s.Helper()
	require.NoError(s, s.Pool.QueryRow(s.Context(), "SELECT sum((props->>'amount')::float8) FROM events WHERE name = $1", name).Scan(&total))
	return total
}

func permute(all []payments.Report, visit func([]payments.Report)) {
	var walk func(int)
	walk = func(k int) {
		if k == len(all) {
			visit(slices.Clone(all))
			return
		}
		for i := k; i < len(all); i++ {
			all[k], all[i] = all[i], all[k]
			walk(k + 1)
			all[k], all[i] = all[i], all[k]
		}
	}
	walk(0)
}

func TestRecordTellsFunnels(t *testing.T) {
	t.Parallel()

	t.Run("APaymentOnceWhenItIsPaid", func(t *testing.T) {
		t.Parallel()
		s := setup(t)
		s.record(report(payments.Created))
		require.Empty(t, s.told())
		s.record(report(payments.Paid))
		s.record(report(payments.Paid))
		s.record(report(payments.Created))
		require.Equal(t, []string{"payment_made 49.99"}, s.told())
	})

	t.Run("EachRiseOfARefund", func(t *testing.T) {
		t.Parallel()
		s := setup(t)
		s.record(report(payments.Paid))
		for _, sum := range []float64{10, 10, 5, 25} {
			r := report(payments.Refunded)
			r.Refunded = sum
			s.record(r)
		}
		require.Equal(t, []string{"payment_made 49.99", "payment_refunded 10", "payment_refunded 15"}, s.told())
	})

	t.Run("ARefundHeardOfFirstMakesThePaymentHistory", func(t *testing.T) {
		t.Parallel()
		s := setup(t)
		s.record(report(payments.Refunded))
		s.record(report(payments.Paid))
		require.Equal(t, []string{"payment_made 49.99 quiet", "payment_refunded 49.99"}, s.told())
	})

	t.Run("WhoPaidMayBeLearntLater", func(t *testing.T) {
		t.Parallel()
		s := setup(t)
		nobody := report(payments.Paid)
		nobody.Who = people.Input{}
		require.Nil(t, s.record(nobody).ContactID)
		require.Empty(t, s.told())
		require.NotNil(t, s.record(report(payments.Paid)).ContactID)
		s.record(report(payments.Paid))
		require.Equal(t, []string{"payment_made 49.99"}, s.told())
	})
}

func TestRecordRefuses(t *testing.T) {
	t.Parallel()
	s := setup(t)
	s.record(report(payments.Paid))
	for name, c := range map[string]struct {
		change func(*payments.Report)
		code   fault.Code
		field  string
	}{
		"AnotherAmount":      {func(r *payments.Report) { r.Amount = 50 }, fault.Conflict, ""},
		"AnotherCurrency":    {func(r *payments.Report) { r.Currency = "PLN" }, fault.Conflict, ""},
		"NoId":               {func(r *payments.Report) { r.ExternalID = " " }, fault.Invalid, "external_id"},
		"AFourthDecimal":     {func(r *payments.Report) { r.Amount = 1.0001 }, fault.Invalid, "amount"},
		"NoMoney":            {func(r *payments.Report) { r.Amount = 0 }, fault.Invalid, "amount"},
		"MoreThanWasPaid":    {func(r *payments.Report) { r.State, r.Refunded = payments.Refunded, 50 }, fault.Invalid, "refunded"},
		"SmallLetters":       {func(r *payments.Report) { r.Currency = "eur" }, fault.Invalid, "currency"},
		"AnotherState":       {func(r *payments.Report) { r.State = "lost" }, fault.Invalid, "state"},
		"Tomorrow":           {func(r *payments.Report) { r.At = s.Clock.Now().Add(time.Hour) }, fault.Invalid, "at"},
		"NoAddress":          {func(r *payments.Report) { r.Who.Email = "anna" }, fault.Invalid, "contact.email"},
		"TooManyProperties":  {func(r *payments.Report) { r.Props = map[string]any{"x": strings.Repeat("x", 9000)} }, fault.Invalid, "properties"},
		"NotAPersonOfTheirs": {func(r *payments.Report) { r.Who = people.Input{ID: store.NewID()} }, fault.NotFound, ""},
	} {
		t.Run(name, func(t *testing.T) {
			r := report(payments.Paid)
			c.change(&r)
			_, _, err := s.try(r)
			require.Equal(t, c.code, fault.CodeOf(err), "%v", err)
			if c.field != "" {
				require.Equal(t, c.field, fault.Public(err).Fields[0].Path)
			}
		})
	}
	require.Equal(t, []string{"payment_made 49.99"}, s.told())
}
