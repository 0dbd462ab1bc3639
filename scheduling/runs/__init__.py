"""Runs and tasks: create, execute, finish, advance."""
