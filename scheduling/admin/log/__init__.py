"""The scheduler log as people read it: filtered, folded, followed, kept by name and taken away as a file."""
