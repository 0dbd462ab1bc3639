"""Tests of the admin pages of runs."""
