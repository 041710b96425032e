"""A window on a scene, with keys."""
