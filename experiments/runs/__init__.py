"""Running an experiment: sessions, units, what is stored, whose code made it, resuming."""
