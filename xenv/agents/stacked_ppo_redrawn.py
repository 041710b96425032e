"""PPO with the mistake of published wrappers: the old log-probabilities are those of actions drawn again.

    rho = pi(a | o) / pi_old(a' | o),   a' ~ pi_old(. | o) drawn anew, where PPO has pi_old(a | o)

Everything else is `stacked_ppo`. `extended_environments/ppo_artefact` measures what it costs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from xenv.agents.stacked_ppo import StackedPPO


@dataclass(frozen=True)
class StackedPPORedrawn(StackedPPO):
    """The hyper-parameters are those of `stacked_ppo`."""

    rule: ClassVar[str] = "ppo_redrawn"
