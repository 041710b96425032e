"""The kinds of world that `wrap` takes, and which of them an environment is.

| file          | what it holds                                                                    |
| ------------- | -------------------------------------------------------------------------------- |
| `world_of`    | which of the following an environment is                                         |
| `settings`    | how it is made one, in the user's words                                          |
| `tables`      | environments with a transition table `P`, and `TabularMDP`s                      |
| `stepped`     | environments that are put into a state and stepped                               |
| `attributes`  | states as the attributes of an environment: the default                          |
| `users_state` | states as the user's `get_state` gives them                                      |
| `parallel`    | PettingZoo's parallel environments, the others following fixed policies          |
"""
