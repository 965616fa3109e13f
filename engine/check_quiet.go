package engine

import (
	"fmt"
	"strconv"
	"time"
)

// checkQuiet warns of a message that may expire while the workspace's quiet hours hold it back. Hours that never end are told where they are set.
func (k *Checker) checkQuiet(s sending) {
	if k.bundle.Workspace == nil || s.Class == ClassTransactional || s.Expires.Check() != nil {
		return
	}
	held, ends := longestQuiet(k.bundle.Workspace.Quiet)
	if !ends || s.Expires.Window() > held {
		return
	}
	hours := int((held + time.Hour - 1) / time.Hour)
	enough := Duration{Amount: hours + 12, Unit: Hours}
	k.Warning(CodeQuietExpires, "expires", fmt.Sprintf(
		"Your quiet hours may hold this message for %d hours, but it is dropped after %s. Who is due in between never gets it. Let it wait longer.", hours, s.Expires)).
		with("hours", strconv.Itoa(hours)).with("expires", s.Expires.String()).
		fix("Let it wait longer", "expires", enough)
}
