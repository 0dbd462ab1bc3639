"""Time as each person reads it: their zone, guessed once from their browser, and whose times pages show."""
