"""Admin pages of what administrators set up: queues, SQL scripts, retention."""
