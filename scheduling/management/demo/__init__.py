"""A small wholesaler to look at: a model, first rows, accounts, and a source that keeps depositing rows."""
