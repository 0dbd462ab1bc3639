"""Tests of the admin pages of rows."""
