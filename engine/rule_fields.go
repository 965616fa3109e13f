package engine

import (
	"slices"
	"strings"
)

// builtinFields are the fields every contact has, in the order of the interface.
var builtinFields = []ContactField{
	{Key: "email", Type: "text", Label: "E-mail"},
	{Key: "phone", Type: "text", Label: "Phone"},
	{Key: "first_name", Type: "text", Label: "First name"},
	{Key: "last_name", Type: "text", Label: "Last name"},
	{Key: "external_id", Type: "text", Label: "External id"},
	{Key: "language", Type: "text", Label: "Language"},
	{Key: "zone", Type: "text", Label: "Time zone"},
	{Key: "source", Type: "text", Label: "Source"},
	{Key: "created_at", Type: "date", Label: "Created"},
}

// BuiltinFields lists the fields every contact has. They cannot be defined again by a workspace.
func BuiltinFields() []ContactField { return slices.Clone(builtinFields) }

// IsBuiltinField tells whether every contact has the field.
func IsBuiltinField(key string) bool {
	return slices.ContainsFunc(builtinFields, func(f ContactField) bool { return f.Key == key })
}

// ContactFields lists the built-in fields and then those of the workspace.
func (w *Workspace) ContactFields() []ContactField {
	fields := BuiltinFields()
	if w != nil {
		fields = append(fields, w.Fields...)
	}
	return fields
}

// FieldType is the type of a contact field: text, number, boolean or date; ok is false for an unknown one.
func (w *Workspace) FieldType(key string) (fieldType string, ok bool) {
	for _, f := range w.ContactFields() {
		if f.Key == key {
			return f.Type, true
		}
	}
	return "", false
}

// knownProps lists the properties that events of any of the names are known to have. ok is false if one of the names has
// no known properties, so that nothing can be said against a property.
func (w *Workspace) knownProps(names []string) (props []string, ok bool) {
	if w == nil || len(names) == 0 {
		return nil, false
	}
	for _, name := range names {
		of := w.Events[name]
		if len(of) == 0 {
			return nil, false
		}
		props = append(props, of...)
	}
	slices.Sort(props)
	return slices.Compact(props), true
}

// hasProp tells whether a property path is known: itself, or the group it lies in.
func hasProp(props []string, path string) bool {
	return slices.ContainsFunc(props, func(p string) bool {
		return p == path || strings.HasPrefix(path, p+".") || strings.HasPrefix(p, path+".")
	})
}

// Nearest finds the known name that a mistyped one most likely meant, or "".
func Nearest(name string, known []string) string {
	best, bestDistance := "", 1+max(1, len(name)/3)
	for _, candidate := range known {
		if distance := editDistance(Fold(name), Fold(candidate), bestDistance); distance < bestDistance {
			best, bestDistance = candidate, distance
		}
	}
	return best
}

// editDistance counts the edits (insert, delete, replace, swap of neighbours) between two texts; it gives limit when there
// are at least so many.
func editDistance(from, to string, limit int) int {
	a, b := []rune(from), []rune(to)
	if len(a)-len(b) >= limit || len(b)-len(a) >= limit || len(a) > 200 {
		return limit
	}
	var before, last []int
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		before, last, row = last, row, make([]int, len(b)+1)
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
	}
	return min(row[len(b)], limit)
}
