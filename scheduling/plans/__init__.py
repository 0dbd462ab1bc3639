"""Plans: what they run and in which order, checked, compiled into a manifest, stored."""
