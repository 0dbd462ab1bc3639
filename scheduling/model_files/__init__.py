"""Entities with their schedules as a file: promotion between environments."""
