package creative

import (
	"regexp"
	"strings"

	"github.com/lejek/lejek/engine"
)

// phoneText compiles a text for a phone: nothing but merge text. Its links are found when it is filled, for a person's text may bring
// some along.
func (b *builder) phoneText(creative engine.Creative, artifact *Artifact) {
	b.checkMerge("text", creative.Text)
	b.plain.write(strings.TrimSpace(creative.Text))
	artifact.Template = creative.Template
}

// push compiles a notification.
func (b *builder) push(creative engine.Creative, artifact *Artifact) {
	b.checkMerge("text", creative.Text)
	b.plain.write(strings.TrimSpace(creative.Text))
	artifact.Title = b.header("title", creative.Title)
	artifact.URL, artifact.Icon = b.webAddress("url", creative.URL), b.webAddress("icon", creative.Icon)
	if artifact.URL != "" {
		b.links = append(b.links, Link{URL: artifact.URL})
	}
}

func (b *builder) checkMerge(field, text string) {
	if _, err := engine.ParseMerge(text); err != nil {
		b.merged(field, err)
	}
}

// webAddress is an address that may be filled in, as far as it can be checked now.
func (b *builder) webAddress(field, address string) string {
	address = strings.TrimSpace(address)
	merge, err := engine.ParseMerge(address)
	if err != nil {
		b.merged(field, err)
		return ""
	}
	if len(merge.Holes()) == 0 && address != "" {
		if _, fault := engine.SafeURL(address); fault != "" {
			b.reportf(engine.Error, "FIELD_INVALID", field, "This link leads nowhere: %s.", fault)
			return ""
		}
	}
	return address
}

// webLink finds the addresses in a text. What stands behind one to end a sentence is no part of it.
var webLink = regexp.MustCompile(`https?://[^\s<>"{}|\\^` + "`" + `]+`)

const sentenceEnds = ".,;:!?)]'"

// phone fills a text for a phone and puts a short address in the place of each link.
func (r *filler) phone(out *Rendered, track Track) {
	text := strings.TrimSpace(r.whole(&r.artifact.Text))
	out.Text = webLink.ReplaceAllStringFunc(text, func(found string) string {
		address := strings.TrimRight(found, sentenceEnds)
		rest := found[len(address):]
		out.Links = append(out.Links, RenderedLink{URL: address})
		if track == nil || r.service(address) {
			return found
		}
		return track(len(out.Links)-1, address) + rest
	})
}

// service tells the links that are never tracked: those by which people leave.
func (r *filler) service(address string) bool {
	return r.scope != nil && (address == r.scope.UnsubscribeURL || address == r.scope.ViewURL)
}

// push fills a notification.
func (r *filler) push(out *Rendered, track Track) {
	out.Title = r.merge(r.artifact.Title, engine.ContextHeader)
	out.Text = strings.TrimSpace(r.whole(&r.artifact.Text))
	out.Icon = r.web(r.artifact.Icon)
	out.URL = r.web(r.artifact.URL)
	if out.URL == "" {
		return
	}
	out.Links = append(out.Links, RenderedLink{URL: out.URL})
	if track != nil && r.err == nil && !r.service(out.URL) {
		out.URL = track(0, out.URL)
	}
}

// web fills an address that has to be one of the web.
func (r *filler) web(text string) string {
	address := r.merge(text, engine.ContextURL)
	if r.err != nil || address == "" {
		return ""
	}
	address, fault := engine.SafeURL(address)
	if fault == "" && !strings.HasPrefix(address, "http") {
		fault = "it does not begin with https:// or http://"
	}
	if fault != "" {
		r.err = &engine.MergeError{Fault: engine.MergeUnsafe, Hole: text, Message: "A link of this message leads nowhere: " + fault + "."}
		return ""
	}
	return address
}
