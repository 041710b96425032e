"""Experiments that need more than `experiments` can see, one file each: agents trained on wrapped worlds."""
