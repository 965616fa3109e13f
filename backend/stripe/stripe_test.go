package stripe_test

import (
	"errors"
	"net/netip"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/backend/outgoing"
	"github.com/lejek/lejek/backend/stripe"
	"github.com/lejek/lejek/backend/stripe/stripetest"
)

func TestAmountsBecomeSmallestUnitsExactly(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		amount, currency string
		minor            int64
		major            float64
	}{
		{"19.90", "PLN", 1990, 19.9}, {"19.9", "pln", 1990, 19.9}, {"0.07", "EUR", 7, 0.07}, {"1234567.89", "USD", 123456789, 1234567.89},
		{"500", "JPY", 500, 500}, {"500.00", "JPY", 500, 500}, {"1.230", "KWD", 1230, 1.23}, {"10.000", "EUR", 1000, 10},
	} {
		minor, err := stripe.Minor(c.amount, c.currency)
		require.NoError(t, err, c.amount)
		require.Equal(t, c.minor, minor, c.amount)
		require.InDelta(t, c.major, stripe.Major(minor, c.currency), 0, c.amount)
	}
	for _, wrong := range [][2]string{{"1.999", "EUR"}, {"1.5", "JPY"}, {"1.234", "KWD"}, {"0", "EUR"}, {"x", "EUR"}, {"", "EUR"}} {
		_, err := stripe.Minor(wrong[0], wrong[1])
		require.Error(t, err, wrong)
	}
}

func TestSecurity_06_OnlyWhatIsSignedLatelyIsTaken(t *testing.T) {
	t.Parallel()
	body, now := []byte(`{"id":"evt_1"}`), time.Unix(1_774_256_400, 0)
	const secret = "whsec_test"
	good := "t=1774256400,v1=" + stripe.Sign(body, secret, now)
	for name, c := range map[string]struct {
		body, header, secret string
		now                  time.Time
		ok                   bool
	}{
		"Sound":             {string(body), good, secret, now, true},
		"TwoSecrets":        {string(body), "t=1774256400,v1=00,v0=x,v1=" + stripe.Sign(body, secret, now), secret, now, true},
		"AMinuteLater":      {string(body), good, secret, now.Add(time.Minute), true},
		"TooLate":           {string(body), good, secret, now.Add(301 * time.Second), false},
		"FromTheFuture":     {string(body), good, secret, now.Add(-301 * time.Second), false},
		"AnotherBody":       {`{"id":"evt_2"}`, good, secret, now, false},
		"AnotherSecret":     {string(body), good, "whsec_other", now, false},
		"NoSecret":          {string(body), "t=1774256400,v1=" + stripe.Sign(body, "", now), "", now, false},
		"NoHeader":          {string(body), "", secret, now, false},
		"NoTime":            {string(body), "v1=" + stripe.Sign(body, secret, now), secret, now, false},
		"AnotherTime":       {string(body), "t=1774256401,v1=" + stripe.Sign(body, secret, now), secret, now, false},
		"OnlyTheOldVersion": {string(body), "t=1774256400,v0=" + stripe.Sign(body, secret, now), secret, now, false},
	} {
		err := stripe.Verify([]byte(c.body), c.header, c.secret, c.now)
		if c.ok {
			require.NoError(t, err, name)
		} else {
			require.ErrorIs(t, err, stripe.ErrSignature, name)
		}
	}
}

func FuzzVerify(f *testing.F) {
	f.Add([]byte("{}"), "t=1,v1=00")
	f.Fuzz(func(t *testing.T, body []byte, header string) {
		if stripe.Verify(body, header, "whsec_test", time.Unix(1_774_256_400, 0)) == nil {
			t.Fatal("nobody can guess a signature")
		}
	})
}

func client(account *stripetest.Account) stripe.Client {
	door := outgoing.New(outgoing.Options{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}})
	return stripe.Client{HTTP: door, Base: account.URL, Key: account.Key}
}

func TestOneKeyMakesOnePage(t *testing.T) {
	t.Parallel()
	account := stripetest.New(t)
	page := stripe.Page{Minor: 1990, Currency: "PLN", Title: "Course", Key: "run-1-2", Metadata: map[string]string{"lejek_run": "run-1"}}
	links := make([]stripe.Link, 5)
	var asking sync.WaitGroup
	for i := range links {
		asking.Go(func() {
			var err error
			links[i], err = client(account).Pay(t.Context(), page)
			require.NoError(t, err)
		})
	}
	asking.Wait()
	for _, link := range links {
		require.Equal(t, links[0], link)
	}
	require.Equal(t, 1, account.Links())

	page.Minor = 1
	_, err := client(account).Pay(t.Context(), page)
	refused, ok := errors.AsType[*stripe.Error](err)
	require.True(t, ok)
	require.Equal(t, "idempotency_error", refused.Type, "a key belongs to one request")
}

func TestAWrongKeyIsSaid(t *testing.T) {
	t.Parallel()
	account := stripetest.New(t)
	wrong := client(account)
	wrong.Key = "sk_test_canary"
	err := wrong.Check(t.Context())
	require.ErrorContains(t, err, "Invalid API Key")
	require.NotContains(t, err.Error(), "canary")
	require.NoError(t, client(account).Check(t.Context()))
}
