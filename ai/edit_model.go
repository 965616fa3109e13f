package ai

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// EditSchema is the JSON schema of an [Edit]. Like that of a plan it depends on the catalogue only.
func (k Kinds) EditSchema() json.RawMessage {
	steps := list(anyOf(k.steps()...))
	ops := anyOf(
		object(member{opPut, enum(putAfter, putBefore, putReplace, putBlock)}, member{"at", text}, member{"port", textNull}, member{"next", textNull}, member{"steps", steps}),
		object(member{opUpdate, text}, member{"fields", list(object(member{"name", text}, member{"value", text}))}),
		object(member{opRemove, text}),
		object(member{opMove, text}, member{"after", text}),
		object(member{opBranch, text}, member{"port", text}, member{"to", text}),
		object(member{opMessage, text}, member{"brief", textNull}, member{"subject", textNull}, member{"body", textNull}, member{"copy_of", textNull}),
		object(member{opReplace, text}, member{"with", text}, member{"in", textNull}),
		object(member{opSetting, enum(settings...)}, member{"value", textNull}),
	)
	return json.RawMessage(object(
		member{"status", enum(string(StatusOps), string(StatusClarify), string(StatusRefuse))},
		member{"plan", text},
		member{"questions", list(object(member{"text", text}, member{"options", list(text)}))},
		member{"reason", textNull},
		member{"ops", list(ops)},
	))
}

var settings = []string{"name", "reentry", "reentry_days", "trigger_kind", "trigger_ref", "trigger_when", "trigger_offset_days"}

// wireOp is every member a written operation can have.
type wireOp struct {
	Put     string            `json:"put"`
	At      string            `json:"at"`
	Port    *string           `json:"port"`
	Next    *string           `json:"next"`
	Steps   []json.RawMessage `json:"steps"`
	Update  string            `json:"update"`
	Fields  []NamedText       `json:"fields"`
	Remove  string            `json:"remove"`
	Move    string            `json:"move"`
	After   string            `json:"after"`
	Branch  string            `json:"branch"`
	To      *string           `json:"to"`
	Message string            `json:"message"`
	Brief   *string           `json:"brief"`
	Subject *string           `json:"subject"`
	Body    *string           `json:"body"`
	CopyOf  *string           `json:"copy_of"`
	Replace string            `json:"replace"`
	With    string            `json:"with"`
	In      *string           `json:"in"`
	Setting string            `json:"setting"`
	Value   *string           `json:"value"`
}

// maxOps is how many operations an edit may have.
const maxOps = 60

// DecodeEdit reads the reply of a model, whatever stands around it.
func DecodeEdit(reply []byte) (Edit, error) {
	body, err := objectIn(reply)
	if err != nil {
		return Edit{}, err
	}
	var w struct {
		Status    Status     `json:"status"`
		Plan      string     `json:"plan"`
		Questions []Question `json:"questions"`
		Reason    *string    `json:"reason"`
		Ops       []wireOp   `json:"ops"`
	}
	if err := unmarshal(body, &w); err != nil {
		return Edit{}, err
	}
	if !slices.Contains([]Status{StatusOps, StatusClarify, StatusRefuse}, w.Status) {
		return Edit{}, fmt.Errorf("status is %q; it must be ops, clarify or refuse", w.Status)
	}
	if len(w.Ops) > maxOps {
		return Edit{}, fmt.Errorf("the edit has more than %d operations", maxOps)
	}
	e := Edit{Status: w.Status, Plan: w.Plan, Questions: w.Questions, Reason: str(w.Reason)}
	for i, o := range w.Ops {
		op, err := o.op()
		if err != nil {
			return Edit{}, fmt.Errorf("ops[%d]: %w", i, err)
		}
		e.Ops = append(e.Ops, op)
	}
	return e, nil
}

