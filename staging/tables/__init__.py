"""Create, alter, inspect and count the physical tables."""
