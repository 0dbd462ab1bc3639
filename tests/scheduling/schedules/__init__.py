"""Promises of changing schedules."""
