"""Extended environments: they simulate a copy of the agent and react to what it would do."""
