package tracking

import (
	"net/http"
	"strings"
	"time"
)

// Fetch is one request for a message's picture or link.
type Fetch struct {
	Click    bool // a link, else the picture
	Link     int  // its place in the message
	Method   string
	Agent    string // the header User-Agent
	Prefetch bool   // the request says that nobody asked for it yet
	At       time.Time
}

// Verdict says who made a fetch. Reason is "" for a person.
type Verdict struct {
	Machine bool
	Reason  string
}

// Why a fetch was a machine's.
const (
	ReasonTrap     = "trap"      // it followed the link nobody sees
	ReasonNearTrap = "near_trap" // somebody at the same message did, seconds apart
	ReasonHead     = "head"      // it asked for the head only
	ReasonPrefetch = "prefetch"  // it said so itself
	ReasonNoAgent  = "no_agent"  // it does not say what it is
	ReasonAgent    = "agent"     // it says it is a program
	ReasonApple    = "apple"     // Mail Privacy Protection loads every picture, read or not
	ReasonProxy    = "proxy"     // a mail service loads pictures for its users, and hides them
	ReasonTooSoon  = "too_soon"  // nobody reads within that time of the delivery
	ReasonBurst    = "burst"     // several links at once
)

const (
	soonest    = 2 * time.Second  // after the hand-over; before it is a scanner in the way
	nearTrap   = 10 * time.Second // on either side of a fetch of the trap
	burstSpan  = 3 * time.Second  // on either side
	burstLinks = 3                // different ones within the span
	pairSpan   = time.Second      // two within it are too many too
)

// appleAgent is all that Apple's proxies say of themselves.
const appleAgent = "Mozilla/5.0"

// proxies are mail services that fetch pictures in the place of their users.
var proxies = []string{"googleimageproxy", "ggpht.com", "yahoomailproxy", "outlook-android-proxy"}

// programs are parts of the names of what fetches links without a person: scanners of mail, previews of chats, crawlers, libraries and
// the tools that run in data centres.
var programs = []string{
	"bot", "crawler", "spider", "scanner", "preview", "monitor", "validator", "headless", "phantomjs", "lighthouse",
	"barracuda", "proofpoint", "mimecast", "safelinks", "symantec", "messagelabs", "cloudmark", "trendmicro", "forcepoint", "fortinet",
	"bitdefender", "kaspersky", "sophos", "cisco-ironport", "ironport", "zscaler", "netcraft", "urlscan", "virustotal", "mailscanner",
	"facebookexternalhit", "whatsapp/", "skypeuripreview", "slack-imgproxy", "embedly", "bingpreview", "ms-office", "microsoft office",
	"curl/", "wget/", "python-", "python/", "aiohttp", "httpx", "go-http-client", "java/", "okhttp", "apache-httpclient", "libwww", "lwp::",
	"node-fetch", "undici", "axios", "guzzle", "ruby", "scrapy", "postman", "insomnia", "amazon-route53", "googleother", "google-safety",
}

// Judge tells people from machines. Sent is when the message was handed over; others are the other fetches of the same message around it.
func Judge(f Fetch, sent time.Time, others []Fetch) Verdict {
	for _, rule := range []struct {
		holds  bool
		reason string
	}{
		{f.trap(), ReasonTrap},
		{f.Method == http.MethodHead, ReasonHead},
		{f.Prefetch, ReasonPrefetch},
		{strings.TrimSpace(f.Agent) == "", ReasonNoAgent},
		{contains(f.Agent, programs), ReasonAgent},
		{!f.Click && strings.TrimSpace(f.Agent) == appleAgent, ReasonApple},
		{contains(f.Agent, proxies), ReasonProxy},
		{f.At.Sub(sent) < soonest, ReasonTooSoon},
		{f.nearTrap(others), ReasonNearTrap},
		{f.Click && f.burst(others), ReasonBurst},
	} {
		if rule.holds {
			return Verdict{true, rule.reason}
		}
	}
	return Verdict{}
}

func (f Fetch) trap() bool { return f.Click && f.Link == Trap }

func (f Fetch) nearTrap(others []Fetch) bool {
	for _, other := range others {
		if other.trap() && f.apart(other) <= nearTrap {
			return true
		}
	}
	return false
}

// burst tells that different links were followed faster than anybody reads.
func (f Fetch) burst(others []Fetch) bool {
	links, pair := map[int]bool{f.Link: true}, false
	for _, other := range others {
		if !other.Click || other.Link == f.Link || f.apart(other) > burstSpan {
			continue
		}
		links[other.Link] = true
		pair = pair || f.apart(other) <= pairSpan
	}
	return pair || len(links) >= burstLinks
}

func (f Fetch) apart(other Fetch) time.Duration { return f.At.Sub(other.At).Abs() }

func contains(agent string, names []string) bool {
	agent = strings.ToLower(agent)
	for _, name := range names {
		if strings.Contains(agent, name) {
			return true
		}
	}
	return false
}
