package csvfile_test

import (
	"bytes"
	"encoding/csv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/lejek/lejek/backend/csvfile"
)

func TestSecurity_14_NoCellIsAFormula(t *testing.T) {
	t.Parallel()
	for cell, want := range map[string]string{
		"=HYPERLINK(\"http://evil\")": "'=HYPERLINK(\"http://evil\")", "+48601234567": "'+48601234567", "-1": "'-1", "@SUM(A1)": "'@SUM(A1)", "\t=1": "'\t=1", "\r=1": "'\r=1",
		"\x00=1": "'\x00=1",
		"a;-1+1": "'a;-1+1", "a\r@b": "'a\r@b", "a\"\t=b": "'a\"\t=b", "a-b": "a-b", "a, -1": "a, -1",
		"a;=1+1": "'a;=1+1", "a\",=1": "'a\",=1", "'quoted": "''quoted", "plain": "plain", "a = b": "a = b", "anna@example.com": "anna@example.com", "": "",
	} {
		require.Equal(t, want, csvfile.Safe(cell))
		require.Equal(t, cell, csvfile.Unsafe(csvfile.Safe(cell)))
	}
}

func TestSecurity_14_WhatWasExportedComesBackAsItWas(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		cells := rapid.SliceOfN(rapid.StringMatching("x?[-=+@'a-z;,\"\n\t ]{0,12}"), 2, 4).Filter(func(cells []string) bool { return strings.TrimSpace(strings.Join(cells[1:], "")) != "" }).Draw(t, "cells")
		var out bytes.Buffer
		w := csvfile.NewWriter(&out)
		require.NoError(t, w.Write(cells...))
		require.NoError(t, w.Flush())
		written := out.String()
		row, err := csv.NewReader(&out).Read()
		require.NoError(t, err)
		for _, cell := range row {
			require.NotContains(t, []string{"=", "+", "-", "@", "\t", "\r"}, first(cell))
		}
		header := strings.Join([]string{"a", "b", "c", "d"}[:len(cells)], ",") + "\n"
		read, err := csvfile.Open(strings.NewReader(header+written), csvfile.Options{Separator: ','})
		require.NoError(t, err)
		back, err := read.Next()
		require.NoError(t, err)
		require.Equal(t, cells, back.Values, "read as it was written")
	})
}

func first(cell string) string {
	if cell == "" {
		return ""
	}
	return cell[:1]
}
