package worker

import (
	"encoding/json"
	"fmt"

	"github.com/lejek/lejek/backend/creative"
	"github.com/lejek/lejek/backend/delivery"
	"github.com/lejek/lejek/engine"
)

// letter lets delivery fill what package creative compiled.
type letter struct{ artifact creative.Artifact }

// ReadCreative reads a row of creative_artifacts for delivery.
func ReadCreative(raw []byte) (delivery.Template, error) {
	var l letter
	if err := json.Unmarshal(raw, &l.artifact); err != nil {
		return nil, fmt.Errorf("read a compiled creative: %w", err)
	}
	return &l, nil
}

// Render implements delivery.Template.
func (l *letter) Render(scope *engine.MergeScope, track func(i int, url string) string) (delivery.Content, error) {
	out, err := l.artifact.Render(scope, track)
	if err != nil {
		return delivery.Content{}, err
	}
	content := delivery.Content{
		Subject: out.Subject, HTML: out.HTML, Text: out.Text, ReplyTo: out.ReplyTo, Links: make([]delivery.Link, len(out.Links)),
		HTMLParts: out.HTMLParts, TextParts: out.TextParts, Title: out.Title, URL: out.URL, Icon: out.Icon, Template: out.Template, Address: out.Address, PDF: out.PDF, Pages: out.Pages,
	}
	for i, link := range out.Links {
		content.Links[i] = delivery.Link{URL: link.URL, Label: link.Text}
	}
	return content, nil
}
