// Package watch looks after live funnels once they are published: a trigger that has fallen silent, people stuck at a step, a tag or
// list that was deleted meanwhile, a sender nobody verified, a variable that many of the people inside lack.
//
// A pump's job looks at each live funnel once an hour of business time, and right after it was published. What it finds is a row in
// findings with the instant it began; what it finds no more is resolved and kept. Looking changes nothing else, and two processes never
// look at one funnel at once.
package watch
