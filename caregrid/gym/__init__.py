"""The worlds of craftworld as Gymnasium and PettingZoo environments: thin adapters over its tables.

`import caregrid` registers every scenario as `caregrid/NAME-v0`; the modules here are imported when one is made.

| Gymnasium                  | here                                                                             |
| -------------------------- | -------------------------------------------------------------------------------- |
| observation                | the state's number in the table                                                  |
| reward                     | the augmented reward: own alpha_1, care alpha_2, and the formulation F           |
| terminated                 | a terminal state; truncated: the scenario's step limit                           |
| `info["welfare"]`          | the others' welfare if the agent ended here, sum_V P(V) V(s), and what others    |
|                            | acting at the same time have got so far: the learner is not shown it             |
| `info["performance"]`      | the hidden performance so far, as `rollout` and `evaluate` add it up             |
| `env.unwrapped.P`          | state -> action -> [(probability, next state, reward, terminated)], read lazily   |
"""
