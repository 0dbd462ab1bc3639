"""Promises of the REST API: what every address does, and the addresses of staging."""
