package engine

func (i *inspection) checkContent() {}
