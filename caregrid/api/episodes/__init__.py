"""Episodes: actions replayed, penalties of their steps, and returns estimated from many of them."""
