"""Admission and claim of queued tasks."""
