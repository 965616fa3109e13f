// Package aitest is a fake OpenAI-compatible server on a real socket, for tests that want to know what Lejek does when a model
// answers well, badly or not at all. Replies are scripted; what was asked is kept.
package aitest
