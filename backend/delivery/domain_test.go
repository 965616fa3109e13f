package delivery_test

import (
	"strings"
	"testing"

	"github.com/emersion/go-msgauth/dkim"
	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/backend/delivery/dnstest"
	"github.com/lejek/lejek/backend/spinetest"
	"github.com/lejek/lejek/backend/store/storetest"
)

func TestSecurity_27_ADomainSaysWhatToPublishAndSignsOnceItsKeyIsThere(t *testing.T) {
	t.Parallel()
	w := spinetest.New(t)
	z, resolver := dnstest.Serve(t)
	w.Deliverer.Resolver = resolver
	z.Set("acme.example", "something else", "v=spf1 +all")
	states := func() (list []string, key string) {
		found, err := w.Deliverer.CheckDomain(t.Context(), w.Workspace, "acme.example")
		require.NoError(t, err)
		for _, c := range found.Checks {
			list = append(list, c.Kind+" "+c.State)
		}
		return list, found.Checks[1].Want
	}
	found, key := states()
	require.Equal(t, []string{"spf wrong", "dkim missing", "dmarc missing"}, found)
	require.True(t, strings.HasPrefix(key, "v=DKIM1; k=rsa; p=MII"), key)
	z.Set("acme.example", "v=spf1 mx +all")
	again, _ := states()
	require.Equal(t, "spf wrong", again[0], "whoever sends for everybody sends for nobody")
	z.Set("acme.example", "v=spf1 include:_spf.example.com -all")
	z.Set("_dmarc.acme.example", "v=DMARC1; p=none")
	z.Set("lejek._domainkey.acme.example", "v=DKIM1; k=rsa; p=another")
	found, kept := states()
	require.Equal(t, key, kept, "the key stays")
	require.Equal(t, []string{"spf good", "dkim wrong", "dmarc good"}, found)
	z.Set("lejek._domainkey.acme.example", key)
	found, _ = states()
	require.Equal(t, []string{"spf good", "dkim good", "dmarc good"}, found)
	domains, err := w.Deliverer.Domains(t.Context(), w.Workspace)
	require.NoError(t, err)
	require.Len(t, domains, 1)
	require.True(t, domains[0].Signing)
	z.Set("lejek._domainkey.acme.example")
	found, _ = states()
	require.Equal(t, "dkim missing", found[1])
	require.Zero(t, w.Count("SELECT count(*) FROM domains WHERE signing"), "a signature nobody can verify does harm")
	_, err = w.Deliverer.CheckDomain(t.Context(), w.Workspace, "other.example")
	require.Error(t, err)
}

func TestSecurity_27_WhatLeavesIsSignedForTheDomainOfItsSender(t *testing.T) {
	t.Parallel()
	w, sink := live(t, "marketing")
	z, resolver := dnstest.Serve(t)
	w.Deliverer.Resolver = resolver
	check := func() string {
		found, err := w.Deliverer.CheckDomain(t.Context(), w.Workspace, "acme.example")
		require.NoError(t, err)
		for _, c := range found.Checks {
			if c.Kind == "dkim" {
				return c.Want
			}
		}
		return ""
	}
	w.To(storetest.Now)
	require.NotContains(t, sink.Ledger()[0].Raw, "DKIM-Signature", "nobody could verify it")
	key := check()
	z.Set("lejek._domainkey.acme.example", key)
	check()
	w.Contact("eva@example.com")
	w.Event("eva@example.com", "go", nil)
	w.To(storetest.Now)
	require.Len(t, sink.Ledger(), 2)
	raw := sink.Ledger()[1].Raw
	verify := func(mail string) *dkim.Verification {
		found, err := dkim.VerifyWithOptions(strings.NewReader(mail), &dkim.VerifyOptions{LookupTXT: func(name string) ([]string, error) { return resolver.LookupTXT(t.Context(), name) }})
		require.NoError(t, err)
		require.Len(t, found, 1)
		return found[0]
	}
	good := verify(raw)
	require.NoError(t, good.Err)
	require.Equal(t, "acme.example", good.Domain, "it is aligned with From")
	for _, name := range []string{"from", "to", "subject", "date", "list-unsubscribe", "list-unsubscribe-post"} {
		require.Contains(t, good.HeaderKeys, name)
	}
	require.Error(t, verify(strings.Replace(raw, "One-Click", "Two-Click", 1)).Err)
	require.Error(t, verify(raw+"more\r\n").Err)

	z.Set("lejek._domainkey.acme.example")
	check()
	w.Contact("ola@example.com")
	w.Event("ola@example.com", "go", nil)
	w.To(storetest.Now)
	require.Len(t, sink.Ledger(), 3)
	require.NotContains(t, sink.Ledger()[2].Raw, "DKIM-Signature", "the key is gone from DNS")
}
