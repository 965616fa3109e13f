package engine

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/parser"
	"github.com/expr-lang/expr/parser/lexer"
)

// evaluator computes one part of an expression; nil is missing. Each runs at most once per render.
type evaluator func(*mergeRun) (any, error)

// mergeRun is one evaluation of one hole.
type mergeRun struct {
	scope   *MergeScope
	missing string // the first variable found missing
}

// parseHole reads one expression with expr's parser and compiles the allowed part of its syntax. Base is the byte of the
// text at which the source starts.
func parseHole(source string, base int) (*Hole, error) {
	hole := &Hole{Source: strings.TrimSpace(source)}
	if hole.Source == "" {
		return nil, syntaxError(source, base, "it is empty. Write a variable, such as {{ first_name }}")
	}
	if len(source) > maxHoleText {
		return nil, syntaxError(source, base, fmt.Sprintf("it is longer than %d characters", maxHoleText))
	}
	called, inserted, err := callPipes(source)
	if err == nil {
		var tree *parser.Tree
		if tree, err = parser.Parse(called); err == nil {
			c := &holeCompiler{source: []rune(source), base: base, inserted: inserted, hole: hole, seen: map[ast.Node]bool{}}
			hole.eval, err = c.compile(tree.Node, use{})
			if err == nil && isList(tree.Node) {
				err = c.refuse(tree.Node, "a list is no text. Join it, as in [1, 2] | join(\", \")")
			}
			if err == nil {
				return hole, nil
			}
		}
	}
	if located, ok := errors.AsType[*file.Error](err); ok {
		runes := []rune(source)
		at := min(original(located.From, inserted), len(runes))
		near := strings.TrimSpace(shorten(string(runes[at:]), 20))
		if near == "" {
			return nil, syntaxError(source, base, "it ends too early")
		}
		return nil, syntaxError(source, base+len(string(runes[:at])), fmt.Sprintf("look near %q", near))
	}
	return nil, err
}

func syntaxError(hole string, offset int, why string) *MergeError {
	hole = strings.TrimSpace(hole)
	return &MergeError{Fault: MergeSyntax, Hole: hole, Offset: offset,
		Message: fmt.Sprintf("{{ %s }} cannot be read: %s.", shorten(hole, 80), why)}
}

// callPipes writes "a | upper" as "a | upper()", which expr's grammar wants, and tells at which runes it inserted.
func callPipes(source string) (called string, inserted []int, err error) {
	tokens, err := lexer.Lex(file.NewSource(source))
	if err != nil {
		return "", nil, err
	}
	runes := []rune(source)
	var out strings.Builder
	done := 0
	for i := 1; i < len(tokens); i++ {
		piped := tokens[i-1].Is(lexer.Operator, "|") && tokens[i].Is(lexer.Identifier)
		if !piped || i+1 < len(tokens) && tokens[i+1].Is(lexer.Bracket, "(") {
			continue
		}
		end := min(tokens[i].To, len(runes))
		out.WriteString(string(runes[done:end]) + "()")
		inserted = append(inserted, end)
		done = end
	}
	out.WriteString(string(runes[done:]))
	return out.String(), inserted, nil
}

// original maps a rune of the text that callPipes wrote back to the source.
func original(at int, inserted []int) int {
	for i, end := range slices.Backward(inserted) {
		if at > end+2*i {
			return at - 2*(i+1)
		}
	}
	return at
}

// holeCompiler turns the syntax tree of one hole into an evaluator.
type holeCompiler struct {
	source   []rune
	base     int
	inserted []int
	hole     *Hole
	seen     map[ast.Node]bool
}

// use tells how the value of a part is used: Guarded, a missing value is provided for; present, the variables a
// condition around the part has found to be there.
type use struct {
	guarded bool
	present []string
}

func (c *holeCompiler) offset(node ast.Node) int {
	at := min(original(node.Location().From, c.inserted), len(c.source))
	return c.base + len(string(c.source[:at]))
}

func (c *holeCompiler) refuse(node ast.Node, format string, args ...any) error {
	return syntaxError(string(c.source), c.offset(node), fmt.Sprintf(format, args...))
}

