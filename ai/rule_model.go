package ai

import (
	"context"
	_ "embed" // prompts are files
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/lejek/lejek/engine"
)

//go:embed prompts/rule.txt
var rulePrompt string

// RuleTokens is what a rule is reckoned to take at most.
func RuleTokens(prompt string) int { return 4000 + 2*EstimateTokens(prompt) }

// Rule reads who is meant by a sentence, by a model or else by the built-in reader. It always answers.
func (d *Drafter) Rule(ctx context.Context, req Request) RuleDraft {
	if len(d.endpoints) == 0 {
		return DraftRule(req)
	}
	if _, refused := screen(req); refused {
		return DraftRule(req)
	}
	ctx, cancel := context.WithTimeout(ctx, quickTime)
	defer cancel()
	a := &attempt{d: d, req: req, set: Setting{Kinds: d.kinds, Workspace: req.Workspace, Language: answerLanguage(req, read(req.Prompt, req.Language))}, lost: "rule_"}
	a.say = sayIn(a.set.Language)
	t := inTurn(ctx, d.endpoints, quickPrimary, a.askRule)
	if t.no != nil {
		return RuleDraft{Engine: t.by.provider.Model, Language: a.set.Language, Ignored: []string{req.Prompt}, Notes: []string{a.declined(t.by, t.no).Message}}
	}
	out := t.got
	if t.by == nil {
		out = DraftRule(req)
	}
	if t.first != nil {
		out.Notes = slices.Insert(out.Notes, 0, a.failed(t.first, t.by))
	}
	return out
}

// Explain says why no model was asked: quota or off. That none is connected is said by the engine's name.
func (d *RuleDraft) Explain(why string) {
	d.Why = why
	if line := sayIn(d.Language).line("rule_" + why); line != "rule_"+why {
		d.Notes = append(d.Notes, line)
	}
}

// ruleSchema is the form of a written rule: the same for everybody, so that a provider reads it once.
var ruleSchema = func() json.RawMessage {
	yesNo := raw(`{"type":"boolean"}`)
	match := enum("all", "any")
	ops := make([]string, 0, 22)
	for _, o := range engine.Operators() {
		ops = append(ops, string(o.Op))
	}
	return json.RawMessage(object(
		member{"name", text}, member{"match", match},
		member{"groups", list(object(member{"match", match}, member{"conditions", list(anyOf(
			object(member{"event", text}, member{"not", yesNo}, member{"agg", enum("count", "sum", "min", "max", "avg", "first", "last")}, member{"property", textNull},
				member{"op", enum(ops...)}, member{"value", textNull}, member{"within_n", wholeN}, member{"within_unit", raw(`{"type":["string","null"]}`)}, member{"because", text}),
			object(member{"tag", text}, member{"not", yesNo}, member{"because", text}),
			object(member{"list", text}, member{"not", yesNo}, member{"because", text}),
			object(member{"segment", text}, member{"not", yesNo}, member{"because", text}),
			object(member{"field", text}, member{"not", yesNo}, member{"op", enum(ops...)}, member{"value", textNull}, member{"because", text}),
			object(member{"consent", enum("email", "sms", "push", "letter", "whatsapp")}, member{"not", yesNo}, member{"state", enum("granted", "denied", "unknown")}, member{"because", text}),
		))}))},
		member{"assumptions", list(text)}, member{"not_understood", list(text)},
	))
}()

// toldEvents are the events of Lejek's own that sentences about people speak of.
var toldEvents = []string{
	engine.EventPaymentMade, engine.EventBookingMade, engine.EventFormSubmitted, engine.EventPageVisited, "message_sent", "message_opened", "link_clicked", "message_replied",
	"contact_created", "list_joined", "goal_reached", "booking_cancelled", "payment_refunded", "unsubscribed",
}

// toldFields are what is known of people, with its type: the built-in fields, and those most like something in the sentence.
func toldFields(req Request) map[string]string {
	out := map[string]string{}
	for _, f := range engine.BuiltinFields() {
		out[f.Key] = f.Type
	}
	if ws := req.Workspace; ws != nil {
		for _, key := range mostAlike(mapped(ws.Fields, func(f engine.ContactField) string { return f.Key }), saidIn(req.Prompt), namesEach) {
			out[key], _ = ws.FieldType(key)
		}
	}
	return out
}

// toldProperties are those of the application's own events that are most like something in the sentence.
func toldProperties(req Request) map[string][]string {
	if req.Workspace == nil {
		return nil
	}
	out := map[string][]string{}
	for _, name := range mostAlike(sortedKeys(req.Workspace.Events), saidIn(req.Prompt), namesEach) {
		if props := req.Workspace.Events[name]; len(props) > 0 {
			out[name] = mostAlike(props, saidIn(req.Prompt), namesEach)
		}
	}
	return out
}

