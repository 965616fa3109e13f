package engine

import (
	"errors"
	"slices"

	"github.com/expr-lang/expr/ast"
)

// probe notes that a part of the hole has a value for nobody, whatever their data: what is written in it does not fit. It still compiles,
// because another part may be chosen instead, and a version that was published stays what it is.
func (c *holeCompiler) probe(node ast.Node, eval evaluator) {
	var fault *MergeError
	if _, err := eval(&mergeRun{scope: &MergeScope{Currency: "EUR"}}); c.hole.never == nil && errors.As(err, &fault) {
		errors.As(c.refuse(node, "%s", fault.Message), &c.hole.never)
	}
}

// written is a part without variables as it is; in place of any other stands a value that fits.
func written(part evaluator, plain bool, fits any) evaluator {
	if plain {
		return part
	}
	return constant(fits)
}

// sample is a value the function takes.
func (f *function) sample() any {
	switch f.Name {
	case "date":
		return "2006-01-02"
	case "join", "first", "last":
		return []any{"a"}
	default:
		return 1.0
	}
}

// reckoned refuses arithmetic on numbers that has no answer for anybody, such as 1/0.
func (c *holeCompiler) reckoned(n *ast.BinaryNode, eval evaluator) (evaluator, error) {
	if !isNumber(n.Left) || !isNumber(n.Right) {
		return eval, nil
	}
	var fault *MergeError
	if _, err := eval(&mergeRun{scope: &MergeScope{}}); errors.As(err, &fault) {
		return nil, c.refuse(n, "%s", fault.Message)
	}
	return eval, nil
}

// isNumber tells that a part is a number whoever reads it.
func isNumber(node ast.Node) bool {
	switch n := node.(type) {
	case *ast.IntegerNode, *ast.FloatNode:
		return true
	case *ast.UnaryNode:
		return (n.Operator == "-" || n.Operator == "+") && isNumber(n.Node)
	case *ast.BinaryNode:
		return slices.Contains([]string{"+", "-", "*", "/", "%"}, n.Operator) && isNumber(n.Left) && isNumber(n.Right)
	default:
		return false
	}
}
