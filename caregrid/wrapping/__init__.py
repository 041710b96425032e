"""Bring your own world: any environment as a caring scenario (`caregrid.wrap`), or with learned care (`Considerate`).

| file              | what it holds                                                                                |
| ----------------- | -------------------------------------------------------------------------------------------- |
| `wrap`            | `wrap`: from an environment and others to a scenario                                         |
| `settings`        | `Other` and `WorldSettings`: the user's words about others and worlds, and their checks      |
| `make_world`      | which kind of world an environment is, environments by their id, their own pictures          |
| `worlds`          | the kinds of world: transition tables, and environments that are put into a state and stepped |
| `states`          | how states are saved: attributes, the user's functions, PettingZoo's parallel environments   |
| `observations`    | what an agent observes in a state into which its environment was put                         |
| `hidden_state`    | where state and generators may hide beside attributes: classes, closures, module globals       |
| `plain_episodes`  | episodes that are never restored, compared with a walk's table; the certificate                |
| `family`          | what may be known of a family of environments; `families/` holds them                        |
| `walks`           | walks through a world, kept in files; what those who come after begin with                   |
| `gym_names`       | `gym:ID`, as commands spell an environment                                                   |
| `considerate`     | `Considerate`: the wrapper that augments the reward, and `Refresh`: when values are learned  |
| `other_values`    | the values of one other agent: handed over, learned, estimated, followed                     |
| `continued_world` | the other agent's environment, continued from where it begins                                |
| `value_learner`   | how values are learned: the contract; `value_learners/` holds the entries                    |
"""
