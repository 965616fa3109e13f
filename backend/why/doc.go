// Package why says in one sentence why a person is in a funnel, is not, or waits there, with the values that decided and the next
// instant at which something may change; and whether they would enter now. It reads what was decided when it was decided: reactions of
// events, the journal, the reasons of messages, the state of the run. Only "now" is asked anew, of the same engine. It locks and
// changes nothing.
//
// A sentence is a code with parameters, and its text in English, Polish and Russian (words.go); instants are told in the person's zone.
package why
