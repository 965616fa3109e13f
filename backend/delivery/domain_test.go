package delivery_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/backend/delivery/dnstest"
	"github.com/lejek/lejek/backend/spinetest"
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
	z.Set("acme.example", "v=spf1 include:_spf.example.com -all")
	z.Set("_dmarc.acme.example", "v=DMARC1; p=none")
	z.Set("lejek._domainkey.acme.example", "v=DKIM1; k=rsa; p=another")
	found, again := states()
	require.Equal(t, key, again, "the key stays")
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
