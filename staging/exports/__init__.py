"""Rows as files that people open in a spreadsheet."""
