package csvfile_test

import (
	"bytes"
	"encoding/csv"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/lejek/lejek/backend/csvfile"
)

func TestSecurity_14_NoCellIsAFormula(t *testing.T) {
	t.Parallel()
	for cell, want := range map[string]string{
		"=HYPERLINK(\"http://evil\")": "'=HYPERLINK(\"http://evil\")", "+48601234567": "'+48601234567", "-1": "'-1", "@SUM(A1)": "'@SUM(A1)", "\t=1": "'\t=1", "\r=1": "'\r=1",
		"a;=1+1": "'a;=1+1", "a\",=1": "'a\",=1", "'quoted": "''quoted", "plain": "plain", "a = b": "a = b", "anna@example.com": "anna@example.com", "": "",
	} {
		require.Equal(t, want, csvfile.Safe(cell))
		require.Equal(t, cell, csvfile.Unsafe(csvfile.Safe(cell)))
	}
}

func TestSecurity_14_WhatWasExportedComesBackAsItWas(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		cells := rapid.SliceOfN(rapid.StringMatching("[-=+@'a-z;,\"\n\t ]{0,12}"), 2, 4).Draw(t, "cells")
		var out bytes.Buffer
		w := csvfile.NewWriter(&out)
		require.NoError(t, w.Write(cells...))
		require.NoError(t, w.Flush())
		row, err := csv.NewReader(&out).Read()
		require.NoError(t, err)
		for i, cell := range row {
			require.NotContains(t, []string{"=", "+", "-", "@", "\t", "\r"}, first(cell))
			require.Equal(t, cells[i], csvfile.Unsafe(cell))
		}
	})
}

func first(cell string) string {
	if cell == "" {
		return ""
	}
	return cell[:1]
}
