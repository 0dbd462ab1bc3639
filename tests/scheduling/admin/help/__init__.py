"""Tests of the pages of help."""
