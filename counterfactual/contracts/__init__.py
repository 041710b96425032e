"""Public checkers, one a kind: each builds a thing as its users would, calls it, and names the first mistake.

| kind                | checker                                                 |
| ------------------- | ------------------------------------------------------- |
| terminal world      | `contracts.terminal_world.check_terminal_world`         |
| planning agent      | `contracts.planning_agent.check_planning_agent`         |
| factory rule        | `contracts.factory_rule.check_factory_rule`             |
| influence diagram   | `contracts.influence_diagram.check_influence_diagram`   |
| incentive criterion | `contracts.incentive_criterion.check_incentive`         |
"""
