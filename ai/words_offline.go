package ai

import "strings"

// builtIn takes the built-in text that the sentence speaks of, with the offer it names. Where there is none it says what to do.
func (w *wording) builtIn() Words {
	out := Words{Engine: Offline, Language: w.set.Language, Notes: []string{}}
	r := read(w.req.Prompt, w.req.Language)
	role := r.textRole()
	if role == "" {
		out.Message = w.say.line("words_none", strings.Join([]string{w.say.Playbooks["welcome"], w.say.Playbooks["abandoned_cart"], w.say.Playbooks["review_request"]}, ", "))
		return out
	}
	brief := Brief{ID: "message", Role: role}
	if offers := r.slots().Offers; len(offers) > 0 {
		brief.Offer = offers[0]
	}
	writer := writer{lang: w.tongue, set: w.set}
	l := writer.template(brief)
	c := l.on(w.want.Channel)
	out.Creative = &c
	out.Notes = append(out.Notes, w.say.line("words_offline", textOf(w.set.Language, role).Name))
	if l.offer != "" {
		out.Notes = append(out.Notes, w.say.line("words_offline_offer", l.offer))
	}
	return out
}

// textRole is the built-in text that a sentence asks for: one it names, else the first of the playbook it speaks of.
func (r *reading) textRole() string {
	near := r.nearest()
	var book *playbook
	if len(near) > 0 {
		book = near[0]
	}
	for _, m := range r.marks {
		if m.class != "role" {
			continue
		}
		if role := book.role(m.value); hasText(role) && role != "offer" {
			return role
		}
	}
	if book != nil && len(book.Touches) > 0 {
		return book.Touches[0].Role
	}
	return ""
}

// Explain says why no model was asked, and what to do about it: no_key, quota or off.
func (w *Words) Explain(why string) {
	w.Why = why
	key := "words_" + why
	if why == "no_key" {
		key = "words_setup"
	}
	line := sayIn(w.Language).line(key)
	if w.Creative == nil {
		w.Message = strings.TrimSpace(w.Message + " " + line)
		return
	}
	w.Notes = append(w.Notes, line)
}
