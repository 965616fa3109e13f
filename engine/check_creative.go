package engine

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// The bounds of texts on a phone, in characters before anything is filled in.
const (
	maxPhoneText = 1530 // ten SMS
	maxPushTitle = 120
	maxPushText  = 500
)

// contents are the judges of creatives by channel.
var contents = map[string]func(*inspection, Creative, sending, *Checker){
	ChannelEmail:    (*inspection).checkMail,
	ChannelSMS:      (*inspection).checkPhoneText,
	ChannelWhatsApp: (*inspection).checkPhoneText,
	ChannelPush:     (*inspection).checkPush,
	ChannelLetter:   (*inspection).checkLetter,
}

// mailBlocks and letterBlocks are the parts a mail and a letter can be made of: on paper nothing can be clicked, and nothing is fetched
// from the network to be printed.
var (
	mailBlocks   = []string{"heading", "text", "button", "image", "divider", "spacer", "footer", BlockRepeat, BlockShowIf}
	letterBlocks = []string{"heading", "text", "divider", "spacer"}
)

// checkCreative judges one message as the step's channel sends it.
func (i *inspection) checkCreative(creative Creative, sending sending, k *Checker) {
	if !creative.fits(sending.Channel) {
		k.Invalid("channel", fmt.Sprintf("This message is written for %s, but the step sends %s. Choose another.", quote(creative.Channel), sending.Channel)).
			with("channel", creative.Channel)
		return
	}
	contents[sending.Channel](i, creative, sending, k)
	texts, unreadable := creative.Texts()
	k.take(unreadable, "")
	for _, text := range texts {
		i.checkPlacedText(text, k)
	}
}

// fits tells whether a channel can carry the creative. A text for a phone goes both ways.
func (c Creative) fits(channel string) bool {
	return c.Channel == channel || c.onPhone() && (channel == ChannelSMS || channel == ChannelWhatsApp)
}

func (c Creative) onPhone() bool { return c.Channel == ChannelSMS || c.Channel == ChannelWhatsApp }

func (i *inspection) checkMail(creative Creative, sending sending, k *Checker) {
	if strings.TrimSpace(creative.Subject) == "" {
		k.Error(CodeSubjectEmpty, "subject", "The message has no subject. Write one.")
	}
	i.checkSays(creative, k)
	texts, _ := creative.Texts()
	if sending.Class == ClassMarketing && !creative.unsubscribes(texts) {
		footer := append(slices.Clone(creative.Blocks), Block{ID: freeBlockID(creative.Blocks), Type: "footer"})
		k.Error(CodeUnsubscribe, "blocks", "People cannot unsubscribe from this message. Add the footer, which holds the link.").
			fix("Add the footer", "blocks", footer)
	}
	i.checkBlocks(creative.Blocks, mailBlocks, k)
}

func (i *inspection) checkLetter(creative Creative, _ sending, k *Checker) {
	i.checkSays(creative, k)
	i.checkBlocks(creative.Blocks, letterBlocks, k)
}

func (i *inspection) checkSays(creative Creative, k *Checker) {
	if !slices.ContainsFunc(creative.Blocks, Block.says) {
		k.Error(CodeBodyEmpty, "blocks", "The message is empty. Write something in it.")
	}
}

func (i *inspection) checkPhoneText(creative Creative, _ sending, k *Checker) {
	if strings.TrimSpace(creative.Text) == "" {
		k.Error(CodeBodyEmpty, "text", "The message is empty. Write something in it.")
	}
	checkLength(creative.Text, "text", maxPhoneText, k)
}

func (i *inspection) checkPush(creative Creative, _ sending, k *Checker) {
	if strings.TrimSpace(creative.Text) == "" {
		k.Error(CodeBodyEmpty, "text", "The notification is empty. Write something in it.")
	}
	checkLength(creative.Title, "title", maxPushTitle, k)
	checkLength(creative.Text, "text", maxPushText, k)
	checkWeb(creative.URL, "url", k)
	checkWeb(creative.Icon, "icon", k)
}

func checkLength(text, field string, most int, k *Checker) {
	if length := utf8.RuneCountInString(text); length > most {
		k.Invalid(field, fmt.Sprintf("This text is %d characters long. Shorten it to %d.", length, most)).
			with("field", field).with("max", strconv.Itoa(most))
	}
}

// checkWeb judges an address on the web as far as it is known before it is filled in.
func checkWeb(address, field string, k *Checker) {
	merge, err := ParseMerge(address)
	if err != nil || strings.TrimSpace(address) == "" {
		return // what cannot be read is said with the other texts
	}
	begin := strings.ToLower(strings.TrimSpace(merge.Literals()[0]))
	if begin == "" && len(merge.Holes()) > 0 || strings.HasPrefix(begin, "https://") || strings.HasPrefix(begin, "http://") {
		return
	}
	k.Invalid(field, fmt.Sprintf("The address %s has to begin with https:// or http://.", quote(address))).with("field", field)
}

// says tells whether a block has anything to see.
func (b Block) says() bool {
	switch b.Type {
	case "heading", "button":
		return strings.TrimSpace(b.Text) != ""
	case "text":
		doc, err := DecodeDoc(b.Doc)
		return strings.TrimSpace(b.Text) != "" || err != nil || !doc.IsEmpty()
	case "image":
		return b.URL != ""
	case BlockRepeat, BlockShowIf:
		return slices.ContainsFunc(b.Blocks, Block.says)
	default:
		return false
	}
}

// unsubscribes tells whether the message has a footer or a link of its own to unsubscribe.
func (c Creative) unsubscribes(texts []CreativeText) bool {
	return slices.ContainsFunc(c.Blocks, func(b Block) bool { return b.Type == "footer" }) ||
		slices.ContainsFunc(texts, func(t CreativeText) bool { return strings.Contains(t.Text, "unsubscribe_url") })
}

func freeBlockID(blocks []Block) string {
	id := "footer"
	for slices.ContainsFunc(blocks, func(b Block) bool { return b.ID == id }) {
		id += "-1"
	}
	return id
}

func (i *inspection) checkBlocks(blocks []Block, allowed []string, k *Checker) {
	i.checkBlocksIn(blocks, allowed, map[string]bool{}, nil, k)
}

// checkBlocksIn judges blocks inside others, the outermost first. seen are the ids of the whole message.
func (i *inspection) checkBlocksIn(blocks []Block, allowed []string, seen map[string]bool, within []Block, k *Checker) {
	for _, block := range blocks {
		at := "blocks." + block.ID
		if seen[block.ID] {
			k.Error(CodeIDTwice, at, fmt.Sprintf("Two parts of the message have the id %s. Give one of them another.", quote(block.ID))).with("id", block.ID)
		}
		seen[block.ID] = true
		if !slices.Contains(allowed, block.Type) {
			k.Invalid(at, fmt.Sprintf("A message of this channel has no part of the type %s. Choose one of %s.", quote(block.Type), strings.Join(allowed, ", "))).
				with("type", block.Type)
			continue
		}
		if block.Type == "button" && strings.TrimSpace(block.URL) == "" {
			button := "A button"
			if strings.TrimSpace(block.Text) != "" {
				button = "The button " + quote(block.Text)
			}
			k.Required(at, button+" leads nowhere. Enter its address.").with("field", at)
		}
		i.checkHolder(block, within, at, k)
		i.checkBlocksIn(block.Blocks, allowed, seen, append(slices.Clip(within), block), k)
	}
}
