"""Bring your own world: any environment as a caring scenario (`caregrid.wrap`), or with learned care (`Considerate`).

| file        | what it holds                                                                          |
| ----------- | -------------------------------------------------------------------------------------- |
| `wrap`      | `wrap`: from an environment and others to a scenario                                   |
| `other`     | `Other`: who else there is, in the user's words                                        |
| `worlds/`   | the kinds of world that an environment may be                                          |
| `given`     | what users give, checked                                                               |
| `family`    | what may be known of a family of environments; `families/` holds them, one file each   |
| `learned/`  | `Considerate`: where enumeration is impossible, others' values are learned; their learners are |
|             | in `value_learners/`, one file each                                                    |
| `continued` | what those who come after begin with                                                   |
| `stored`    | walks that are kept in files                                                           |
| `views`     | states in words and pictures                                                           |
| `pictures`  | the environment's own pictures                                                         |
| `registered`| environments by their id                                                               |
| `gym_names` | `gym:ID`, as commands spell an environment                                             |
"""
