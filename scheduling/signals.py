"""What must follow a new entity or a migration, wherever it came from."""
