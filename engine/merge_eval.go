package engine

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// find follows a path from one of the roots: a contact field, event, vars, workspace, unsubscribe_url, view_url.
func (s *MergeScope) find(steps []string) any {
	if s == nil {
		return nil
	}
	rest := steps[1:]
	switch steps[0] {
	case "event":
		return follow(s.Event, rest)
	case "item":
		return follow(s.Item, rest)
	case "vars":
		return follow(s.Vars, rest)
	case "workspace":
		return follow(s.Workspace, rest)
	case "unsubscribe_url":
		return follow(s.UnsubscribeURL, rest)
	case "view_url":
		return follow(s.ViewURL, rest)
	default:
		return follow(s.Fields, steps)
	}
}

// follow takes members of groups and elements of lists; nil where there is none.
func follow(value any, steps []string) any {
	for i, step := range steps {
		switch v := value.(type) {
		case map[string]any:
			if whole, ok := v[strings.Join(steps[i:], ".")]; ok {
				return whole // a property whose own name has dots
			}
			value = v[step]
		case []any:
			index, err := strconv.Atoi(step)
			if err != nil || index < 0 || index >= len(v) {
				return nil
			}
			value = v[index]
		default:
			return nil
		}
	}
	return value
}

// holds tells whether a value counts as true: everything there is but false.
func holds(value any) bool {
	if truth, ok := value.(bool); ok {
		return truth
	}
	return !isMissing(value)
}

func fallback(value, otherwise evaluator) evaluator {
	return func(run *mergeRun) (any, error) {
		found, err := value(run)
		if err != nil || !isMissing(found) {
			return found, err
		}
		return otherwise(run)
	}
}

// logic is "and" or "or"; decided is the truth that makes the second part needless.
func logic(a, b evaluator, decided bool) evaluator {
	return func(run *mergeRun) (any, error) {
		left, err := a(run)
		if err != nil || holds(left) == decided {
			return decided, err
		}
		right, err := b(run)
		return holds(right), err
	}
}

// both evaluates two parts; ok is false when one is missing.
func both(run *mergeRun, a, b evaluator) (left, right any, ok bool, err error) {
	if left, err = a(run); err != nil {
		return nil, nil, false, err
	}
	if right, err = b(run); err != nil {
		return nil, nil, false, err
	}
	return left, right, !isMissing(left) && !isMissing(right), nil
}

func arithmetic(operator string, a, b evaluator) evaluator {
	return func(run *mergeRun) (any, error) {
		left, right, ok, err := both(run, a, b)
		if err != nil || !ok {
			return nil, err
		}
		x, xIs := numberOf(left)
		y, yIs := numberOf(right)
		numeric := xIs && yIs
		if !numeric && operator == "+" {
			return concatenate(left, right, run.scope)
		}
		if !numeric {
			return nil, wrongType("%q needs two numbers, not %s and %s", operator, say(left), say(right))
		}
		var result float64
		switch operator {
		case "+":
			result = x + y
		case "-":
			result = x - y
		case "*":
			result = x * y
		case "/":
			result = x / y
		default:
			result = math.Mod(x, y)
		}
		if math.IsNaN(result) || math.IsInf(result, 0) {
			return nil, wrongType("%s %s %s is not a number", formatNumber(x), operator, formatNumber(y))
		}
		return result, nil
	}
}

func concatenate(left, right any, scope *MergeScope) (any, error) {
	a, aIs := display(left, scope)
	b, bIs := display(right, scope)
	if !aIs || !bIs {
		return nil, wrongType("a group of values cannot be joined to a text")
	}
	if len(a)+len(b) > maxHoleOutput {
		return nil, &MergeError{Fault: MergeTooLong, Message: fmt.Sprintf("the value is longer than %d KB", maxHoleOutput/1024)}
	}
	return a + b, nil
}

func wrongType(format string, args ...any) error {
	return &MergeError{Fault: MergeType, Message: fmt.Sprintf(format, args...)}
}

// comparison is two-valued as in rules: false with a missing value, "!=" being the complement of "==".
func comparison(operator string, a, b evaluator) evaluator {
	return func(run *mergeRun) (any, error) {
		left, right, ok, err := both(run, a, b)
		if err != nil {
			return nil, err
		}
		if operator == "!=" {
			return !ok || !compareValues("==", left, right), nil
		}
		return ok && compareValues(operator, left, right), nil
	}
}

func compareValues(operator string, left, right any) bool {
	if operator == "in" {
		list, ok := right.([]any)
		return ok && slices.ContainsFunc(list, func(v any) bool { return !isMissing(v) && compareValues("==", left, v) })
	}
	if list, ok := left.([]any); ok && operator == "contains" {
		return compareValues("in", right, list)
	}
	x, xIs := numberOf(left)
	y, yIs := numberOf(right)
	if xIs && yIs {
		return ordered(operator, x, y)
	}
	a, aIs := textOf(left)
	b, bIs := textOf(right)
	if !aIs || !bIs || operator != "==" && xIs != yIs {
		return false
	}
	a, b = Fold(a), Fold(b)
	switch operator {
	case "contains":
		return strings.Contains(a, b)
	case "startsWith":
		return strings.HasPrefix(a, b)
	case "endsWith":
		return strings.HasSuffix(a, b)
	default:
		return ordered(operator, a, b)
	}
}

func ordered[T float64 | string](operator string, x, y T) bool {
	switch operator {
	case "==":
		return x == y
	case "<":
		return x < y
	case "<=":
		return x <= y
	case ">":
		return x > y
	case ">=":
		return x >= y
	default:
		return false
	}
}

// display writes a value as a person reads it: a list with commas, an instant as a day; groups cannot be shown.
func display(value any, scope *MergeScope) (string, bool) {
	switch v := value.(type) {
	case nil:
		return "", true
	case time.Time:
		return formatDate(v.In(scope.zone()), "2 January 2006", scope.language()), true
	case []any:
		return joined(v, ", ")
	default:
		return textOf(v)
	}
}

func joined(list []any, separator string) (string, bool) {
	parts := make([]string, 0, len(list))
	for _, element := range list {
		text, ok := textOf(element)
		if !ok && !isMissing(element) {
			return "", false
		}
		if text != "" {
			parts = append(parts, text)
		}
	}
	return strings.Join(parts, separator), true
}

func (s *MergeScope) zone() *time.Location {
	if s == nil || s.Zone == nil {
		return time.UTC
	}
	return s.Zone
}

func (s *MergeScope) language() string {
	if s == nil {
		return ""
	}
	return s.Language
}
