"""The verbs that change a configuration: the same rules on every door."""
