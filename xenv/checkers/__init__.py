"""Checkers of what can be added to the programme: each builds the thing, calls it and names the first thing wrong."""
