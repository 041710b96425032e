"""What happens in the real world when an agent acts: simulations, their traces, films of them."""
