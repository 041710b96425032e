"""Running an experiment: sessions, workers, storage, resuming."""
