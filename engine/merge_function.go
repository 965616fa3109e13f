package engine

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Function describes a function of merge text to the interface.
type Function struct {
	Name      string `json:"name"`
	Signature string `json:"signature"`
	Help      string `json:"help"`
}

// function is a row of the table. Apply never meets a missing value or argument.
type function struct {
	Function

	least, most int // arguments, the value included
	apply       func(scope *MergeScope, value any, rest []any) (any, error)
}

var functions = []function{
	{Function{"default", `value | default("there")`, "The value, or this instead when it is missing."}, 2, 2, nil},
	{Function{"upper", `value | upper`, "In capital letters."}, 1, 1, onText(strings.ToUpper)},
	{Function{"lower", `value | lower`, "In small letters."}, 1, 1, onText(strings.ToLower)},
	{Function{"capitalize", `value | capitalize`, "With a capital first letter."}, 1, 1, onText(capitalize)},
	{Function{"trim", `value | trim`, "Without spaces around it."}, 1, 1, onText(strings.TrimSpace)},
	{Function{"truncate", `value | truncate(40)`, "At most so many characters, ending in …"}, 2, 2, truncate},
	{Function{"money", `value | money("PLN")`, "As an amount of money, the way the person's language writes it."}, 1, 2, money},
	{Function{"date", `value | date("2 January 2006")`, "A date written like the example 2 January 2006, in the person's zone."}, 1, 2, date},
	{Function{"number", `value | number(2)`, "A number with so many decimals, grouped."}, 1, 2, number},
	{Function{"plural", `value | plural("item", "items")`, "The word that fits the number; three words in Polish and Russian."}, 3, 4, plural},
	{Function{"join", `list | join(", ")`, "The elements of a list, with this between them."}, 1, 2, join},
	{Function{"first", `list | first`, "The first element of a list."}, 1, 1, nth(false)},
	{Function{"last", `list | last`, "The last element of a list."}, 1, 1, nth(true)},
	{Function{"size", `list | size`, "How many elements, or characters."}, 1, 1, size},
}

var functionIndex = func() map[string]*function {
	index := make(map[string]*function, len(functions))
	for i := range functions {
		index[functions[i].Name] = &functions[i]
	}
	return index
}()

// Functions lists the functions of merge text in the order the interface offers them.
func Functions() []Function {
	list := make([]Function, len(functions))
	for i := range functions {
		list[i] = functions[i].Function
	}
	return list
}

func functionNames() []string {
	names := make([]string, len(functions))
	for i := range functions {
		names[i] = functions[i].Name
	}
	return names
}

// evaluator applies the function; a missing value or argument makes the result missing.
func (f *function) evaluator(value evaluator, rest []evaluator) evaluator {
	return func(run *mergeRun) (any, error) {
		found, err := value(run)
		if err != nil || isMissing(found) {
			return nil, err
		}
		arguments := make([]any, len(rest))
		for i, argument := range rest {
			if arguments[i], err = argument(run); err != nil || arguments[i] == nil {
				return nil, err
			}
		}
		return f.apply(run.scope, found, arguments)
	}
}

func onText(change func(string) string) func(*MergeScope, any, []any) (any, error) {
	return func(scope *MergeScope, value any, _ []any) (any, error) {
		text, ok := display(value, scope)
		if !ok {
			return nil, wrongType("a group of values is not a text")
		}
		return change(text), nil
	}
}

func capitalize(text string) string {
	first, length := utf8.DecodeRuneInString(text)
	return string(unicode.ToTitle(first)) + text[length:]
}

func truncate(scope *MergeScope, value any, rest []any) (any, error) {
	length, err := whole("truncate", rest[0], 1, 10_000)
	if err != nil {
		return nil, err
	}
	text, ok := display(value, scope)
	if !ok {
		return nil, wrongType("truncate needs a text")
	}
	return shorten(text, length), nil
}

