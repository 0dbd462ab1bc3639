"""SQL text of the batch, one dialect beside the other."""
