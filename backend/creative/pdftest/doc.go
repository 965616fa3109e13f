// Package pdftest reads the words of a PDF back out of its bytes, for tests that want to know what stands on a page.
package pdftest