func (o wireOp) op() (Op, error) {
	switch {
	case o.Put != "":
		op := Op{Do: opPut, How: o.Put, At: o.At, Port: str(o.Port), Next: str(o.Next)}
		for j, raw := range o.Steps {
			s, err := decodeStep(raw)
			if err != nil {
				return Op{}, fmt.Errorf("steps[%d]: %w", j, err)
			}
			op.Steps = append(op.Steps, s)
		}
		if !slices.Contains([]string{putAfter, putBefore, putReplace, putBlock}, op.How) {
			return Op{}, fmt.Errorf("put is %q; it must be after, before, replace or new_block", o.Put)
		}
		return op, nil
	case o.Update != "":
		return Op{Do: opUpdate, At: o.Update, Fields: o.Fields}, nil
	case o.Remove != "":
		return Op{Do: opRemove, At: o.Remove}, nil
	case o.Move != "":
		return Op{Do: opMove, At: o.Move, After: o.After, Port: str(o.Port)}, nil
	case o.Branch != "":
		return Op{Do: opBranch, At: o.Branch, Port: str(o.Port), To: str(o.To)}, nil
	case o.Message != "":
		return Op{Do: opMessage, At: o.Message, Brief: str(o.Brief), Subject: str(o.Subject), Body: str(o.Body), CopyOf: str(o.CopyOf)}, nil
	case o.Replace != "":
		return Op{Do: opReplace, Find: o.Replace, Text: o.With, At: str(o.In)}, nil
	case o.Setting != "":
		if !slices.Contains(settings, o.Setting) {
			return Op{}, fmt.Errorf("there is no setting %q", o.Setting)
		}
		return Op{Do: opSetting, At: o.Setting, Text: str(o.Value)}, nil
	default:
		return Op{}, fmt.Errorf("the operation has none of the known first members (put, update, remove, move, branch, message, replace, setting)")
	}
}

// encodeSpec writes a plan as models write it, for a model to read.
func encodeSpec(s Spec) any {
	type part struct {
		ID    string   `json:"id"`
		Steps []fields `json:"steps"`
		Next  *string  `json:"next"`
	}
	blocks := make([]part, 0, len(s.Blocks))
	for _, b := range s.Blocks {
		p := part{ID: b.ID, Steps: []fields{}, Next: null(b.Next)}
		for _, step := range b.Steps {
			p.Steps = append(p.Steps, encodeStep(step))
		}
		blocks = append(blocks, p)
	}
	messages := make([]fields, 0, len(s.Messages))
	for _, m := range s.Messages {
		messages = append(messages, fields{"id": m.ID, "says": m.Brief})
	}
	return fields{"trigger": s.Trigger, "reentry": s.Reentry, "blocks": blocks, "messages": messages}
}

func null(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

func encodeStep(s Step) fields {
	var f fields
	switch s.Do {
	case doWait:
		f = fields{"wait": s.Unit, "n": s.N, "at": null(s.At)}
	case doWaitUntil:
		f = fields{"wait_until": s.Event, "ref": null(s.Ref), "timeout_h": s.TimeoutHours, "before_h": s.BeforeHours, "at": null(s.At)}
	case doSendEmail, doSendSMS, doSendPush, doSendLetter:
		f = fields{"send": s.Do, "message": s.Message}
	case doAddTag, doRemoveTag:
		f = fields{"tag": s.Do, "name": s.Name}
	case doSetField:
		f = fields{"set": s.Do, "field": s.Field, "value": s.Value}
	case doIf:
		f = fields{"if": s.Event, "ref": null(s.Ref), "op": s.Op, "value": null(s.Value), "yes": null(s.Yes), "no": null(s.No)}
	case doSplit:
		f = fields{"split": s.Do, "arms": s.Arms}
	case doGoal:
		f = fields{"goal": s.Event, "ref": null(s.Ref)}
	case doNotify:
		f = fields{"notify": s.Do, "to": null(s.To), "text": s.Text}
	case doAddToList, doRemoveFromList:
		f = fields{"list": s.Do, "name": s.Name}
	case doRequest:
		f = fields{"call": s.Do, "connection": s.Name}
	case doPayment:
		f = fields{"pay": s.Do, "amount": s.Amount, "title": s.Title}
	case doBook:
		f = fields{"book": s.Do, "service": s.Name}
	case doEnterFunnel, doExitFunnel:
		f = fields{"funnel": s.Do, "name": null(s.Name)}
	case doGenerate:
		f = fields{"ai": s.Do, "message": s.Message, "vars": s.Vars}
	case doThrottle, doQuietHours:
		f = fields{"limit": s.Do, "max": s.Max, "per": null(s.Per), "frm": null(s.From), "to": null(s.Until), "days": null(strings.Join(s.Days, " "))}
	case doOpaque:
		f = fields{doOpaque: s.Ref}
	default:
		f = fields{s.Do: s.Do}
		for key, value := range s.Config {
			f[key] = value
		}
	}
	f["id"] = s.ID
	return f
}
