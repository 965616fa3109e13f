// Package fault is the one vocabulary of errors that people and programs outside see: a code, a message that says what
// happened and what to do, the fields it concerns, and the hidden cause for the log.
//
// Three vocabularies are kept apart: fault for whoever made the request, %w chains for operators, engine.Problem for the
// author of a funnel.
package fault

import (
	"errors"
	"fmt"
	"net/http"
)

// Code is what a program may branch on.
type Code string

// The codes, and nothing beside them.
const (
	Invalid         Code = "invalid"         // the request is wrong; Fields say where
	NotFound        Code = "not_found"       // it is not there, or not in this workspace
	Conflict        Code = "conflict"        // it changed meanwhile, or clashes with something else
	Forbidden       Code = "forbidden"       // the role or the token does not allow it
	Unauthenticated Code = "unauthenticated" // nobody is signed in
	TooLarge        Code = "too_large"       // over a limit the message names
	RateLimited     Code = "rate_limited"    // too often; try later
	Unavailable     Code = "unavailable"     // something we depend on does not answer; try again
	Internal        Code = "internal"        // our mistake
)

var statuses = map[Code]int{
	Invalid:         http.StatusUnprocessableEntity,
	NotFound:        http.StatusNotFound,
	Conflict:        http.StatusConflict,
	Forbidden:       http.StatusForbidden,
	Unauthenticated: http.StatusUnauthorized,
	TooLarge:        http.StatusRequestEntityTooLarge,
	RateLimited:     http.StatusTooManyRequests,
	Unavailable:     http.StatusServiceUnavailable,
	Internal:        http.StatusInternalServerError,
}

// Status is the HTTP status of a code.
func (c Code) Status() int {
	if status, ok := statuses[c]; ok {
		return status
	}
	return http.StatusInternalServerError
}

// Field is one wrong member of a request, by its path such as "fields.age", with what to do about it.
type Field struct {
	Path    string `json:"path"`
	Message string `json:"message"`
}

// Error is a fault. Message and Fields are public; Err is logged and never sent. Details is public data a program needs to
// go on, such as the current document of a conflict.
type Error struct {
	Code    Code
	Message string
	Fields  []Field
	Details any
	Err     error
}

// Error says the public message and, for the log, the cause.
func (e *Error) Error() string {
	if e.Err != nil {
		return e.Message + ": " + e.Err.Error()
	}
	return e.Message
}

// Unwrap is the hidden cause.
func (e *Error) Unwrap() error { return e.Err }

// New is a fault with a formatted public message.
func New(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// InvalidField is an Invalid fault about one field.
func InvalidField(path, format string, args ...any) *Error {
	message := fmt.Sprintf(format, args...)
	return &Error{Code: Invalid, Message: message, Fields: []Field{{Path: path, Message: message}}}
}

// InvalidFields is one Invalid fault about all the fields, or nil for none.
func InvalidFields(fields []Field) error {
	switch len(fields) {
	case 0:
		return nil
	case 1:
		return &Error{Code: Invalid, Message: fields[0].Message, Fields: fields}
	default:
		return &Error{Code: Invalid, Message: fmt.Sprintf("%d fields need a correction.", len(fields)), Fields: fields}
	}
}

// Wrap hides err behind an Internal fault that says what could not be done. A fault stays the fault it is.
func Wrap(err error, format string, args ...any) error {
	if err == nil {
		return nil
	}
	if _, ok := errors.AsType[*Error](err); ok {
		return err
	}
	return &Error{Code: Internal, Message: "Something went wrong on our side. Please try again.", Err: fmt.Errorf(fmt.Sprintf(format, args...)+": %w", err)}
}

// CodeOf is the code of err: Internal for an error that is no fault, "" for nil.
func CodeOf(err error) Code {
	if err == nil {
		return ""
	}
	if fault, ok := errors.AsType[*Error](err); ok {
		return fault.Code
	}
	return Internal
}

// Public is err as it may be shown: itself if it is a fault, else an Internal one around it.
func Public(err error) *Error {
	if fault, ok := errors.AsType[*Error](err); ok {
		return fault
	}
	return &Error{Code: Internal, Message: "Something went wrong on our side. Please try again.", Err: err}
}

// WithErr returns the fault with its hidden cause.
func (e *Error) WithErr(err error) *Error {
	e.Err = err
	return e
}

// WithDetails returns the fault with public data.
func (e *Error) WithDetails(details any) *Error {
	e.Details = details
	return e
}
