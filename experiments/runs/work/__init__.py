"""Which units are still to be done, by which session, in what portions."""
