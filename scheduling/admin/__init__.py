"""Admin pages of scheduling."""
