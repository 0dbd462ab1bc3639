"""Admin pages of entities and their attributes."""
