package api

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/lejek/lejek/engine"
)

// fromQuietHours reads quiet hours; the contract has checked their form.
func fromQuietHours(in *[]QuietHours) *[]engine.QuietHours {
	if in == nil {
		return nil
	}
	hours := make([]engine.QuietHours, len(*in))
	for i, h := range *in {
		from, _ := engine.ParseTimeOfDay(h.From)
		to, _ := engine.ParseTimeOfDay(h.To)
		hours[i] = engine.QuietHours{From: from, To: to}
		for _, name := range orZero(h.Days) {
			if day, err := engine.ParseWeekday(string(name)); err == nil {
				hours[i].Days = append(hours[i].Days, day)
			}
		}
	}
	return &hours
}

// fromCaps reads caps by channel; of two for one channel the last counts.
func fromCaps(in *[]FrequencyCap) *map[string]engine.Cap {
	if in == nil {
		return nil
	}
	caps := map[string]engine.Cap{}
	for _, c := range *in {
		caps[string(c.Channel)] = engine.Cap{Count: c.Count, Per: c.Hours}
	}
	return &caps
}

func toQuietHours(raw json.RawMessage) *[]QuietHours {
	hours := []QuietHours{}
	_ = json.Unmarshal(raw, &hours) // our own words
	return &hours
}

func toCaps(raw json.RawMessage) *[]FrequencyCap {
	var caps map[string]engine.Cap
	_ = json.Unmarshal(raw, &caps) // our own words
	list := make([]FrequencyCap, 0, len(caps))
	for _, channel := range slices.Sorted(maps.Keys(caps)) {
		list = append(list, FrequencyCap{Channel: FrequencyCapChannel(channel), Count: caps[channel].Count, Hours: caps[channel].Per})
	}
	return &list
}
