// Package sample fills an empty installation with Studio Aurora, a yoga and massage studio in Kraków: people, funnels and
// three weeks of life, so that a newcomer sees the product at work before drawing anything.
//
// Nothing is written by hand into tables. The story is played through the domain packages under a manual clock that runs from three
// weeks ago to now: people sign up, carts are left, waits end, mails arrive in the Test inbox, some are opened. Everything is drawn from
// one seed, relative to the clock, and lands in one transaction: it is there whole or not at all, and no worker sees the past
// happen.
//
// The workspace is a sandbox: nothing of it can leave.
package sample
