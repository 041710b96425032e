"""Agents that may be copied: `caregrid.slots`, `simulate_slots`, `locality`, films, games, answers for lessons."""
