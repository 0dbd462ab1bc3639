"""One cycle: lock, recover, decide, fire, report."""
