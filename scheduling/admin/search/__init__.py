"""One search over all that a person may open, what they opened lately, and the keys that lead there."""
