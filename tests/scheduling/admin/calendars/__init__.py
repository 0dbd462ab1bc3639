"""Tests of the admin pages of calendars."""
