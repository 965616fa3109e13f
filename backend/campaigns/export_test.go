package campaigns

// Freeze does one part of the freezing, so that a test can do something between two.
var Freeze = freeze
