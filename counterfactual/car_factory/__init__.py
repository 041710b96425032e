"""The car factory: its steps, and its extensions as one rule a file."""
