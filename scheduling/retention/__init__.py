"""Deletes what is older than the retention policy, in small steps."""
