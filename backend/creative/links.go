package creative

import (
	"strings"

	"github.com/lejek/lejek/engine"
)

// link adds a link of the block at work and gives 1 + its index; 0 if its address is no good.
func (b *builder) link(url, text string) int {
	if !b.address(url, "Say where the link leads.") {
		return 0
	}
	service := strings.HasPrefix(strings.ToLower(url), "mailto:") || strings.HasPrefix(strings.ToLower(url), "tel:") ||
		strings.Contains(url, "unsubscribe_url") || strings.Contains(url, "view_url")
	b.links = append(b.links, Link{URL: url, Text: text, Block: b.blockID, Service: service, Inside: b.inside > 0})
	return len(b.links)
}

func (b *builder) serviceLink(url string, word Word) int {
	b.links = append(b.links, Link{URL: url, Word: word, Block: b.blockID, Service: true})
	return len(b.links)
}

// address checks the address of a link or image as far as it is known at save. What a hole brings is checked when it is
// filled.
func (b *builder) address(url, missing string) bool {
	merge, err := engine.ParseMerge(url)
	if err != nil {
		b.merged(b.block, err)
		return false
	}
	begin := strings.TrimLeft(merge.Literals()[0], " ")
	switch {
	case strings.TrimSpace(url) == "":
		b.reportf(engine.Error, "FIELD_REQUIRED", b.block, "%s", missing)
		return false
	case len(merge.Holes()) == 0:
		if _, fault := engine.SafeURL(url); fault != "" {
			b.reportf(engine.Error, "FIELD_INVALID", b.block, "This link leads nowhere: %s.", fault)
			return false
		}
	case begin != "" && hasScheme(begin):
		if fault := merge.AddressFault(); fault != "" {
			b.reportf(engine.Error, "FIELD_INVALID", b.block, "This link leads nowhere: %s.", fault)
			return false
		}
	case begin != "":
		b.reportf(engine.Error, "FIELD_INVALID", b.block, "The address %q has to begin with https://, http://, mailto: or tel:.", url)
		return false
	}
	return true
}

func hasScheme(begin string) bool {
	begin = strings.ToLower(begin)
	for _, scheme := range []string{"https://", "http://", "mailto:", "tel:"} {
		if strings.HasPrefix(begin, scheme) {
			return true
		}
	}
	return false
}
