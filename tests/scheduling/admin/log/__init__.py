"""Tests of the pages of the scheduler log."""
