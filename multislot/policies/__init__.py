"""Deterministic policies of history-based agents, one file each."""
