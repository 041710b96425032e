"""Enumerating worlds that can only be stepped: walk from state to state, sample every transition, keep the table."""
