"""Jobs that code declares: the decorators, what they declared, and its reconciliation with the database."""
