"""What people are shown of a batch before it is merged, and what they decide about it."""
