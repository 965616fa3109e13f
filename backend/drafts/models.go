package drafts

import (
	"net"
	"net/http"
	"time"

	"github.com/lejek/lejek/ai"
	"github.com/lejek/lejek/backend/config"
)

// NewDrafter makes the drafter of this process out of the operator's settings. It learns which form of request its endpoints
// take and when they fail, so a process keeps one.
func NewDrafter(c config.AI) *ai.Drafter {
	return ai.NewDrafter(Kinds(), httpClient(), provider(c.Endpoint), provider(c.Reserve))
}

// NewWriter makes the writer of personal texts out of the same settings.
func NewWriter(c config.AI) *ai.Writer {
	return ai.NewWriter(httpClient(), provider(c.Endpoint), provider(c.Reserve))
}

// Kinds is what a draft can be made of.
func Kinds() ai.Kinds {
	return ai.Drawable()
}

func provider(e config.Endpoint) ai.Provider {
	return ai.Provider{BaseURL: e.BaseURL, Key: e.Key, Model: e.Model}
}

// httpClient speaks to the operator's endpoints, which may stand in the operator's own network. It follows no redirect: an
// endpoint that sends the key elsewhere is not trusted. Deadlines are those of the request's context.
func httpClient() *http.Client {
	return &http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{
			Proxy:                 http.ProxyFromEnvironment,
			DialContext:           (&net.Dialer{Timeout: 5 * time.Second}).DialContext,
			TLSHandshakeTimeout:   5 * time.Second,
			ResponseHeaderTimeout: 40 * time.Second,
			MaxIdleConnsPerHost:   4,
			IdleConnTimeout:       time.Minute,
			ForceAttemptHTTP2:     true,
		},
	}
}
