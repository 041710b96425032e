"""What every programme shares: decision processes, planning, learning, random numbers, grids; it imports nothing else.

| sub-package      | what is in it                                                                             |
| ---------------- | ----------------------------------------------------------------------------------------- |
| `mdp`            | the table of a Markov decision process, how a model becomes one, episodes, rollouts       |
| `planning`       | value and policy iteration, shortest paths, finite horizons; `trade_off`: two rewards     |
| `learning`       | tabular Q-learning on tables, stacks of small networks                                    |
| `agents`         | agents that act and train one transition at a time (registry `AGENTS`)                    |
| `randomness`     | random numbers as functions of key and counters; drawing from a distribution              |
| `compiling`      | plain Python objects in compiled code                                                     |

| module           | what is in it                                                                             |
| ---------------- | ----------------------------------------------------------------------------------------- |
| `scene`          | what a renderer may know of a world                                                       |
| `grid`           | maps drawn as text                                                                        |
| `agent`          | what an agent and its spec are, and whether they keep to it                               |
| `registry`, `user_code`, `contracts` | how every kind of thing is found by name, imported and checked        |
| `errors`, `files`, `printable` | errors of one line, files written completely or not at all, notices         |
| `array_file`     | named arrays in one file                                                                  |
| `value_types`    | what users may give: bounds of numbers, and types that read and check values              |
| `plain_values`, `printable` | exact numbers and values as JSON; text for terminals                           |
| `effort`         | work that is estimated and confirmed before it is done                                    |

| letter | meaning                                              |
| ------ | ---------------------------------------------------- |
| S      | number of states                                     |
| A      | number of actions                                    |
| K      | successors of a state and action at most (1 where deterministic) |
| N      | number of possible value functions of other agents   |
"""
