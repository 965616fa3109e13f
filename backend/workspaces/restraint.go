package workspaces

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/engine"
)

// Limits of what holds marketing back.
const (
	maxQuietHours = 14
	maxCapCount   = 1000
	maxCapHours   = 366 * 24
)

// channels are those a cap can hold for.
var channels = []string{"email", "sms", "whatsapp", "push", "letter"}

// restrain puts the quiet hours and caps of a patch into the settings, or says what is wrong with them.
func restrain(now *store.Workspace, patch Patch) error {
	var wrong []fault.Field
	if hours := patch.QuietHours; hours != nil {
		if len(*hours) > maxQuietHours {
			wrong = append(wrong, fault.Field{Path: "quiet_hours", Message: fmt.Sprintf("There are more than %d quiet hours. Put some together.", maxQuietHours)})
		}
		if _, ever := engine.OpenFrom(time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC), *hours, time.UTC); !ever {
			wrong = append(wrong, fault.Field{Path: "quiet_hours", Message: "These quiet hours never end, so no marketing would ever leave. Leave some hours free."})
		}
		raw, err := json.Marshal(slices.Concat([]engine.QuietHours{}, *hours))
		if err != nil {
			return fmt.Errorf("write down quiet hours: %w", err)
		}
		now.QuietHours = raw
	}
	if caps := patch.FrequencyCaps; caps != nil {
		for _, channel := range slices.Sorted(maps.Keys(*caps)) {
			limit, path := (*caps)[channel], "frequency_caps"
			switch {
			case !slices.Contains(channels, channel):
				wrong = append(wrong, fault.Field{Path: path, Message: fmt.Sprintf("There is no channel %q. Use email, sms, whatsapp, push or letter.", channel)})
			case limit.Count < 1 || limit.Count > maxCapCount:
				wrong = append(wrong, fault.Field{Path: path, Message: fmt.Sprintf("A cap lets through 1 to %d messages.", maxCapCount)})
			case limit.Per < 1 || limit.Per > maxCapHours:
				wrong = append(wrong, fault.Field{Path: path, Message: fmt.Sprintf("A cap holds for 1 to %d hours.", maxCapHours)})
			}
		}
		raw, err := json.Marshal(*caps)
		if err != nil {
			return fmt.Errorf("write down frequency caps: %w", err)
		}
		now.FrequencyCaps = raw
	}
	return fault.InvalidFields(wrong)
}
