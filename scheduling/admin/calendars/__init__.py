"""Admin pages of blackout calendars."""
