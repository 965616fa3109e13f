package api

import (
	"bytes"
	_ "embed"
	"errors"
	"html/template"
	"net/http"
	"strings"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"github.com/lejek/lejek/backend/delivery"
	"github.com/lejek/lejek/backend/fault"
)

//go:embed farewell.html
var farewellSource string

var farewellPage = template.Must(template.New("farewell").Parse(farewellSource))

// maxForm is the largest body of a form on a public page.
const maxForm = 16 << 10

// words are the texts of the public pages.
type words struct {
	Title, Ask, All, Topic, Done, DoneTopic, Gone, Again, Choose string
}

var farewellWords = map[string]words{
	"en": {
		Title: "E-mail subscription", Ask: "No more e-mails to %s?", All: "Unsubscribe from all e-mails", Topic: "Only from “%s”",
		Done: "Done. You will get no more e-mails from us.", DoneTopic: "Done. You will get no more e-mails about “%s”.",
		Gone: "This link does not work any more. Please open it again from the e-mail.", Again: "Something went wrong. Please try again.", Choose: "Choose what you get instead",
	},
	"pl": {
		Title: "Subskrypcja e-maili", Ask: "Nie wysyłać więcej e-maili na %s?", All: "Wypisz mnie ze wszystkich e-maili", Topic: "Tylko z „%s”",
		Done: "Gotowe. Nie wyślemy już żadnego e-maila.", DoneTopic: "Gotowe. Nie wyślemy już e-maili z tematu „%s”.",
		Gone: "Ten link już nie działa. Otwórz go ponownie z e-maila.", Again: "Coś poszło nie tak. Spróbuj ponownie.", Choose: "Wybierz, co chcesz dostawać",
	},
	"ru": {
		Title: "Подписка на письма", Ask: "Больше не писать на %s?", All: "Отписаться от всех писем", Topic: "Только от «%s»",
		Done: "Готово. Мы больше не будем вам писать.", DoneTopic: "Готово. Писем на тему «%s» больше не будет.",
		Gone: "Эта ссылка больше не работает. Откройте её ещё раз из письма.", Again: "Что-то пошло не так. Попробуйте ещё раз.", Choose: "Выбрать, что получать",
	},
}

// page is what the template shows: a question with buttons, or a message.
type page struct {
	Language, Title, Workspace string
	Ask, All, Topic, Message   string
	Choose, ChooseURL          string
}

// farewell shows the page behind an unsubscribe link. It changes nothing: scanners of mail programs open links too.
func (s *Server) farewell(c echo.Context) error {
	f, err := s.Delivery.Farewell(c.Request().Context(), c.Param("token"))
	if err != nil {
		return s.farewellFailed(c, err)
	}
	w := wordsOf(f.Language)
	if f.Left {
		return s.showFarewell(c, f, page{Message: w.Done})
	}
	asked := page{Ask: strings.Replace(w.Ask, "%s", f.Address, 1), All: w.All}
	if f.Topic != "" && !f.LeftTopic {
		asked.Topic = strings.Replace(w.Topic, "%s", f.Topic, 1)
	}
	return s.showFarewell(c, f, asked)
}

// unsubscribe acts: for the button of the page, and for the one-click request of a mail program (RFC 8058), which brings no cookie and follows no
// redirect.
func (s *Server) unsubscribe(c echo.Context) error {
	request := c.Request()
	request.Body = http.MaxBytesReader(c.Response(), request.Body, maxForm)
	onlyTopic := c.FormValue("what") == "topic"
	f, err := s.Delivery.Unsubscribe(request.Context(), c.Param("token"), onlyTopic)
	if err != nil {
		return s.farewellFailed(c, err)
	}
	s.nudge("inbox")
	w := wordsOf(f.Language)
	if onlyTopic && f.Topic != "" {
		return s.showFarewell(c, f, page{Message: strings.Replace(w.DoneTopic, "%s", f.Topic, 1)})
	}
	return s.showFarewell(c, f, page{Message: w.Done})
}

// view shows a message in the browser. Nothing in it may run, whoever wrote it.
func (s *Server) view(c echo.Context) error {
	mail, err := s.Delivery.View(c.Request().Context(), c.Param("token"))
	if err != nil {
		return s.farewellFailed(c, err)
	}
	header := c.Response().Header()
	header.Set("Content-Security-Policy", "default-src 'none'; img-src https: data:; style-src 'unsafe-inline'; font-src https:; sandbox allow-popups allow-popups-to-escape-sandbox allow-top-navigation-by-user-activation")
	header.Set("Cache-Control", "private, no-store")
	header.Set("X-Robots-Tag", "noindex")
	return c.HTML(http.StatusOK, mail.HTML)
}

func (s *Server) farewellFailed(c echo.Context, err error) error {
	w := wordsOf(preferred(c.Request()))
	if errors.Is(err, delivery.ErrToken) || fault.CodeOf(err) == fault.NotFound {
		return show(c, http.StatusNotFound, delivery.Farewell{Language: preferred(c.Request())}, page{Message: w.Gone})
	}
	s.Logger.ErrorContext(c.Request().Context(), "request failed", "request", requestID(c), "route", c.Path(), "error", err.Error())
	return show(c, http.StatusInternalServerError, delivery.Farewell{Language: preferred(c.Request())}, page{Message: w.Again})
}

// showFarewell adds the way to the person's own page, where they choose instead of leaving, or come back.
func (s *Server) showFarewell(c echo.Context, f delivery.Farewell, p page) error {
	if s.Preferences != nil && f.ContactID != uuid.Nil {
		p.Choose, p.ChooseURL = wordsOf(f.Language).Choose, s.Preferences.URL(f.WorkspaceID, f.ContactID)
	}
	return show(c, http.StatusOK, f, p)
}

func show(c echo.Context, status int, f delivery.Farewell, p page) error {
	w := wordsOf(f.Language)
	p.Title, p.Workspace, p.Language = w.Title, f.Workspace, language(f.Language)
	var out bytes.Buffer
	if err := farewellPage.Execute(&out, p); err != nil {
		return err
	}
	header := c.Response().Header()
	header.Set("Cache-Control", "no-store")
	header.Set("X-Robots-Tag", "noindex")
	header.Set("Referrer-Policy", "no-referrer")
	return c.HTMLBlob(status, out.Bytes())
}

// language is the one of ours nearest to a code such as pl-PL.
func language(code string) string {
	short, _, _ := strings.Cut(strings.ToLower(code), "-")
	if _, known := farewellWords[short]; known {
		return short
	}
	return "en"
}

func wordsOf(code string) words { return farewellWords[language(code)] }

// preferred is the first language a browser names.
func preferred(request *http.Request) string {
	first, _, _ := strings.Cut(request.Header.Get("Accept-Language"), ",")
	first, _, _ = strings.Cut(first, ";")
	return strings.TrimSpace(first)
}