func ruleCall(req Request, lang string) call {
	var schema struct {
		Properties struct {
			Groups struct {
				Items struct {
					Properties struct {
						Conditions struct {
							Items struct {
								AnyOf []json.RawMessage `json:"anyOf"`
							} `json:"items"`
						} `json:"conditions"`
					} `json:"properties"`
				} `json:"items"`
			} `json:"groups"`
		} `json:"properties"`
	}
	if err := json.Unmarshal(ruleSchema, &schema); err != nil {
		panic(err) // it is ours
	}
	var conditions strings.Builder
	for _, c := range schema.Properties.Groups.Items.Properties.Conditions.Items.AnyOf {
		conditions.WriteString("- " + skeleton(shape(c)) + "\n")
	}
	return call{
		name: "rule", schema: ruleSchema, maxTokens: 1200,
		system: strings.NewReplacer("{{conditions}}", strings.TrimSpace(conditions.String()), "{{events}}", strings.Join(toldEvents, ", "), "{{lang}}", lang).Replace(rulePrompt),
		user: section("workspace", workspaceNames(req.Workspace, req.Prompt)) + section("fields", toldFields(req)) + section("properties", toldProperties(req)) +
			section("sentence", req.Prompt),
	}
}

// askRule gets a rule from one endpoint and sends it back once with what is wrong with it.
func (a *attempt) askRule(ctx context.Context, e *endpoint) (RuleDraft, *failure) {
	base := ruleCall(a.req, a.set.Language)
	question := base
	var best *readRule
	trouble := ""
	for range 2 {
		reply, err := e.complete(ctx, question)
		if err != nil {
			if best != nil {
				break // what holds stands, whatever happens to a wish for a better one
			}
			return RuleDraft{}, failureOf(ctx, err)
		}
		var problems []engine.Problem
		var came writtenRule
		body, err := objectIn([]byte(reply))
		if err == nil {
			err = unmarshal(body, &came)
		}
		if err != nil {
			trouble, problems = a.say.line("why_json"), []engine.Problem{{Code: "FORM", Message: err.Error()}}
		} else {
			got := a.judgeRule(came)
			problems = got.problems
			if got.rule != nil && (best == nil || len(got.problems) <= len(best.problems)) {
				best = got
			}
			if len(problems) > 0 {
				trouble = problems[0].Code
			}
			if got.rule == nil && len(problems) == 0 {
				return a.ruleDraft(e, got), nil // it understood nothing, and says so
			}
		}
		if len(problems) == 0 {
			break
		}
		question = repairCall(base, reply, problemLines(problems, nil), nil)
	}
	if best == nil {
		return RuleDraft{}, &failure{why: whyJSON, detail: tidyText(trouble, 160)}
	}
	return a.ruleDraft(e, best), nil
}

func (a *attempt) ruleDraft(e *endpoint, r *readRule) RuleDraft {
	out := RuleDraft{Engine: e.provider.Model, Language: a.set.Language, Ignored: r.ignored, Notes: []string{}}
	if r.rule == nil {
		if len(out.Ignored) == 0 {
			out.Ignored = []string{a.req.Prompt}
		}
		return out
	}
	out.Rule, out.Name = quote(r.rule), capital(tidyText(strings.TrimSpace(r.name), 60))
	if out.Name == "" {
		out.Name = capital(short(oneLine(a.req.Prompt), 60))
	}
	for _, s := range r.assumptions[:min(len(r.assumptions), 4)] {
		if s = tidyText(s, 200); strings.TrimSpace(s) != "" {
			out.Notes = append(out.Notes, s)
		}
	}
	return out
}

// numbersLost are the numbers of a sentence that neither the rule nor what was not understood speaks of.
func numbersLost(prompt string, r *readRule) []string {
	said := string(quote(r.rule)) + " " + strings.Join(r.ignored, " ")
	var lost []string
	for _, t := range tokenize(prompt) {
		if t.kind != aNumber || slices.Contains(lost, t.raw) {
			continue
		}
		found := strings.Contains(said, t.raw)
		for _, times := range []float64{1, 7, 30, 24, 60, 365} { // told in another unit
			found = found || strings.Contains(said, strconv.FormatFloat(t.num*times, 'f', -1, 64))
		}
		if !found {
			lost = append(lost, t.raw)
		}
	}
	return lost
}
