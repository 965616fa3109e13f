// Package rehearse tells what a draft would have done in a past period: who would have come in, what would have been sent by channel and
// day, at which hour most, to whom more than the cap allows. It lives the life of every person anew in virtual time (engine.Life) from
// the recorded events, with the very functions production decides by, and neither writes nor sends anything: it reads in read-only
// transactions, some thousand people at a time, so that memory does not grow with the audience, but for
// the places before a throttle.
//
// What the past does not tell is taken as it is today: fields of people. Tags, lists and consents are taken back to the beginning by the
// events that changed them. Nobody opens or clicks a message that was never sent, and calls come out by their first port. People before
// a throttle wait for each other: a funnel with one is rehearsed by looking at everybody several times. An event that came in late
// counts and starts nothing, as it did then; an imported one is taken as if it had come when it happened, so that a history can be
// rehearsed against. What the funnel itself did in the period is left out.
//
// Run is all that others need: a benchmark gives it a pool, a workspace, a bundle and a period.
package rehearse
