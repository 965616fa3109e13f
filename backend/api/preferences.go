package api

import (
	"net"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/lejek/lejek/backend/preferences"
)

// preferenceWords are the texts of the page on which people choose what they get.
var preferenceWords = map[string]map[string]string{
	"en": {
		"title": "What would you like to get from us?", "ask": "Tick what we may send you. It counts as soon as you save.", "save": "Save", "nothing": "Nothing at all, please",
		"saved": "Saved. From now on you get what is ticked below.", "topics": "Topics", "language": "Language", "none": "We have no way to write to you, so there is nothing to choose.",
		"blocked": "Messages to this address came back, so we no longer write to it.", "note": "Messages about what you ordered or asked for yourself, such as receipts, come in any case.",
		"email": "E-mail", "sms": "Text messages", "whatsapp": "WhatsApp", "push": "Notifications", "letter": "Letters",
		"email.all": "Yes, send me e-mails", "sms.all": "Yes, send me text messages", "whatsapp.all": "Yes, write to me on WhatsApp", "push.all": "Yes, send me notifications", "letter.all": "Yes, send me letters",
	},
	"pl": {
		"title": "Co chcesz od nas otrzymywać?", "ask": "Zaznacz, co możemy Ci wysyłać. Działa od razu po zapisaniu.", "save": "Zapisz", "nothing": "Nie wysyłajcie mi niczego",
		"saved": "Zapisano. Od teraz dostajesz to, co jest zaznaczone poniżej.", "topics": "Tematy", "language": "Język", "none": "Nie mamy jak do Ciebie napisać, więc nie ma czego wybierać.",
		"blocked": "Wiadomości na ten adres wracały, więc już na niego nie piszemy.", "note": "Wiadomości o Twoich zamówieniach i sprawach, na przykład rachunki, przychodzą w każdym wypadku.", //nolint:misspell // Polish
		"email": "E-mail", "sms": "SMS", "whatsapp": "WhatsApp", "push": "Powiadomienia", "letter": "Listy",
		"email.all": "Tak, przysyłajcie mi e-maile", "sms.all": "Tak, przysyłajcie mi SMS-y", "whatsapp.all": "Tak, piszcie do mnie na WhatsAppie", "push.all": "Tak, przysyłajcie mi powiadomienia", "letter.all": "Tak, przysyłajcie mi listy",
	},
	"ru": {
		"title": "Что вы хотите от нас получать?", "ask": "Отметьте, что мы можем вам присылать. Выбор действует сразу после сохранения.", "save": "Сохранить", "nothing": "Ничего не присылайте",
		"saved": "Сохранено. Теперь вы получаете то, что отмечено ниже.", "topics": "Темы", "language": "Язык", "none": "Нам некуда вам писать, поэтому выбирать нечего.",
		"blocked": "Сообщения на этот адрес возвращались, поэтому мы на него больше не пишем.", "note": "Сообщения о ваших заказах и запросах, например чеки, приходят в любом случае.",
		"email": "Электронная почта", "sms": "SMS", "whatsapp": "WhatsApp", "push": "Уведомления", "letter": "Письма по почте",
		"email.all": "Да, присылайте мне письма на почту", "sms.all": "Да, присылайте мне SMS", "whatsapp.all": "Да, пишите мне в WhatsApp", "push.all": "Да, присылайте мне уведомления", "letter.all": "Да, присылайте мне бумажные письма",
	},
}

// languageNames are what the languages call themselves, in the order they are offered.
var languageNames = []languageLink{{Code: "en", Name: "English"}, {Code: "pl", Name: "Polski"}, {Code: "ru", Name: "Русский"}}

type languageLink struct {
	Code, Name string
	Current    bool
}

// preferencesBody is what the page shows.
type preferencesBody struct {
	House, Language string
	Languages       []languageLink
	Channels        []preferenceChannel
	Saved           bool
}

type preferenceChannel struct {
	preferences.Channel

	Name, All string
}

// showPreferences shows the page. It changes nothing, whoever opens it.
func (s *Server) showPreferences(c echo.Context) error {
	page, err := s.Preferences.Look(c.Request().Context(), c.Param("token"))
	if err != nil {
		return s.failPage(c, err)
	}
	return pageOfPreferences(c, page, false)
}

// savePreferences lets what was ticked count.
func (s *Server) savePreferences(c echo.Context) error {
	request := c.Request()
	request.Body = http.MaxBytesReader(c.Response(), request.Body, maxForm)
	form, err := c.FormParams()
	if err != nil {
		return s.failPage(c, bodyError(err))
	}
	choice := preferences.Choice{}
	if form.Get("do") != "nothing" {
		for _, channel := range form["channel"] {
			topics := map[string]bool{}
			for _, topic := range form["topic."+channel] {
				topics[topic] = true
			}
			choice[channel] = topics
		}
	}
	page, err := s.Preferences.Look(request.Context(), c.Param("token"))
	if err != nil {
		return s.failPage(c, err)
	}
	code := preferenceLanguage(c, page)
	words := preferenceWords[code]
	page, err = s.Preferences.Save(request.Context(), c.Param("token"), choice, preferences.Call{Language: code, IP: c.RealIP(), Text: func(channel, topic string) string {
		if topic == "" {
			return words[channel+".all"]
		}
		return words[channel] + ": " + topic
	}})
	if err != nil {
		return s.failPage(c, err)
	}
	s.nudge("inbox")
	return pageOfPreferences(c, page, true)
}

// preferenceLanguage is the one somebody chose on the page, else the person's.
func preferenceLanguage(c echo.Context, page preferences.Page) string {
	if chosen := c.QueryParam("lang"); preferenceWords[chosen] != nil {
		return chosen
	}
	return language(page.Language)
}

func pageOfPreferences(c echo.Context, page preferences.Page, saved bool) error {
	code := preferenceLanguage(c, page)
	words := preferenceWords[code]
	body := preferencesBody{House: page.Workspace.Name, Language: code, Saved: saved}
	for _, one := range languageNames {
		one.Current = one.Code == code
		body.Languages = append(body.Languages, one)
	}
	for _, channel := range page.Channels {
		body.Channels = append(body.Channels, preferenceChannel{channel, words[channel.Channel], words[channel.Channel+".all"]})
	}
	return showPage(c, http.StatusOK, "preferences", pageLook{Language: code, Title: words["title"] + " · " + page.Workspace.Name, Words: words, Body: body}, "")
}

// hostname is a host without its port.
func hostname(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return strings.ToLower(host)
}
