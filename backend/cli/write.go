package cli

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/lejek/lejek/ai"
	"github.com/lejek/lejek/backend/config"
	"github.com/lejek/lejek/backend/drafts"
	"github.com/lejek/lejek/engine"
)

var _ = register(Command{
	Name: "write", Args: "TEXT", Order: 54,
	Summary: "Write the words of one message from a sentence in English, Polish or Russian; nothing is saved",
	Run:     write,
})

func write(ctx context.Context, call *Call) error {
	asJSON := call.Flags.Bool("json", false, "print the message as JSON, as creatives are")
	channel := call.Flags.String("channel", engine.ChannelEmail, "`CHANNEL` of the message: email, sms, whatsapp, push or letter")
	lang := call.Flags.String("lang", "", "`LANGUAGE` of notes: en, pl or ru; without it, that of the sentence")
	offline := call.Flags.Bool("offline", false, "use the built-in texts even if a model is configured")
	args, err := call.Parse()
	channels := []string{engine.ChannelEmail, engine.ChannelSMS, engine.ChannelWhatsApp, engine.ChannelPush, engine.ChannelLetter}
	switch {
	case err != nil:
		return err
	case len(args) == 0:
		return Usage("say what the message is about")
	case !slices.Contains(channels, *channel):
		return Usage("--channel is one of %s, not %q", strings.Join(channels, ", "), *channel)
	}
	if err := spoken(*lang); err != nil {
		return err
	}
	settings, err := config.Read()
	if err != nil {
		return err
	}
	if *offline {
		settings.AI = config.AI{}
	}
	drafter := drafts.NewDrafter(settings.AI)
	words := drafter.Words(ctx, ai.WordsRequest{Request: ai.Request{Prompt: strings.Join(args, " "), Language: *lang}, Channel: *channel})
	if !drafter.Online() {
		words.Explain("no_key")
	}
	if *asJSON {
		return printJSON(call.Stdout, words)
	}
	if words.Creative == nil {
		fmt.Fprintln(call.Stdout, words.Message)
		return ErrFound
	}
	return printWords(call.Stdout, words)
}

// printWords prints a message for people: what it says, then who wrote it and what is to be known of it.
func printWords(out io.Writer, w ai.Words) error {
	texts, _ := w.Creative.Texts()
	for _, t := range texts {
		if strings.TrimSpace(t.Text) != "" {
			fmt.Fprintf(out, "%s\n\n", t.Text)
		}
	}
	fmt.Fprintf(out, "(%s)\n", w.Engine)
	for _, note := range w.Notes {
		fmt.Fprintf(out, "- %s\n", note)
	}
	return nil
}
