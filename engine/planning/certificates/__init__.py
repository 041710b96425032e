"""Certificates: bounds that surely contain what a planner computed, whatever the planner did.

A table's numbers are rounded, so that it stands for all tables that round to it: the bounds hold for each of them
whose rows of probabilities sum to 1. Small tables are also read as fractions and checked without any rounding.

| file               | what it does                                                                        |
| ------------------ | ----------------------------------------------------------------------------------- |
| `interval`         | bounds as fractions; the simplest fraction that rounds to a number                  |
| `rational`         | tables, policies' returns and optima in fractions, where a table is small           |
| `superharmonic`    | a function that no action can exceed, checked with outward rounding: an upper bound |
| `trade_off`        | policies' returns, lines, break points and the largest loss of a list of segments   |
"""
