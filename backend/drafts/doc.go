// Package drafts turns a sentence into a proposal for a funnel, for the API and the command line. It gives package ai what
// that must not have: an HTTP client, the operator's endpoints, and the names of a workspace. A draft is the result of a task;
// nothing else is written.
package drafts
