"""The agents, one function a file: `planning_world(learned world, signal) -> world to plan in`.

| agent  | X_{t+1} depends on | R_t is that of      | future signals     |
| ------ | ------------------ | ------------------- | ------------------ |
| `itf`  | I_t, X_t, A_t      | I_t                 | planned with       |
| `itc`  | X_t, A_t           | i_0, of the present | planned, no effect |
| `citc` | X_t, A_t           | i_0, of the present | left out           |
| `fc`   | I_t, X_t, A_t      | I_t, balanced       | planned with       |
| `gc`   | I_t, X_t, A_t      | balanced, penalised | planned with       |

For comparison, each with its own R_t: `indifferent`, `uncertain`, `shutdown_seeking`.
"""

from counterfactual.planning_agent import PlanningAgent
from engine.registry import Registry

PLANNING_AGENTS: Registry[PlanningAgent] = Registry(
    "counterfactual.agents", "planning agent", accept=PlanningAgent.accept, group="caregrid.planning_agents"
)
