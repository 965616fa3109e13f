package engine

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestMatchURL(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		pattern, address string
		want             bool
	}{
		"APathOnAnyHost":            {"/pricing", "https://shop.example/pricing", true},
		"ASlashAtTheEnd":            {"/pricing", "https://shop.example/pricing/?utm_source=x", true},
		"TheHomePage":               {"/", "https://shop.example", true},
		"AnotherPath":               {"/pricing", "https://shop.example/pricing-old", false},
		"AStarAtTheEnd":             {"/pricing*", "https://shop.example/pricing/teams", true},
		"AStarInside":               {"/blog/*/comments", "https://shop.example/blog/2026/x/comments", true},
		"StarsDoNotOverlap":         {"/ab*ba", "https://shop.example/aba", false},
		"HostAndPath":               {"Shop.example/cart", "https://shop.EXAMPLE/cart", true},
		"AnotherHost":               {"shop.example/cart", "https://evil.example/shop.example/cart", false},
		"AnyHostOfADomain":          {"*.example/cart", "https://shop.example/cart", true},
		"TheWholeAddress":           {"https://shop.example/cart", "https://shop.example/cart?x=1", true},
		"AnotherScheme":             {"https://shop.example/cart", "http://shop.example/cart", false},
		"AQueryThatIsAskedFor":      {"/search?q=*", "https://shop.example/search?q=red", true},
		"AQueryThatIsNotThere":      {"/search?q=*", "https://shop.example/search", false},
		"LettersBeyondASCII":        {"/cennik/święta", "https://shop.example/cennik/%C5%9Bwi%C4%99ta", true},
		"CaseCountsInThePath":       {"/Pricing", "https://shop.example/pricing", false},
		"EverythingByAStar":         {"*", "https://shop.example/x", true},
		"NoAddressMatchesNoPattern": {"/x", "http://[::1", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, c.want, MatchURL(c.pattern, c.address))
		})
	}
}

func TestPageVisitCountsVisitsWithinItsTime(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	visit := func(id int64, ago time.Duration, path string) Event {
		return Event{ID: id, Name: EventPageVisited, At: now.Add(-ago), Props: map[string]any{propURL: "https://shop.example" + path}}
	}
	c := pageVisitConfig{URL: "/pricing*", Times: 3, Within: Duration{Amount: 1, Unit: Days}}
	this := visit(9, 0, "/pricing")
	for name, e := range map[string]struct {
		earlier []Event
		want    bool
	}{
		"Three":                       {[]Event{visit(1, 2*time.Hour, "/pricing"), visit(2, time.Hour, "/pricing/teams"), this}, true},
		"Two":                         {[]Event{visit(2, time.Hour, "/pricing"), this}, false},
		"OneOfThemTooLongAgo":         {[]Event{visit(1, 25*time.Hour, "/pricing"), visit(2, time.Hour, "/pricing"), this}, false},
		"TheFourth":                   {[]Event{visit(1, 3*time.Hour, "/pricing"), visit(2, 2*time.Hour, "/pricing"), visit(3, time.Hour, "/pricing"), this}, false},
		"TheFourthAsTheFirstFallsOut": {[]Event{visit(1, 25*time.Hour, "/pricing"), visit(2, 5*time.Hour, "/pricing"), visit(3, 2*time.Hour, "/pricing"), this}, false},
		"ThreeAnew":                   {[]Event{visit(1, 73*time.Hour, "/pricing"), visit(2, 72*time.Hour, "/pricing"), visit(3, 71*time.Hour, "/pricing"), visit(4, 2*time.Hour, "/pricing"), visit(5, time.Hour, "/pricing"), this}, true},
		"OneOfAnotherPage":            {[]Event{visit(1, 2*time.Hour, "/blog"), visit(2, time.Hour, "/pricing"), this}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, e.want, c.matches(&Moment{Now: now, Signal: &this, Contact: &Contact{Events: e.earlier}}))
		})
	}
}

func TestPageVisitWithoutATimeStartsAtTheNthVisitOnly(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	c := pageVisitConfig{URL: "/pricing", Times: 3}
	var seen []Event
	var starts []int
	for i := range 9 {
		this := Event{ID: int64(i + 1), Name: EventPageVisited, At: now.AddDate(0, 0, i), Props: map[string]any{propURL: "https://shop.example/pricing"}}
		seen = append(seen, this)
		if c.matches(&Moment{Now: this.At, Signal: &this, Contact: &Contact{Events: seen}}) {
			starts = append(starts, i+1)
		}
	}
	require.Equal(t, []int{3}, starts)
}
