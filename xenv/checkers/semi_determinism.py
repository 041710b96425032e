"""Semi-determinism: identically trained instances of a spec act identically, whatever happens to other instances.

Alexander et al. 2021, Definition 9. Without it, what an environment sees in a copy is not what the agent would do.
"""

from __future__ import annotations

from typing import Any

from engine.check_agent import check_agent
from xenv.specs import names


def check_semi_deterministic(
    agent: Any, n_observations: int = 3, n_actions: int = 3, trainings: int = 30, histories: int = 5
) -> bool:
    """True where an agent is semi-deterministic, ContractBroken where it is not.

    agent: a spec, a factory of agents, or a name. The others: as in `engine.check_agent.check_agent`, which trains
    instances on random histories, asks them twice, forks them and trains the forks, and compares their actions.
    """
    check_agent(
        names.agent_spec(agent),
        n_observations=n_observations,
        n_actions=n_actions,
        trainings=trainings,
        histories=histories,
    )
    return True
