"""Experiments and benchmarks run from Python: `run`, `load`, `report`, `bench`, `compare_bench`."""
