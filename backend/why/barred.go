package why

import (
	"context"
	"slices"
	"strings"

	"github.com/lejek/lejek/backend/people"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/engine"
)

// barred says which messages of the funnel would not reach the person now, why, and how to change that. It asks the gate, as delivery does.
func (a *asked) barred(ctx context.Context, tx store.Tx) ([]Sentence, error) {
	version := a.live
	if a.run != nil && a.run.alive() {
		version = a.run.version
	}
	if a.person.Gone || version == nil || version.Plan == nil {
		return nil, nil
	}
	var asks []people.Ask
	steps := map[people.Ask][]engine.Title{}
	for _, s := range version.Plan.Sendings() {
		ask := people.Ask{Contact: a.contact, Channel: s.Channel, Topic: s.Topic, Class: s.Class}
		if steps[ask] == nil {
			asks = append(asks, ask)
		}
		steps[ask] = append(steps[ask], version.Plan.TitleOf(s.Node))
	}
	if len(asks) == 0 {
		return nil, nil
	}
	answers, err := a.People.Gate(ctx, tx, a.workspace, asks)
	if err != nil {
		return nil, err
	}
	var all []Sentence
	for i, answer := range answers {
		if answer.Reason == "" || answer.Reason == people.NoGone {
			continue
		}
		all = append(all, say("barred", a.zone, map[string]any{
			"steps": quoted(steps[asks[i]]), "why": answer.Reason, "channel": asks[i].Channel,
			"reason": part(bars, answer.Reason, a.zone, map[string]any{"channel": part(channels, asks[i].Channel, a.zone, nil), "topic": asks[i].Topic}),
		}))
	}
	return all, nil
}

// quoted are the titles of steps in quotation marks, each once.
func quoted(titles []engine.Title) phrase {
	marks := [...][2]string{{"“", "”"}, {"„", "”"}, {"«", "»"}}
	var out phrase
	for l := range out {
		var names []string
		for _, title := range titles {
			if name := marks[l][0] + title[l] + marks[l][1]; !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
		out[l] = strings.Join(names, ", ")
	}
	return out
}

// channels as parts of a sentence.
var channels = map[string]words{
	engine.ChannelEmail: {"e-mail", "e-mail", "эл. почта"}, engine.ChannelSMS: {"SMS", "SMS", "SMS"}, engine.ChannelWhatsApp: {"WhatsApp", "WhatsApp", "WhatsApp"},
	engine.ChannelPush: {"push", "push", "push"}, engine.ChannelLetter: {"letters", "listy", "бумажные письма"},
}

// bars say why a message may not go to a person, with the value that decides and how to change it.
var bars = map[string]words{
	people.NoConsent: {
		"consent to marketing by this channel ({channel}) is “Not asked”, and only “Agreed” lets it go. Record an agreement under “Consents” on the person's page, or allow marketing to people nobody asked yet in the settings of the workspace",
		"zgoda na marketing tym kanałem ({channel}) to „Nie pytano”, a wysłać można tylko przy „Zgoda”. Zapisz zgodę w sekcji „Zgody” na stronie osoby albo w ustawieniach przestrzeni roboczej pozwól na marketing do osób, których jeszcze nie zapytano",
		"согласие на рекламу по этому каналу ({channel}): «Не спрашивали», а отправлять можно только при «Согласие есть». Запишите согласие в разделе «Согласия» на странице человека или разрешите в настройках рабочего пространства рекламу тем, кого ещё не спрашивали",
	},
	people.NoUnsub: {
		"consent to marketing by this channel ({channel}) is “Refused”. Only the person can take that back; record it under “Consents” on their page when they agree again",
		"zgoda na marketing tym kanałem ({channel}) to „Odmowa”. Cofnąć ją może tylko ta osoba; gdy znów się zgodzi, zapisz to w sekcji „Zgody” na jej stronie",
		"согласие на рекламу по этому каналу ({channel}): «Отказ». Отменить его может только сам человек; когда он снова согласится, запишите это в разделе «Согласия» на его странице",
	},
	people.NoTopic: {
		"consent to the topic “{topic}” ({channel}) is “Refused”. Record it under “Consents” on the person's page when they want it again, or take the topic off the step",
		"zgoda na temat „{topic}” ({channel}) to „Odmowa”. Gdy osoba znów go zechce, zapisz to w sekcji „Zgody” na jej stronie albo usuń temat z kroku",
		"согласие на тему «{topic}» ({channel}): «Отказ». Когда человек снова захочет её, запишите это в разделе «Согласия» на его странице или уберите тему из шага",
	},
	people.NoAddress: {
		"there is no address for this channel ({channel}). Enter one under “Details” on the person's page",
		"brak adresu dla tego kanału ({channel}). Wpisz go w sekcji „Dane” na stronie osoby",
		"нет адреса для этого канала ({channel}). Укажите его в разделе «Данные» на странице человека",
	},
	people.NoSuppress: {
		"the address for this channel ({channel}) is blocked after a bounce or complaint. Take it off the list of refused addresses in the settings once it works again",
		"adres dla tego kanału ({channel}) jest zablokowany po zwrocie lub skardze. Gdy znów działa, zdejmij go w ustawieniach z listy adresów, które odmówiły",
		"адрес для этого канала ({channel}) заблокирован после возврата или жалобы. Когда он снова заработает, уберите его в настройках из списка отказавших адресов",
	},
}