// compile allows what Merge names and refuses the rest. The parser shares a node between the halves of "a < b < c", which
// would make the cost of nested ones double with each, so no node is taken twice.
func (c *holeCompiler) compile(node ast.Node, u use) (evaluator, error) {
	if c.seen[node] {
		return nil, c.refuse(node, "compare two values at a time")
	}
	c.seen[node] = true
	if len(c.seen) > maxHoleNodes {
		return nil, c.refuse(node, "it has more than %d parts", maxHoleNodes)
	}
	switch n := node.(type) {
	case *ast.NilNode:
		return constant(nil), nil
	case *ast.IntegerNode:
		return constant(float64(n.Value)), nil
	case *ast.FloatNode:
		return constant(n.Value), nil
	case *ast.BoolNode:
		return constant(n.Value), nil
	case *ast.StringNode:
		return constant(n.Value), nil
	case *ast.ChainNode:
		return c.compile(n.Node, u)
	case *ast.IdentifierNode, *ast.MemberNode:
		return c.variable(node, u)
	case *ast.UnaryNode:
		return c.unary(n, u)
	case *ast.BinaryNode:
		return c.binary(n, u)
	case *ast.ConditionalNode:
		return c.conditional(n, u)
	case *ast.ArrayNode:
		return c.list(n, u)
	case *ast.CallNode:
		name, ok := n.Callee.(*ast.IdentifierNode)
		if !ok {
			return nil, c.refuse(node, "only functions can be called")
		}
		return c.call(n, name.Value, n.Arguments, u)
	case *ast.BuiltinNode:
		return c.call(n, n.Name, n.Arguments, u)
	default:
		return nil, c.refuse(node, "this is not allowed here. Use variables, comparisons and functions")
	}
}

func constant(v any) evaluator { return func(*mergeRun) (any, error) { return v, nil } }

// variable compiles a path such as event.cart.items[0].name.
func (c *holeCompiler) variable(node ast.Node, u use) (evaluator, error) {
	steps, err := c.path(node)
	if err != nil {
		return nil, err
	}
	path := strings.Join(steps, ".")
	guarded := u.guarded || slices.Contains(u.present, path)
	c.hole.Refs = append(c.hole.Refs, Ref{Path: path, Offset: c.offset(root(node)), HasFallback: guarded})
	return func(run *mergeRun) (any, error) {
		value := run.scope.find(steps)
		if isMissing(value) {
			if run.missing == "" && !guarded {
				run.missing = path
			}
			return nil, nil
		}
		return value, nil
	}, nil
}

func root(node ast.Node) ast.Node {
	for {
		switch n := node.(type) {
		case *ast.MemberNode:
			node = n.Node
		case *ast.ChainNode:
			node = n.Node
		default:
			return node
		}
	}
}

func (c *holeCompiler) path(node ast.Node) ([]string, error) {
	switch n := node.(type) {
	case *ast.IdentifierNode:
		return []string{n.Value}, nil
	case *ast.ChainNode:
		return c.path(n.Node)
	case *ast.MemberNode:
		steps, err := c.path(n.Node)
		if err != nil {
			return nil, err
		}
		switch property := n.Property.(type) {
		case *ast.StringNode:
			return append(steps, property.Value), nil
		case *ast.IntegerNode:
			return append(steps, strconv.Itoa(property.Value)), nil
		}
	}
	return nil, c.refuse(node, "a variable is written as event.total or event.items[0].name")
}

func (c *holeCompiler) unary(n *ast.UnaryNode, u use) (evaluator, error) {
	refs := len(c.hole.Refs)
	switch n.Operator {
	case "!", "not":
		inner, err := c.compile(n.Node, use{guarded: true})
		if err != nil {
			return nil, err
		}
		return func(run *mergeRun) (any, error) {
			value, err := inner(run)
			return !holds(value), err
		}, nil
	case "-", "+":
		inner, err := c.compile(n.Node, u)
		if err != nil {
			return nil, err
		}
		signed := arithmetic(n.Operator, constant(0.0), inner)
		if len(c.hole.Refs) == refs {
			c.probe(n, signed)
		}
		return signed, nil
	default:
		return nil, c.refuse(n, "%q is not known", n.Operator)
	}
}

