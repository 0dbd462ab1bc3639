"""Tests of the admin pages of schedules."""
