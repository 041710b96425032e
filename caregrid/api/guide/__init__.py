"""What there is and whether it works: entries of every kind, their descriptions and contracts, packages, lessons."""
