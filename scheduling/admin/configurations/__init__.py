"""Admin pages of the configurations of entities."""
