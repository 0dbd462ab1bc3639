"""How Django writes instants and numbers, where its own pages do; a module for each language, and words it lacks."""
