"""Admin pages of runs."""
