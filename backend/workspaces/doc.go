// Package workspaces makes tenants and keeps their settings: name, zone, language, postal address, senders, and whether anything leaves at
// all. Names of people and things inside a workspace (tags, lists, topics, fields) belong to package people.
package workspaces
