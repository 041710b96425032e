"""Figures that several experiments share, and their style."""

PICTURES = ("png", "svg", "pdf", "pgf")
"""The endings of files into which figures are written."""
