package api

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/forms"
	"github.com/lejek/lejek/backend/store"
)

// shownForm is a form as the script of an embedding page gets it.
type shownForm struct {
	Title           string        `json:"title"`
	Fields          []forms.Field `json:"fields"`
	ConsentText     string        `json:"consent_text"`
	ConsentRequired bool          `json:"consent_required"`
	Token           string        `json:"token"` // to be sent back as _token
}

// sentForm is the answer to answers.
type sentForm struct {
	State    string `json:"state"` // received: the address has to be confirmed; confirmed: it counts
	Redirect string `json:"redirect,omitempty"`
	Thanks   string `json:"thanks,omitempty"`
}

// formBody is what the page of a form shows.
type formBody struct {
	Form            store.Form
	Fields          []formQuestion
	Token, Message  string
	Consented       bool
	ConsentProblem  string
	ConfirmQuestion string
}

type formQuestion struct {
	forms.Field
	Value, Problem string
}

// formAt is the form of an address, with the right of the calling page to it.
func (s *Server) formAt(c echo.Context) (store.Form, forms.Call, error) {
	id, err := publicID(c, "form")
	if err != nil {
		return store.Form{}, forms.Call{}, err
	}
	form, err := s.Inbound.Forms.Public(c.Request().Context(), id)
	if err != nil {
		return form, forms.Call{}, err
	}
	code, _ := speak(c)
	call := forms.Call{IP: c.RealIP(), Origin: foreignOrigin(c), Language: code}
	if call.Origin != "" && s.Inbound.Forms.Allows(form, call.Origin) {
		allowOrigin(c, call.Origin)
	}
	return form, call, nil
}

func (s *Server) askForm(c echo.Context) error {
	if _, _, err := s.formAt(c); err != nil {
		return err
	}
	return c.NoContent(http.StatusNoContent)
}

func (s *Server) showForm(c echo.Context) error {
	form, _, err := s.formAt(c)
	if err != nil {
		if wantsJSON(c) {
			return err
		}
		return s.failPage(c, err)
	}
	fields, err := forms.FieldsOf(form)
	if err != nil {
		return err
	}
	token := s.Inbound.Forms.Shown(form.ID)
	if wantsJSON(c) {
		c.Response().Header().Set("Cache-Control", "no-store")
		return c.JSON(http.StatusOK, shownForm{form.Title, fields, form.ConsentText, form.ConsentRequired, token})
	}
	return s.pageOfForm(c, http.StatusOK, form, fields, formBody{Token: token}, nil, nil)
}

// pageOfForm shows a form with what was typed and what is wrong with it.
func (s *Server) pageOfForm(c echo.Context, status int, form store.Form, fields []forms.Field, body formBody, typed map[string]any, wrong []fault.Field) error {
	code, words := speak(c)
	problems := map[string]string{}
	for _, field := range wrong {
		problems[field.Path] = field.Message
	}
	body.Form, body.ConsentProblem = form, problems["_consent"]
	for _, field := range fields {
		value, _ := typed[field.Key].(string)
		body.Fields = append(body.Fields, formQuestion{field, value, problems[field.Key]})
	}
	if problem := problems["_token"]; problem != "" && body.Message == "" {
		body.Message = words["slower"]
	}
	title := form.Title
	if title == "" {
		title = form.Name
	}
	return showPage(c, status, "form", pageLook{Language: code, Title: title, Words: words, Body: body}, form.Redirect)
}

func (s *Server) sendForm(c echo.Context) error {
	form, call, err := s.formAt(c)
	if err == nil {
		err = s.Inbound.Forms.Admit(c.Request().Context(), form, call)
	}
	var sent forms.Sent
	if err == nil {
		sent, call, err = s.readForm(c, form, call)
	}
	var answer forms.Answer
	if err == nil {
		answer, err = s.Inbound.Forms.Submit(c.Request().Context(), form, sent, call)
	}
	page := !wantsJSON(c) && c.Request().Header.Get(echo.HeaderContentType) == echo.MIMEApplicationForm
	if err != nil {
		return s.formRefused(c, err, form, sent, page)
	}
	s.nudgeAll()
	switch {
	case !page:
		return c.JSON(http.StatusOK, sentForm{answer.State, answer.Redirect, answer.Thanks})
	case answer.Redirect != "":
		return c.Redirect(http.StatusSeeOther, answer.Redirect) // the form's owner chose it, the request cannot
	default:
		return s.thank(c, answer)
	}
}

