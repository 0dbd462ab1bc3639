"""Admin pages of plans and their steps."""
