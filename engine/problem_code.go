package engine

// The codes of problems. Those of severity Warning say so.
const (
	CodeDocument         = "DOCUMENT_INVALID" // not JSON, or not the shape of a funnel
	CodeEntryOne         = "ENTRY_ONE"        // exactly one entry, with a trigger
	CodeUnreachable      = "UNREACHABLE"      // no way leads to the step
	CodeCycleNoWait      = "CYCLE_NO_WAIT"    // a loop without a wait that always takes a minute
	CodeEdgeBroken       = "EDGE_BROKEN"      // a link from or to nothing
	CodePortTwice        = "PORT_TWICE"       // two links out of one port
	CodePortUnknown      = "PORT_UNKNOWN"     // a link out of a port the step does not have
	CodeCreativeMissing  = "CREATIVE_MISSING" // the message is not in the document
	CodeSubjectEmpty     = "SUBJECT_EMPTY"    //
	CodeBodyEmpty        = "BODY_EMPTY"       //
	CodeUnsubscribe      = "UNSUBSCRIBE_MISSING"
	CodeVarUnknown       = "VAR_UNKNOWN"       //
	CodeVarNoFallback    = "VAR_NO_FALLBACK"   // warning
	CodeVarSomePaths     = "VAR_SOME_PATHS"    // warning
	CodeSplitWeights     = "SPLIT_WEIGHTS"     //
	CodeFieldRequired    = "FIELD_REQUIRED"    //
	CodeFieldInvalid     = "FIELD_INVALID"     //
	CodeFieldUnknown     = "FIELD_UNKNOWN"     //
	CodeRuleInvalid      = "RULE_INVALID"      //
	CodeRefMissing       = "REF_MISSING"       //
	CodeKindUnknown      = "KIND_UNKNOWN"      //
	CodeIDTwice          = "ID_TWICE"          //
	CodeLimitNodes       = "LIMIT_NODES"       //
	CodeSenderUnverified = "SENDER_UNVERIFIED" // warning
	CodeQuietExpires     = "QUIET_EXPIRES"     // warning: quiet hours may last longer than the message may wait
	CodeHoldOutSends     = "HOLD_OUT_SENDS"    // warning: people who are held back get messages
)
