"""Why something ran or did not: every slot of a period with its state, the reason and what to do about it."""
