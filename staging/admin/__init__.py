"""Admin pages of staging."""
