package delivery_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/backend/delivery"
	"github.com/lejek/lejek/backend/delivery/dnstest"
	"github.com/lejek/lejek/backend/spinetest"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/backend/store/storetest"
)

func TestADomainPublishesWhatItsAccountsDocument(t *testing.T) {
	t.Parallel()
	smtp := func(host string) delivery.ProviderInput {
		return delivery.ProviderInput{Kind: "smtp", Config: map[string]string{"host": host, "port": "587", "tls": "starttls"}}
	}
	ours := "dkim lejek._domainkey.acme.example v=DKIM1;"
	for name, c := range map[string]struct {
		accounts []delivery.ProviderInput
		want     []string
	}{
		"NoAccount":       {nil, []string{"spf acme.example v=spf1 mx ~all", ours}},
		"GoogleWorkspace": {[]delivery.ProviderInput{smtp("smtp-relay.gmail.com")}, []string{"spf acme.example v=spf1 include:_spf.google.com ~all", ours}},
		"Microsoft365":    {[]delivery.ProviderInput{smtp("smtp.office365.com")}, []string{"spf acme.example v=spf1 include:spf.protection.outlook.com ~all", ours}},
		"AmazonOverSMTP":  {[]delivery.ProviderInput{smtp("email-smtp.eu-central-1.amazonaws.com")}, []string{"spf mail.acme.example v=spf1 include:amazonses.com ~all", ours}},
		"Amazon": {[]delivery.ProviderInput{{Kind: "ses", Config: map[string]string{"region": "eu-central-1", "access_key_id": "AKIA", "mail_from": "bounce.acme.example"}, Secrets: map[string]string{"secret_access_key": "s"}}},
			[]string{"spf bounce.acme.example v=spf1 include:amazonses.com ~all", "dkim *._domainkey.acme.example CNAME ….dkim.amazonses.com"}},
		"SendGrid": {[]delivery.ProviderInput{{Kind: "sendgrid", Secrets: map[string]string{"api_key": "SG.a"}}}, []string{"dkim s1._domainkey.acme.example CNAME s1.domainkey.u….wl….sendgrid.net"}},
		"Resend": {[]delivery.ProviderInput{{Kind: "resend", Secrets: map[string]string{"api_key": "re_a"}}},
			[]string{"spf send.acme.example v=spf1 include:amazonses.com ~all", "dkim resend._domainkey.acme.example p=…"}},
		"ActiveAndReserve": {[]delivery.ProviderInput{smtp("smtp-relay.gmail.com"), smtp("smtp.office365.com")},
			[]string{"spf acme.example v=spf1 include:_spf.google.com include:spf.protection.outlook.com ~all", ours}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := spinetest.New(t)
			_, w.Deliverer.Resolver = dnstest.Serve(t)
			for i, account := range c.accounts {
				account.Channel, account.Name, account.PerSecond = "email", name, 1
				account.Role = []string{delivery.RoleActive, delivery.RoleReserve}[i]
				w.Tx(func(tx store.Tx) error {
					_, err := w.Deliverer.SaveProvider(t.Context(), tx, w.Workspace, account)
					return err
				})
			}
			found, err := w.Deliverer.CheckDomain(t.Context(), w.Workspace, "acme.example")
			require.NoError(t, err)
			var got []string
			for _, check := range found.Checks {
				state, want := "missing", check.Want
				if strings.HasPrefix(check.Host, "*.") {
					state = "unseen" // only Amazon knows where its keys stand
				}
				require.Equal(t, state, check.State)
				if check.Host == "lejek._domainkey.acme.example" {
					want = "v=DKIM1;"
				}
				got = append(got, fmt.Sprint(check.Kind, " ", check.Host, " ", want))
			}
			require.Equal(t, append(c.want, "dmarc _dmarc.acme.example v=DMARC1; p=none; rua=mailto:postmaster@acme.example"), got)
		})
	}
}

func TestAnSPFRecordHasToNameWhoSends(t *testing.T) {
	t.Parallel()
	w := spinetest.New(t)
	zone, resolver := dnstest.Serve(t)
	w.Deliverer.Resolver = resolver
	w.Tx(func(tx store.Tx) error {
		_, err := w.Deliverer.SaveProvider(t.Context(), tx, w.Workspace, delivery.ProviderInput{
			Kind: "smtp", Channel: "email", Name: "Google", Config: map[string]string{"host": "smtp-relay.gmail.com", "port": "587", "tls": "starttls"}, Role: delivery.RoleActive, PerSecond: 1,
		})
		return err
	})
	for record, state := range map[string]string{
		"v=spf1 include:_spf.google.com ~all": "good", "v=spf1 mx include:_spf.google.com -all": "good", "v=spf1 redirect=_spf.google.com": "good",
		"v=spf1 mx ~all": "wrong", "v=spf1 -all": "wrong", "v=spf1 include:_spf.google.com +all": "wrong", "google-site-verification=1": "missing",
	} {
		zone.Set("acme.example", record)
		found, err := w.Deliverer.CheckDomain(t.Context(), w.Workspace, "acme.example")
		require.NoError(t, err)
		require.Equal(t, state, found.Checks[0].State, record)
	}
}

func TestFault_26_NothingMovesToAReserveThatMayNotSendForTheDomain(t *testing.T) {
	t.Parallel()
	w, sink := live(t, "marketing")
	zone, resolver := dnstest.Serve(t)
	w.Deliverer.Resolver = resolver
	w.Tx(func(tx store.Tx) error {
		if err := w.Deliverer.SaveSMTP(t.Context(), tx, w.Workspace, delivery.SMTPSettings{
			SMTPConfig: delivery.SMTPConfig{Host: "127.0.0.1", Port: 1, TLS: "none"}, PerSecond: 100, Active: true,
		}); err != nil {
			return err
		}
		_, err := w.Deliverer.SaveProvider(t.Context(), tx, w.Workspace, delivery.ProviderInput{
			Kind: "smtp", Channel: "email", Name: "Reserve", Config: map[string]string{"host": sink.Host, "port": fmt.Sprint(sink.Port), "tls": "none"}, Role: delivery.RoleReserve, PerSecond: 100,
		})
		return err
	})
	_, err := w.Deliverer.CheckDomain(t.Context(), w.Workspace, "acme.example") // nothing is published: neither SPF nor a signature speaks for the reserve
	require.NoError(t, err)
	w.To(storetest.Now)
	w.Exec("UPDATE provider_outages SET since = since - interval '31 minutes'")
	w.To(storetest.Now.Add(40 * time.Minute))
	require.Empty(t, sink.Ledger())
	said := func() (closed []string, of string) {
		list, err := w.Deliverer.Providers(t.Context(), w.Workspace)
		require.NoError(t, err)
		for _, one := range list {
			closed = append(closed, one.ClosedTo...)
		}
		var message uuid.UUID
		require.NoError(t, w.Pool.QueryRow(t.Context(), "SELECT id FROM messages").Scan(&message))
		of, err = w.Deliverer.ReserveClosed(t.Context(), w.Workspace, message)
		require.NoError(t, err)
		return closed, of
	}
	closed, of := said()
	require.Equal(t, []any{[]string{"acme.example"}, "acme.example"}, []any{closed, of}, "people are told why it waits")
	zone.Set("acme.example", "v=spf1 mx ~all")
	_, err = w.Deliverer.CheckDomain(t.Context(), w.Workspace, "acme.example")
	require.NoError(t, err)
	w.To(storetest.Now.Add(80 * time.Minute))
	require.Len(t, sink.Ledger(), 1)
	closed, of = said()
	require.Empty(t, closed)
	require.Empty(t, of)
}
