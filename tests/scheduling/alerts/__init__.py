"""Alerts: conditions, what people are told, and how messages leave."""
