// Package csvfile reads the CSV files people really have: with a byte order mark or without, UTF-8, UTF-16, Windows-1250 or
// Windows-1251, separated by commas, semicolons or tabs, of any size up to the limits, one row in memory at a time.
//
// A row that cannot be read is an error of its own (RowError), with its line and what to do; the rows after it are still
// read. Only a file that is no table at all, or over a limit, ends the reading.
package csvfile
