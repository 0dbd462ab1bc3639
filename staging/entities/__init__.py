"""The verbs that define an entity and its attributes."""
