"""The other programmes in Python: the battery, multi-slot worlds, worlds with an input terminal and their diagrams."""
