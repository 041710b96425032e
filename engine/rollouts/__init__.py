"""Monte Carlo rollouts: many episodes of a policy in a table, in one compiled loop.

| file                 | what it holds                                                       |
| -------------------- | ------------------------------------------------------------------- |
| `outcome_table`      | a policy in a world as one table: what may happen in each state     |
| `plain_episode`      | one episode, step by step: the definition                           |
| `kernel`             | the same for many episodes, compiled                                |
| `sampled_episodes`   | episodes by number, and estimates of their return, on any threads   |
| `stochastic_policies`| policies as probabilities of actions: random, epsilon-greedy        |

Reference: Sutton and Barto, "Reinforcement Learning: An Introduction" (2018), sections 5.1 and 5.4.
"""
