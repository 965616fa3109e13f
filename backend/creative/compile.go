package creative

import (
	"context"
	"encoding/json"
	"fmt"
	"html"
	"regexp"
	"strings"

	"github.com/lejek/lejek/engine"
)

// Options are what a creative is compiled with besides itself.
type Options struct {
	Language string // of the text, for screen readers and hyphenation: en, pl or ru; "" if it is not known
}

// maxBlocks keeps a compile within seconds.
const maxBlocks = 200

// clipSize is where Gmail cuts a message off.
const clipSize = 102 * 1024

// Compile turns a creative into an artifact. Problems tell the author what is wrong; their Field is relative to the
// creative ("subject", "blocks.<id>"). Parts with problems are left out, so that a preview shows the rest. The error is
// about us, not the author: the compiler failed, or ctx ended.
func Compile(ctx context.Context, creative engine.Creative, options Options) (Artifact, []engine.Problem, error) {
	raw, err := json.Marshal(creative)
	if err != nil {
		return Artifact{}, nil, fmt.Errorf("compile creative: %w", err)
	}
	language := options.Language
	if _, known := words[language]; !known {
		language = ""
	}
	b := &builder{tokens: newTokens(string(raw))}
	if len(creative.Blocks) > maxBlocks {
		b.reportf(engine.Error, "FIELD_INVALID", "blocks", "A message holds at most %d blocks, not %d. Split it.", maxBlocks, len(creative.Blocks))
		creative.Blocks = creative.Blocks[:maxBlocks]
	}
	artifact := Artifact{Format: format, Language: language}
	switch artifact.Channel = creative.Channel; creative.Channel {
	case engine.ChannelSMS, engine.ChannelWhatsApp:
		b.phoneText(creative, &artifact)
	case engine.ChannelPush:
		b.push(creative, &artifact)
	case engine.ChannelLetter:
		b.letter(creative, &artifact)
	default:
		artifact.Channel = ""
		if err := b.mail(ctx, creative, &artifact); err != nil {
			return Artifact{}, b.problems, err
		}
	}
	artifact.Text = b.plain.body()
	if artifact.Links = b.links; artifact.Links == nil {
		artifact.Links = []Link{}
	}
	if artifact.HTML.Holes == nil {
		artifact.HTML.Holes = []Hole{}
	}
	return artifact, b.problems, artifact.seal()
}

// mail compiles an e-mail.
func (b *builder) mail(ctx context.Context, creative engine.Creative, artifact *Artifact) error {
	compiled, err := toHTML(ctx, b.document(creative, artifact.Language))
	if err != nil {
		return err
	}
	artifact.Subject = b.header("subject", creative.Subject)
	artifact.Preheader = b.header("preheader", creative.Preheader)
	artifact.ReplyTo = b.header("reply_to", creative.ReplyTo)
	artifact.HTML = b.cut(squeeze(compiled))
	if size := len(artifact.HTML.Source); size > clipSize {
		b.reportf(engine.Warning, "BODY_LARGE", "blocks", "This message has %d KB. Gmail cuts off what is beyond 102 KB, the unsubscribe link with it. Make it shorter.", size/1024)
	}
	return nil
}

var indentation = regexp.MustCompile(`\s*\n\s*`)

// squeeze drops the indentation of MJML's output: a quarter of its size.
func squeeze(compiled string) string {
	return strings.TrimSpace(indentation.ReplaceAllString(compiled, "\n"))
}

// header checks a text that has to stay on one line.
func (b *builder) header(field, text string) string {
	merge, err := engine.ParseMerge(text)
	if err != nil {
		b.merged(field, err)
		return ""
	}
	if strings.ContainsAny(text, "\r\n") {
		b.reportf(engine.Error, "FIELD_INVALID", field, "This has to be a single line. Remove the line break.")
		return ""
	}
	return merge.Source()
}

// cut takes the tokens out of the HTML. What does not depend on the person is filled at once.
func (b *builder) cut(compiled string) Body {
	var out strings.Builder
	var body Body
	done := 0
	for _, found := range locate(compiled, b.tokens) {
		value := b.tokens.values[found.index]
		out.WriteString(compiled[done:found.at])
		_, done, _ = b.tokens.next(compiled, found.at)
		if found.fault != "" {
			b.reportf(engine.Error, "FIELD_INVALID", value.block, "A value cannot stand %s of a message.", found.fault)
			continue
		}
		if value.mark == nil && value.link == 0 && value.word == "" && !strings.Contains(value.text, "{{") {
			out.WriteString(html.EscapeString(value.text))
			continue
		}
		body.Holes = append(body.Holes, Hole{At: out.Len(), Text: value.text, Place: found.place, Link: value.link, Word: value.word, Mark: value.mark})
	}
	out.WriteString(compiled[done:])
	body.Source = out.String()
	for i := range body.Holes {
		if body.Holes[i].Link > 0 {
			body.Holes[i].Text = "" // the link knows it
		}
	}
	if body.Holes == nil {
		body.Holes = []Hole{}
	}
	return body
}

func (b *builder) reportf(severity engine.Severity, code, field, message string, args ...any) {
	b.problems = append(b.problems, engine.Problem{Code: code, Severity: severity, Field: field, Message: fmt.Sprintf(message, args...)})
}

// merged reports merge text that cannot be read.
func (b *builder) merged(field string, err error) {
	b.reportf(engine.Error, "FIELD_INVALID", field, "%s", err.Error())
}
