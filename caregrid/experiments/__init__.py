"""Experiments that need more than `experiments` can see: agents trained on wrapped worlds."""
