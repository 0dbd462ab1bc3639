"""Finds people: watches for what is wrong, tells it once and in one message, reminds, and says when it is over."""
