// Package e2e holds the browser journeys: a real Chromium against the whole product on a real Postgres, under the manual
// clock. A journey acts only by mouse, keyboard and touch and reads mails on the Test inbox page; the harness makes
// the workspace, moves the clock and hands in the events that a customer's application would send.
//
// Journeys run when LEJEK_CHROMIUM names a browser, as make test and make e2e arrange; without it they say so.
package e2e
