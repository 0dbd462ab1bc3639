"""Template filters of the shared look."""
