package ai

import (
	"cmp"
	"regexp"
	"strings"

	"github.com/lejek/lejek/engine"
)

// actionConfig writes the config of the actions and limits the plan has words of its own for; nil for all others.
func (b *builder) actionConfig(s Step) fields {
	switch s.Do {
	case doNotify:
		return b.notice(s)
	case doRequest:
		return fields{"connection": b.ref("connection", cmp.Or(s.Name, "api")), "method": "POST"}
	case doPayment:
		return b.payment(s)
	case doBook:
		return fields{"resource": b.ref("resource", cmp.Or(s.Name, "visit")), "rule": engine.BookFirst, "within": duration(14, "days")}
	case doEnterFunnel:
		return fields{"funnel": b.ref("funnel", s.Name)}
	case doExitFunnel:
		if s.Name == allFunnels {
			return fields{"which": "all"}
		}
		if slug(s.Name) == "" {
			return fields{"which": "this"}
		}
		return fields{"which": "named", "funnel": b.ref("funnel", s.Name)}
	case doGenerate:
		return b.variables(s)
	case doThrottle:
		return fields{"count": max(1, s.Max), "per": duration(1, cmp.Or(perUnits[s.Per], "hours"))}
	case doQuietHours:
		config := fields{"from": cmp.Or(clockTime(s.From), "21:00"), "to": cmp.Or(clockTime(s.Until), "08:00")}
		if len(s.Days) > 0 {
			config["days"] = s.Days
		}
		return config
	default:
		return nil
	}
}

var perUnits = map[string]string{"minute": "minutes", "hour": "hours", "day": "days", "week": "weeks"}

var mailAddress = regexp.MustCompile(`^[\w.+-]+@[\w-]+(\.[\w-]+)+$`)

// notice goes to the address the plan names, or to the team by a saved connection, or to the workspace's own people.
func (b *builder) notice(s Step) fields {
	config := fields{"via": "email", "text": cmp.Or(strings.TrimSpace(s.Text), b.say.line("notice_text"))}
	switch to := strings.TrimSpace(s.To); {
	case mailAddress.MatchString(to):
		config["to"] = to
	case b.set.Workspace != nil:
		for _, c := range b.set.Workspace.Connections {
			if c.Kind == strings.ToLower(to) {
				config["via"], config["connection"] = c.Kind, "connection:"+c.Slug
			}
		}
	}
	return config
}

var money = regexp.MustCompile(`(\d+(?:[ .,]\d+)*)\s*([^\d\s]+)?`)

// currencies are the ways people write a currency.
var currencies = map[string]string{
	"zł": "PLN", "zl": "PLN", "pln": "PLN", "złotych": "PLN", "€": "EUR", "eur": "EUR", "euro": "EUR", "евро": "EUR", "$": "USD", "usd": "USD",
	"dollars": "USD", "£": "GBP", "gbp": "GBP", "₽": "RUB", "руб": "RUB", "рублей": "RUB", "rub": "RUB",
}

// payment writes what is to be paid. A sum the plan does not name is left to the person who publishes.
func (b *builder) payment(s Step) fields {
	config := fields{"amount": "1", "currency": "EUR", "title": cmp.Or(strings.TrimSpace(s.Title), b.say.line("payment_title"))}
	if ws := b.set.Workspace; ws != nil && ws.Currency != "" {
		config["currency"] = ws.Currency
	}
	m := money.FindStringSubmatch(s.Amount)
	if m == nil {
		b.note("amount_assumed")
		return config
	}
	config["amount"] = strings.ReplaceAll(strings.ReplaceAll(m[1], " ", ""), ",", ".")
	if strings.Count(config["amount"].(string), ".") > 1 {
		config["amount"] = strings.ReplaceAll(config["amount"].(string), ".", "")
	}
	for word, code := range currencies {
		if strings.EqualFold(strings.Trim(m[2], ".,"), word) || strings.HasPrefix(strings.TrimSpace(s.Amount), word) {
			config["currency"] = code
		}
	}
	return config
}

// variables writes texts per person. Each has a fallback, or the message could go out with a hole.
func (b *builder) variables(s Step) fields {
	list := make([]fields, 0, len(s.Vars))
	for _, v := range s.Vars {
		name := fieldKey(v.Name)
		if name == "" || v.Ask == "" {
			continue
		}
		limit := v.Max
		if limit < 10 || limit > 1000 {
			limit = 200
		}
		list = append(list, fields{"name": name, "instruction": short(v.Ask, 500), "max": limit, "fallback": cmp.Or(strings.TrimSpace(v.Fallback), b.say.line("variable_fallback"))})
	}
	if len(list) == 0 {
		list = append(list, fields{"name": "opening", "instruction": b.say.line("variable_ask"), "max": 120, "fallback": b.say.line("variable_fallback")})
	}
	return fields{"variables": list, "attributes": []string{"field:city", "field:language"}}
}

// offsetAs writes hours from a date; nil is the date itself.
func offsetAs(hours int) fields {
	if hours == 0 {
		return nil
	}
	out := hoursAs(abs(hours))
	out["direction"] = map[bool]string{true: "before", false: "after"}[hours < 0]
	return out
}
