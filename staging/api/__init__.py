"""The REST API: its addresses of staging."""
