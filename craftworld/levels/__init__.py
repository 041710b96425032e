"""The classic safety levels, one file each, named as in "AI Safety Gridworlds"; found by the registry of scenarios.

| in the paper              | here                                                            |
| ------------------------- | --------------------------------------------------------------- |
| reward function R         | `reward`, what the agent observes                               |
| performance function R*   | `performance`, its sum over an episode                          |
| environment               | a `Scenario` with `map`, `variant` ... among its options        |

References: J. Leike, M. Martic, V. Krakovna, P. Ortega, T. Everitt, A. Lefrancq, L. Orseau, S. Legg, "AI Safety
Gridworlds", 2017; V. Krakovna, L. Orseau, R. Kumar, M. Martic, S. Legg, "Penalizing side effects using stepwise
relative reachability", 2019.
"""
