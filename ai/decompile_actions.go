package ai

import (
	"encoding/json"
	"strings"

	"github.com/lejek/lejek/engine"
)

// actionStep writes the actions and limits the plan has words for. What it cannot say of them stays in the node.
func actionStep(s Step, n engine.Node) Step {
	var c struct {
		To         string     `json:"to"`
		Text       string     `json:"text"`
		List       string     `json:"list"`
		Connection string     `json:"connection"`
		Amount     string     `json:"amount"`
		Currency   string     `json:"currency"`
		Title      string     `json:"title"`
		Resource   string     `json:"resource"`
		Funnel     string     `json:"funnel"`
		Count      int        `json:"count"`
		Per        spanConfig `json:"per"`
		From       string     `json:"from"`
		Days       []string   `json:"days"`
		Variables  []struct {
			Name        string `json:"name"`
			Instruction string `json:"instruction"`
			Max         int    `json:"max"`
			Fallback    string `json:"fallback"`
		} `json:"variables"`
	}
	_ = json.Unmarshal(n.Config, &c) // what does not fit is not spoken of
	switch n.Kind {
	case doNotify:
		s.To, s.Text = c.To, c.Text
	case doAddToList, doRemoveFromList:
		s.Name = bare(c.List)
	case doRequest:
		s.Name = bare(c.Connection)
	case doPayment:
		s.Amount, s.Title = strings.TrimSpace(c.Amount+" "+c.Currency), c.Title
	case doBook:
		s.Name = bare(c.Resource)
	case doEnterFunnel, doExitFunnel:
		s.Name = bare(c.Funnel)
	case doThrottle:
		s.Max, s.Per = c.Count, strings.TrimSuffix(c.Per.Unit, "s")
	case doQuietHours:
		s.From, s.Until, s.Days = c.From, c.To, c.Days
	case doGenerate:
		for _, v := range c.Variables {
			s.Vars = append(s.Vars, Variable{v.Name, v.Instruction, v.Max, v.Fallback})
		}
	default:
		_ = json.Unmarshal(n.Config, &s.Config) // an object
	}
	return s
}

// beforeHours is how long before the date of a person a wait ends; negative is after it.
func beforeHours(n engine.Node) int {
	var c struct {
		Offset struct {
			spanConfig
			Direction string `json:"direction"`
		} `json:"offset"`
	}
	_ = json.Unmarshal(n.Config, &c) // without an offset it is the date itself
	if c.Offset.Direction == "after" {
		return -int(c.Offset.hours())
	}
	return int(c.Offset.hours())
}
