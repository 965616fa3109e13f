package e2e

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/backend/delivery/dnstest"
	"github.com/lejek/lejek/backend/delivery/smtptest"
)

func TestAMailServerIsConnectedAndADomainSaysWhatToPublish(t *testing.T) {
	t.Parallel()
	sink := smtptest.New(t)
	zone, resolver := dnstest.Serve(t)
	w := newWorld(t)
	w.Worker.Deliverer.Resolver = resolver
	zone.Set("shop.example", "v=spf1 mx -all")
	p := w.Open(Screen{})
	p.Goto("/settings/sending")
	p.Click(p.Role("button", "Add an account for E-mail"))
	p.Write(p.GetByLabel("Server"), sink.Host)
	p.Write(p.GetByLabel("Port"), strconv.Itoa(sink.Port))
	p.Choose(p.Role("combobox", "Encryption"), "", "None")
	p.Click(p.Role("button", "Save and test"))
	p.See(p.ID("account-smtp").GetByText("it let us in. Nothing was sent."))
	require.Empty(t, sink.Ledger())

	p.Click(p.Role("button", "Add a domain").First())
	p.Write(p.GetByLabel("Address you write from"), "hello@shop.example")
	p.Click(p.Role("button", "Add and look"))
	domain := p.ID("domain-shop.example")
	p.See(domain.GetByText("1 of 3 records are right."))
	p.See(domain.GetByTestId("record-spf").GetByText("Published"))
	p.See(domain.GetByTestId("record-dkim").GetByText("lejek._domainkey.shop.example"))
	p.See(domain.GetByTestId("record-dmarc").GetByText("Not published yet"))
}
