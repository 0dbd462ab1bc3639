"""Gates and reasons: whether something would fire now, and why."""