func (s *Server) nudgeAll() {
	for _, kind := range []string{"inbox", "deliver", "wake"} {
		s.nudge(kind)
	}
}

func (s *Server) thank(c echo.Context, answer forms.Answer) error {
	code, words := speak(c)
	message := answer.Thanks
	if message == "" {
		message = words["thanks"]
	}
	if answer.State == forms.Received {
		message = words["check"]
	}
	return showPage(c, http.StatusOK, "message", pageLook{Language: code, Title: words["title"], Words: words, Body: message}, "")
}

func (s *Server) readForm(c echo.Context, form store.Form, call forms.Call) (forms.Sent, forms.Call, error) {
	workspace, err := s.keyOf(c, "")
	if err != nil {
		return forms.Sent{}, call, err
	}
	if call.Trusted = workspace == form.WorkspaceID; !call.Trusted && c.Request().Header.Get(echo.HeaderAuthorization) != "" {
		return forms.Sent{}, call, fault.New(fault.NotFound, "There is no such form.")
	}
	body, err := readPublic(c, forms.MaxBody)
	if err != nil {
		return forms.Sent{}, call, err
	}
	sent, err := forms.Decode(c.Request().Header.Get(echo.HeaderContentType), body)
	if key := c.Request().Header.Get(idempotencyHeader); err == nil && key != "" {
		if len(key) > maxKey {
			return sent, call, fault.New(fault.Invalid, "The header Idempotency-Key is too long: at most %d characters.", maxKey)
		}
		sent.Key = key
	}
	return sent, call, err
}

// formRefused says what is wrong: to a program as a problem, to a person on the form itself, with what they typed.
func (s *Server) formRefused(c echo.Context, err error, form store.Form, sent forms.Sent, page bool) error {
	if !page {
		return err
	}
	var public *fault.Error
	if !errors.As(err, &public) || len(public.Fields) == 0 {
		return s.failPage(c, err)
	}
	fields, broken := forms.FieldsOf(form)
	if broken != nil {
		return broken
	}
	token := sent.Token // it goes on counting from when the form was first shown
	if token == "" {
		token = s.Inbound.Forms.Shown(form.ID)
	}
	return s.pageOfForm(c, http.StatusUnprocessableEntity, form, fields, formBody{Token: token, Consented: sent.Consent}, sent.Answers, public.Fields)
}

// showConfirm asks whether the address shall be confirmed. It changes nothing: scanners of mail programs open links too.
func (s *Server) showConfirm(c echo.Context) error {
	pending, err := s.Inbound.Forms.Look(c.Request().Context(), c.Param("token"))
	if err != nil {
		return s.failPage(c, err)
	}
	code, words := speak(c)
	look := pageLook{Language: code, Title: words["title"], Words: words}
	if pending.Done {
		look.Body = words["confirmed"]
		return showPage(c, http.StatusOK, "message", look, "")
	}
	look.Body = formBody{Form: pending.Form, ConfirmQuestion: fmt.Sprintf(words["confirm_ask"], pending.For)}
	return showPage(c, http.StatusOK, "confirm", look, pending.Form.Redirect)
}

func (s *Server) confirm(c echo.Context) error {
	if err := s.Inbound.Limits.Take(c.Request().Context(), "confirm:"+s.Inbound.Address(c.RealIP()), perVisitor); err != nil {
		return s.failPage(c, err)
	}
	answer, err := s.Inbound.Forms.Confirm(c.Request().Context(), c.Param("token"), forms.Call{IP: c.RealIP()})
	if err != nil {
		return s.failPage(c, err)
	}
	s.nudgeAll()
	if answer.Redirect != "" {
		return c.Redirect(http.StatusSeeOther, answer.Redirect)
	}
	code, words := speak(c)
	message := words["confirmed"]
	if answer.Thanks != "" {
		message = answer.Thanks
	}
	return showPage(c, http.StatusOK, "message", pageLook{Language: code, Title: words["title"], Words: words, Body: message}, "")
}

// decodePublic reads the small JSON of a beacon.
func decodePublic(body []byte, into any) error {
	if err := json.Unmarshal(body, into); err != nil {
		return fault.New(fault.Invalid, "The body is not the JSON object expected here.").WithErr(err)
	}
	return nil
}
