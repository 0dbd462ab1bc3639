"""Admin pages that every kind of schedule has: its form, pausing, why it did not run, and what bulk actions share."""
