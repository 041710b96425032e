"""The ways to learn another agent's value function."""
