package ai

// node is a beat of the script with what depends on it.
type node struct {
	beat

	then, other []node
}

// tree nests a script: what follows a question belongs to its answer, until the sentence ends or another answer begins.
func tree(script []beat) []node {
	p := &parser{script: script}
	return p.sequence(nil)
}

type parser struct {
	script []beat
	i      int
}

// sequence reads beats up to the end of what the question above reaches.
func (p *parser) sequence(question *beat) []node {
	var out []node
	for p.i < len(p.script) {
		if question != nil && question.reach > 0 && len(out) >= question.reach {
			return out
		}
		b := p.script[p.i]
		switch b.kind {
		case breakBeat:
			if question != nil && len(out) > 0 && !p.goesOn(question) {
				return out
			}
			p.i++
		case elseBeat:
			if question != nil {
				return out
			}
			p.i++
		case condBeat:
			if question != nil && p.beside(question, b, out) {
				return out
			}
			p.i++
			out = append(out, p.question(b))
		default:
			p.i++
			out = append(out, node{beat: b})
		}
	}
	return out
}

// question reads both answers of a condition.
func (p *parser) question(b beat) node {
	n := node{beat: b}
	n.then = p.sequence(&b)
	at := p.i
	for at < len(p.script) && p.script[at].kind == breakBeat {
		at++
	}
	if at < len(p.script) && (p.script[at].kind == elseBeat || p.opposite(b, p.script[at])) {
		p.i = at + 1
		n.other = p.sequence(&b)
		if len(n.then) == 0 { // "attendees and no-shows get different emails": what is said once goes for both
			n.then = n.other
		}
	}
	return n
}

// opposite tells whether a question is the other answer of the one before: "if they click ..., if they do not click ...".
func (p *parser) opposite(a, b beat) bool {
	return b.kind == condBeat && b.cond.event == a.cond.event && b.cond.ref == a.cond.ref && b.cond.op == a.cond.op && b.cond.value == a.cond.value && b.cond.not != a.cond.not && b.cond.within == 0
}

// beside tells whether a question stands beside the one above, not below it.
func (p *parser) beside(above *beat, b beat, out []node) bool {
	if len(out) == 0 {
		return above.cond.event == b.cond.event && !above.cond.not
	}
	return !above.cond.not || p.opposite(*above, b)
}

// goesOn tells whether the answer to a denied question goes on in the next sentence: "... Then again after 3 hours".
func (p *parser) goesOn(question *beat) bool {
	at := p.i
	for at < len(p.script) && p.script[at].kind == breakBeat {
		at++
	}
	if at >= len(p.script) {
		return false
	}
	next := p.script[at]
	return question.cond.not && next.kind == sendBeat && (next.again || next.timed && next.time.kind == gapTiming)
}
