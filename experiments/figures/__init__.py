"""Figures that several experiments share, and their style."""
