"""Agents with an input terminal: `caregrid.terminal` and `diagram`, films, games, and answers for lessons."""
