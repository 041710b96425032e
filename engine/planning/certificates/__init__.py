"""Certificates: bounds that surely contain what a planner computed, whatever the planner did.

A table's numbers are rounded, so that it stands for all tables that round to it: the bounds hold for each of them whose
rows of probabilities sum to 1. Small tables are also read as fractions and checked without any rounding.

| file               | what it does                                                                        |
| ------------------ | ----------------------------------------------------------------------------------- |
| `interval`         | bounds as fractions; the simplest fraction that rounds to a number                    |
| `rational_table`   | a table in fractions, where it is small and its rows sum to 1                         |
| `rational_chain`   | a policy's returns in fractions                                                      |
| `rational_optimum` | an optimum in fractions: no action has a positive reduced cost                        |
| `double_double`    | sums and products of floats in twice their precision                                 |
| `superharmonic`    | a function that no action can exceed, checked with outward rounding: an upper bound   |
| `policy_value`     | a policy's return between two bounds, exactly where possible                          |
| `trade_off`        | lines, break points and the largest loss of a list of segments                        |
"""
