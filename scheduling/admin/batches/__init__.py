"""Admin pages of what a batch of an entity would do, waits for, or did: previews, reviews, undo."""
