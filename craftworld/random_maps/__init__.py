"""Random maps of a scenario's family, on which nobody has tuned: the same pieces in other places, and what is sure.

| file          | holds                                                                |
| ------------- | -------------------------------------------------------------------- |
| `drawing`     | a scenario's drawing with its pieces shuffled                        |
| `guarantees`  | whether a map can be finished, and has its problem, by exact solvers |
| `held_out`    | the first drawings that keep the guarantees, by seed and number      |
"""
