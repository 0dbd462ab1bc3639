"""The only writer of any status: guarded moves that answer whether they happened."""
