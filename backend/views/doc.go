// Package views reads what people look at: event log, runs, messages, timelines, counts. Its queries cross the aggregates that other packages
// own; nothing here changes anything. Lists are paged by keyset, newest first, and always within one workspace.
package views
