package fault_test

import (
	"errors"
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/backend/fault"
)

func TestPublicHidesTheCauseOfAnUnknownError(t *testing.T) {
	t.Parallel()
	cause := errors.New("password=secret refused")
	public := fault.Public(fmt.Errorf("connect: %w", cause))
	require.Equal(t, fault.Internal, public.Code)
	require.NotContains(t, public.Message, "secret")
	require.ErrorIs(t, public, cause)
}

func TestWrapKeepsAFault(t *testing.T) {
	t.Parallel()
	inner := fault.New(fault.NotFound, "There is no contact %q.", "x")
	require.Equal(t, fault.NotFound, fault.CodeOf(fault.Wrap(fmt.Errorf("get: %w", inner), "read a contact")))
	require.Equal(t, fault.Internal, fault.CodeOf(fault.Wrap(errors.New("boom"), "read a contact")))
	require.NoError(t, fault.Wrap(nil, "read a contact"))
}

func TestInvalidFieldsGathersAll(t *testing.T) {
	t.Parallel()
	require.NoError(t, fault.InvalidFields(nil))
	err := fault.InvalidFields([]fault.Field{{Path: "email", Message: "a"}, {Path: "zone", Message: "b"}})
	require.EqualError(t, err, "2 fields need a correction.")
	require.Equal(t, fault.Code(""), fault.CodeOf(nil))
}

func TestEachCodeHasAStatus(t *testing.T) {
	t.Parallel()
	require.Equal(t, http.StatusConflict, fault.Conflict.Status())
	require.Equal(t, http.StatusInternalServerError, fault.Code("none").Status())
}
