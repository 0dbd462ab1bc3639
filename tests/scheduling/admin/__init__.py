"""Tests of the admin pages of scheduling."""
