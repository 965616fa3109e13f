package tracking_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/backend/tracking"
)

const (
	chrome = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36"
	iphone = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148"
)

func TestSecurity_28_MachinesAreToldFromPeople(t *testing.T) {
	t.Parallel()
	sent := time.Date(2026, 3, 23, 9, 0, 0, 0, time.UTC)
	at := sent.Add
	click := func(link int, after time.Duration) tracking.Fetch {
		return tracking.Fetch{Click: true, Link: link, Method: "GET", Agent: chrome, At: at(after)}
	}
	open := func(agent string, after time.Duration) tracking.Fetch {
		return tracking.Fetch{Method: "GET", Agent: agent, At: at(after)}
	}
	with := func(f tracking.Fetch, change func(*tracking.Fetch)) tracking.Fetch {
		change(&f)
		return f
	}
	agent := func(name string) tracking.Fetch {
		return with(click(1, time.Hour), func(f *tracking.Fetch) { f.Agent = name })
	}
	for name, c := range map[string]struct {
		fetch  tracking.Fetch
		others []tracking.Fetch
		want   string
	}{
		"a person opens in a browser":              {open(chrome, time.Hour), nil, ""},
		"a person opens on a phone":                {open(iphone, time.Minute), nil, ""},
		"a person clicks":                          {click(1, time.Minute), nil, ""},
		"a person clicks two links, one by one":    {click(1, time.Minute), []tracking.Fetch{click(2, time.Minute+2*time.Second)}, ""},
		"a person clicks the same link twice":      {click(1, time.Minute), []tracking.Fetch{click(1, time.Minute+time.Millisecond)}, ""},
		"a person opens and clicks at once":        {click(1, time.Minute), []tracking.Fetch{open(chrome, time.Minute)}, ""},
		"two seconds after the delivery is enough": {click(1, 2*time.Second), nil, ""},
		"a person, long after a scanner":           {click(1, time.Hour), []tracking.Fetch{click(tracking.Trap, time.Second), click(2, time.Second)}, ""},
		"Apple loads a picture":                    {open("Mozilla/5.0", time.Hour), nil, tracking.ReasonApple},
		"Gmail loads a picture":                    {open("Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)", time.Hour), nil, tracking.ReasonProxy},
		"Yahoo loads a picture":                    {open("YahooMailProxy; https://help.yahoo.com/kb/yahoo-mail-proxy-SLN28749.html", time.Hour), nil, tracking.ReasonProxy},
		"only the head is asked for":               {with(click(1, time.Hour), func(f *tracking.Fetch) { f.Method = "HEAD" }), nil, tracking.ReasonHead},
		"a browser fetches ahead":                  {with(click(1, time.Hour), func(f *tracking.Fetch) { f.Prefetch = true }), nil, tracking.ReasonPrefetch},
		"nobody says who it is":                    {agent(" "), nil, tracking.ReasonNoAgent},
		"a crawler":                                {agent("Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"), nil, tracking.ReasonAgent},
		"a scanner by name":                        {agent("Barracuda Sentinel (EE)"), nil, tracking.ReasonAgent},
		"a preview of a chat":                      {agent("WhatsApp/2.23.20.0"), nil, tracking.ReasonAgent},
		"a library in a data centre":               {agent("python-requests/2.32.0"), nil, tracking.ReasonAgent},
		"a browser without a window":               {agent("Mozilla/5.0 (X11; Linux x86_64) HeadlessChrome/120.0.0.0 Safari/537.36"), nil, tracking.ReasonAgent},
		"faster than anybody reads":                {click(1, time.Second), nil, tracking.ReasonTooSoon},
		"before it was even sent":                  {open(chrome, -time.Second), nil, tracking.ReasonTooSoon},
		"the link nobody sees":                     {click(tracking.Trap, time.Hour), nil, tracking.ReasonTrap},
		"beside the link nobody sees":              {click(1, time.Hour), []tracking.Fetch{click(tracking.Trap, time.Hour+9*time.Second)}, tracking.ReasonNearTrap},
		"an open beside the link nobody sees":      {open(chrome, time.Hour), []tracking.Fetch{click(tracking.Trap, time.Hour)}, tracking.ReasonNearTrap},
		"three links in three seconds":             {click(1, time.Hour), []tracking.Fetch{click(2, time.Hour+2*time.Second), click(3, time.Hour+3*time.Second)}, tracking.ReasonBurst},
		"the last of three links":                  {click(3, time.Hour+3*time.Second), []tracking.Fetch{click(1, time.Hour), click(2, time.Hour+2*time.Second)}, tracking.ReasonBurst},
		"two links in one second":                  {click(1, time.Hour), []tracking.Fetch{click(2, time.Hour+time.Second)}, tracking.ReasonBurst},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			verdict := tracking.Judge(c.fetch, sent, c.others)
			require.Equal(t, c.want, verdict.Reason)
			require.Equal(t, c.want != "", verdict.Machine)
		})
	}
}
