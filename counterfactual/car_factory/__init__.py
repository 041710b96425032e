"""The machinery of the car factory: what a factory is, one step of it, and its extensions as one rule a file."""
