"""The ways to learn another agent's value function, one file each, holding a class named like the file."""
