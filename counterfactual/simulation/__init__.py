"""What really happens when an agent acts: the real world, its traces and films of them."""
