"""How many barricade units ITC builds before the update: a closed form over update step u, crew delay d and units k.

    k - d   where d < k <= u + d and resisting pays,  else 0        resisting pays where the clips of the steps from
    u + d on outweigh what building, in the k steps before, costs

Within its plan ITC builds as late as it can: d units after the update, before the crew arrives, and only the rest
before. Weak agents (k > u + d) cannot and strong ones (k <= d) need not, so only those in between resist in the real
world. Found by solving the world of `counterfactual.worlds.barricade`; holds where discounts make late cheap and
building makes something, but less than making: building without making anything sends no crew.
"""

from __future__ import annotations

from counterfactual.worlds.barricade import Barricade
from engine.errors import BadValue


def count_resisting_steps(world: Barricade) -> int:
    """Barricade units built before the update. BadValue outside of 0 < discount < 1 and 0 < building < 1."""
    for name in ("discount", "building"):
        if not 0 < getattr(world, name) < 1:
            problem = f"'{name}' is {getattr(world, name)}, where the closed form says nothing"
            raise BadValue(problem, place="resisting_steps", remedy="choose it between 0 and 1")
    if not world.crew_delay < world.units <= world.update_step + world.crew_delay:
        return 0
    return world.units - world.crew_delay if _pays(world) else 0


def _pays(world: Barricade) -> bool:
    crew_comes = world.update_step + world.crew_delay
    clips = sum(world.discount**step for step in range(crew_comes, world.horizon))
    cost = (1 - world.building) * sum(world.discount**step for step in range(crew_comes - world.units, crew_comes))
    return clips > cost