// amount takes a number, or a text that is nothing but one: many applications send amounts as texts.
func amount(name string, value any) (float64, error) {
	if number, ok := numberOf(value); ok {
		return number, nil
	}
	if text, ok := value.(string); ok {
		if number, err := strconv.ParseFloat(strings.TrimSpace(text), 64); err == nil && number-number == 0 {
			return number, nil
		}
	}
	return 0, wrongType("%s needs a number, not %s", name, say(value))
}

func whole(name string, value any, least, most int) (int, error) {
	number, ok := numberOf(value)
	if n := int(number); ok && float64(n) == number && n >= least && n <= most {
		return n, nil
	}
	return 0, wrongType("%s takes a whole number from %d to %d, not %s", name, least, most, say(value))
}

func number(scope *MergeScope, value any, rest []any) (any, error) {
	x, err := amount("number", value)
	if err != nil {
		return nil, err
	}
	decimals := -1
	if len(rest) > 0 {
		if decimals, err = whole("number", rest[0], 0, 10); err != nil {
			return nil, err
		}
	}
	return localNumber(x, decimals, scope.language()), nil
}

func money(scope *MergeScope, value any, rest []any) (any, error) {
	x, err := amount("money", value)
	if err != nil {
		return nil, err
	}
	var currency string
	if scope != nil {
		currency = scope.Currency
	}
	if len(rest) > 0 {
		currency, _ = rest[0].(string)
	}
	if currency = strings.ToUpper(currency); len(currency) != 3 {
		return nil, wrongType("money needs a currency of three letters, such as money(\"PLN\")")
	}
	return localMoney(x, currency, scope.language()), nil
}

func date(scope *MergeScope, value any, rest []any) (any, error) {
	when, ok := readDate(value)
	if !ok {
		return nil, wrongType("date needs a date, not %s", say(value))
	}
	layout := "2 January 2006"
	if len(rest) > 0 {
		if layout, ok = rest[0].(string); !ok || len(layout) > 100 {
			return nil, wrongType("date takes an example of at most 100 characters, such as date(\"2 January 2006\")")
		}
	}
	face := when.at.In(scope.zone())
	if when.at.IsZero() { // a day or a local time is the same in every zone
		face = time.Date(when.day.Year, when.day.Month, when.day.Day, 0, 0, 0, 0, time.UTC).Add(when.clock)
	}
	return formatDate(face, layout, scope.language()), nil
}

func plural(scope *MergeScope, value any, rest []any) (any, error) {
	if list, ok := value.([]any); ok {
		value = float64(len(list))
	}
	x, err := amount("plural", value)
	if err != nil {
		return nil, err
	}
	form := min(pluralForm(x, scope.language()), len(rest)-1)
	return rest[form], nil
}

func join(_ *MergeScope, value any, rest []any) (any, error) {
	list, ok := value.([]any)
	if !ok {
		return nil, wrongType("join needs a list, not %s", say(value))
	}
	separator := ", "
	if len(rest) > 0 {
		if separator, ok = rest[0].(string); !ok || len(separator) > 100 {
			return nil, wrongType("join takes a short text to put between the elements")
		}
	}
	size := 0
	for _, element := range list {
		text, _ := textOf(element)
		if size += len(text) + len(separator); size > maxHoleOutput {
			return nil, &MergeError{Fault: MergeTooLong, Message: fmt.Sprintf("the list is longer than %d KB", maxHoleOutput/1024)}
		}
	}
	text, ok := joined(list, separator)
	if !ok {
		return nil, wrongType("join needs a list of texts or numbers")
	}
	return text, nil
}

func nth(fromEnd bool) func(*MergeScope, any, []any) (any, error) {
	return func(_ *MergeScope, value any, _ []any) (any, error) {
		list, ok := value.([]any)
		if !ok {
			return nil, wrongType("this needs a list, not %s", say(value))
		}
		if fromEnd {
			return list[len(list)-1], nil // a missing list, so an empty one too, does not get here
		}
		return list[0], nil
	}
}

func size(_ *MergeScope, value any, _ []any) (any, error) {
	switch v := value.(type) {
	case []any:
		return float64(len(v)), nil
	case map[string]any:
		return float64(len(v)), nil
	}
	text, _ := textOf(value)
	return float64(utf8.RuneCountInString(text)), nil
}
