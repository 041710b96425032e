"""Value functions that are learned for those who come after, where a world is too large to be enumerated.

| file              | what it holds                                                              |
| ----------------- | -------------------------------------------------------------------------- |
| `considerate`     | `Considerate`: the wrapper, which augments the reward                      |
| `reward_timing`   | when it does                                                               |
| `refresh`         | when, for how long and from what the values are learned                    |
| `handing_over`    | with what another agent begins, as the acting agent leaves its environment |
| `continued_world` | the other agent's environment, continued from there                        |
| `observing`       | what it observes there                                                     |
| `other_values`    | the values of one other agent: learned, estimated, followed                |
| `value_learner`   | how values are learned: the contract; `value_learners/` holds the entries  |
"""
