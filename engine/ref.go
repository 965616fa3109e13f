package engine

import (
	"regexp"
	"strings"
)

// slugs name things of a workspace and steps of a funnel.
var slugPattern = regexp.MustCompile(`^[a-z0-9][a-z0-9_.-]{0,63}$`)

// slugOf takes the kind off a reference: "tag:vip" is "vip". A bare slug is itself.
func slugOf(ref string) string {
	if _, slug, found := strings.Cut(ref, ":"); found {
		return slug
	}
	return ref
}

// refTo tells whether ref names something of the given kind, such as "tag:vip" of "tag", and which.
func refTo(kind, ref string) (slug string, ok bool) {
	slug, found := strings.CutPrefix(ref, kind+":")
	return slug, found && slugPattern.MatchString(slug)
}
