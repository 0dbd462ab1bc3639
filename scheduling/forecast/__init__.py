"""What will fire between two instants, how much runs at once, and when nothing does."""
