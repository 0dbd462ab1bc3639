"""Promises of model files with their schedules."""
