"""Extended environments: `caregrid.battery`, films, games, and answers for lessons."""
