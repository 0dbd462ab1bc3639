"""What of staging has versions: entities with their attributes, business rules, groups and people with their roles."""
