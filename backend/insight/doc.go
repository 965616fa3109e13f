// Package insight reads what funnels did to people: which arm of a split leads to more goals and how sure that is, what a hold-out
// shows, and the ways people take from one event to the next. It only reads.
package insight
