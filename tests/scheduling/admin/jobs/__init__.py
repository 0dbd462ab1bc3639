"""Tests of the admin pages of jobs."""
