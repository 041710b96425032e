"""Tabular and grid machinery that every programme shares; it imports nothing of ours.

| letter | meaning                                              |
| ------ | ---------------------------------------------------- |
| S      | number of states                                     |
| A      | number of actions                                    |
| K      | successors of a state and action at most (1 where deterministic) |
| N      | number of possible value functions of other agents   |
"""
