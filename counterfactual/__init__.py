"""Agents with an input terminal: the world an agent plans in decides whether it meddles."""
