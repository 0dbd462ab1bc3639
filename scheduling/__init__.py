"""When, in which order and whether work runs."""
