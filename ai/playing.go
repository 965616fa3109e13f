package ai

import (
	"cmp"
	"strings"
)

// playAll draws the playbook as it stands.
func (d *drawing) playAll() {
	if d.book.Limits && len(d.w.limits) == 0 {
		d.add(Step{Do: doQuietHours, From: "21:00", Until: "08:00"})
	}
	d.play(d.book.Steps)
}

// giveLoose puts offers no message is named for into the last messages.
func (d *drawing) giveLoose() {
	from := max(0, len(d.spec.Messages)-len(d.w.loose))
	for i, o := range d.w.loose {
		if from+i < len(d.spec.Messages) && d.spec.Messages[from+i].Offer.None() {
			d.spec.Messages[from+i].Offer = o
		}
	}
}

func (d *drawing) play(steps []play) {
	for _, p := range steps {
		switch {
		case p.Send != "":
			if p.Before != nil {
				d.toDate(*p.Before)
			} else {
				d.waitFor(timing{hours: p.At, kind: offsetTiming})
			}
			d.send(p.Send, p.Channel, "", Offer{})
		case p.Ask != "":
			if p.Ask == "form_submit" {
				d.add(Step{Do: doWaitUntil, Event: "form_submit", TimeoutHours: int(p.Within)})
				d.now += p.Within
			} else {
				d.wait(p.Within)
			}
			s := Step{Do: doIf, Event: p.Ask, Ref: p.Ref, Op: cmp.Or(p.Op, "is"), Value: p.Value}
			then, other := d.plays(p.Then), d.plays(p.Else)
			if p.Not {
				then, other = other, then
			}
			d.branch(s, then, other)
		case p.Do == "wait_date":
			d.toDate(0)
		case p.Do != "":
			d.waitFor(timing{hours: p.At, kind: offsetTiming})
			d.deed(Step{Do: p.Do, Name: strings.ReplaceAll(p.Name, "{segment}", d.spec.Trigger.Ref), Amount: p.Value})
		}
	}
}

func (d *drawing) plays(steps []play) func() {
	if len(steps) == 0 {
		return nil
	}
	return func() { d.play(steps) }
}
