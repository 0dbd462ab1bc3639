"""What becomes of staged rows, on both databases."""
