"""The kinds of work; the only room that calls staging's verbs."""
