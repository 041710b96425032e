"""The agents, one planning world a file: `planning_world(learned world, signal) -> world to plan in`.

| agent  | X_{t+1} depends on | R_t reads           | future readings |
| ------ | ------------------ | ------------------- | --------------- |
| `itf`  | I_t, X_t, A_t      | I_t                 | planned with    |
| `itc`  | X_t, A_t           | i_0, of the present | there, unread   |
| `citc` | X_t, A_t           | i_0, of the present | left out        |
| `fc`   | I_t, X_t, A_t      | I_t, balanced       | planned with    |
"""

from counterfactual.planning_world import PlanningWorldOf
from engine.registry import Registry

AGENTS: Registry[PlanningWorldOf] = Registry("counterfactual.agents", "agent")
