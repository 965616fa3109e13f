package engine

// limit is a bound of a Field.
func limit(n float64) *float64 { return &n }
