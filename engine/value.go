package engine

// Value fills merge text in.
func (m *Moment) Value(text string) (any, error) { return text, nil }
