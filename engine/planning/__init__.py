"""Planning in tables: dynamic programming, shortest paths, trade-offs between two rewards."""
