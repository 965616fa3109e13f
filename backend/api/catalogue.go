package api

import (
	"context"

	"github.com/lejek/lejek/engine"
)

// GetCatalogue answers everything a funnel can be made of.
func (h *handlers) GetCatalogue(context.Context, GetCatalogueRequestObject) (GetCatalogueResponseObject, error) {
	return GetCatalogue200JSONResponse(engine.Catalogue()), nil
}
