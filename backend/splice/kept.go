package splice

import "fmt"

// Columns and Sources read of message_bodies b what Kept takes, in the order of Into.
const (
	Columns = `b.html, b.text, b.spliced, coalesce(k9.artifact -> 'html' ->> 'source', '') AS html_source, coalesce(k9.artifact -> 'text' ->> 'source', '') AS text_source`
	Sources = ` LEFT JOIN creative_artifacts k9 ON b.artifact <> '' AND k9.workspace_id = b.workspace_id AND k9.hash = b.artifact`
)

// Kept is the body of a message as it is kept: whole, or as the values in the holes of a creative.
type Kept struct {
	HTML, Text string
	Spliced    []byte
	HTMLSource string
	TextSource string
}

// Into are where the columns go.
func (k *Kept) Into() []any { return []any{&k.HTML, &k.Text, &k.Spliced, &k.HTMLSource, &k.TextSource} }

// Whole is the body as it left.
func (k *Kept) Whole() (html, text string, err error) {
	if k.Spliced == nil {
		return k.HTML, k.Text, nil
	}
	lists, err := Decode(k.Spliced, 2)
	if err != nil {
		return "", "", fmt.Errorf("read a body: %w", err)
	}
	if html, err = Join(k.HTMLSource, lists[0]); err != nil {
		return "", "", fmt.Errorf("read a body: %w", err)
	}
	if text, err = Join(k.TextSource, lists[1]); err != nil {
		return "", "", fmt.Errorf("read a body: %w", err)
	}
	return html, text, nil
}
