"""What may have died: stale attempts, stuck runs, lost messages."""