func (c *holeCompiler) binary(n *ast.BinaryNode, u use) (evaluator, error) {
	left, right := u, u
	switch n.Operator {
	case "??":
		left.guarded = true
		c.hole.hasFallback = true
	case "+", "-", "*", "/", "%":
	case "and", "&&", "or", "||", "==", "!=", "<", "<=", ">", ">=", "contains", "startsWith", "endsWith", "in":
		left, right = use{guarded: true}, use{guarded: true}
	default:
		return nil, c.refuse(n, "%q is not known", n.Operator)
	}
	refs := len(c.hole.Refs)
	a, err := c.compile(n.Left, left)
	if err != nil {
		return nil, err
	}
	between := len(c.hole.Refs)
	b, err := c.compile(n.Right, right)
	if err != nil {
		return nil, err
	}
	switch n.Operator {
	case "??":
		return fallback(a, b), nil
	case "+", "-", "*", "/", "%":
		c.probe(n, arithmetic(n.Operator, written(a, between == refs, 1.0), written(b, len(c.hole.Refs) == between, 1.0)))
		return c.reckoned(n, arithmetic(n.Operator, a, b))
	case "and", "&&":
		return logic(a, b, false), nil
	case "or", "||":
		return logic(a, b, true), nil
	default:
		return comparison(n.Operator, a, b), nil
	}
}

// isList tells that a part is a written list for somebody.
func isList(node ast.Node) bool {
	switch n := node.(type) {
	case *ast.ArrayNode:
		return true
	case *ast.ConditionalNode:
		return isList(n.Exp1) || isList(n.Exp2)
	case *ast.BinaryNode:
		return n.Operator == "??" && (isList(n.Left) || isList(n.Right))
	default:
		return false
	}
}

func (c *holeCompiler) conditional(n *ast.ConditionalNode, u use) (evaluator, error) {
	if !n.Ternary {
		return nil, c.refuse(n, "write a choice as condition ? this : that")
	}
	before := len(c.hole.Refs)
	condition, err := c.compile(n.Cond, use{guarded: true})
	if err != nil {
		return nil, err
	}
	inner := use{guarded: u.guarded, present: slices.Clone(u.present)}
	for _, ref := range c.hole.Refs[before:] {
		inner.present = append(inner.present, ref.Path)
	}
	yes, err := c.compile(n.Exp1, inner)
	if err != nil {
		return nil, err
	}
	no, err := c.compile(n.Exp2, inner)
	if err != nil {
		return nil, err
	}
	c.hole.hasFallback = true
	return func(run *mergeRun) (any, error) {
		value, err := condition(run)
		if err != nil {
			return nil, err
		}
		if holds(value) {
			return yes(run)
		}
		return no(run)
	}, nil
}

func (c *holeCompiler) list(n *ast.ArrayNode, u use) (evaluator, error) {
	parts, err := c.all(n.Nodes, u)
	if err != nil {
		return nil, err
	}
	return func(run *mergeRun) (any, error) {
		values := make([]any, len(parts))
		for i, part := range parts {
			var err error
			if values[i], err = part(run); err != nil {
				return nil, err
			}
		}
		return values, nil
	}, nil
}

func (c *holeCompiler) all(nodes []ast.Node, u use) ([]evaluator, error) {
	parts := make([]evaluator, len(nodes))
	for i, node := range nodes {
		var err error
		if parts[i], err = c.compile(node, u); err != nil {
			return nil, err
		}
	}
	return parts, nil
}

func (c *holeCompiler) call(node ast.Node, name string, arguments []ast.Node, u use) (evaluator, error) {
	function := functionIndex[name]
	if function == nil {
		if near := Nearest(name, functionNames()); near != "" {
			return nil, c.refuse(node, "there is no function %q. Did you mean %q?", name, near)
		}
		return nil, c.refuse(node, "there is no function %q. There are %s", name, strings.Join(functionNames(), ", "))
	}
	if len(arguments) < function.least || len(arguments) > function.most {
		return nil, c.refuse(node, "%s is written as %s", name, function.Signature)
	}
	first := u
	if name == "default" {
		first.guarded = true
		c.hole.hasFallback = true
	}
	refs := len(c.hole.Refs)
	value, err := c.compile(arguments[0], first)
	if err != nil {
		return nil, err
	}
	between := len(c.hole.Refs)
	rest, err := c.all(arguments[1:], u)
	if err != nil {
		return nil, err
	}
	if name == "default" {
		return fallback(value, rest[0]), nil
	}
	if len(c.hole.Refs) == between {
		c.probe(node, function.evaluator(written(value, between == refs, function.sample()), rest))
	}
	return function.evaluator(value, rest), nil
}
