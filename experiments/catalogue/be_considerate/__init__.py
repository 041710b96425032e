"""Experiments of "Be Considerate: Objectives, Side Effects, and Deciding How to Act"."""
