"""Learning from transitions: tables, replay, networks."""
