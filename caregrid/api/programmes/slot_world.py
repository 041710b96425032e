"""Multi-slot worlds as a user gives them: a file, a name, an object, or a class of environments; and its settings."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.errors import BadValue

if TYPE_CHECKING:
    from multislot.learning.mixture import Mixture
    from multislot.worlds.environment import AgentHistory


def slot_mixture(world: Any, members: str | Path | None, likelihood: str) -> Mixture:
    """The class of environments: that of a file of `members`, or of one environment; BadValue for both or neither."""
    from multislot.learning.classes_json import load_environment, load_mixture
    from multislot.learning.mixture import Mixture, single_environment
    from multislot.scenario import SlotScenario
    from multislot.scenarios import accept_slot_scenario

    if (world is None) == (members is None):
        problem = "both an environment and a class" if members is not None else "neither an environment nor a class"
        raise BadValue(problem, remedy="leave one out" if members is not None else "name one")
    if members is not None:
        return load_mixture(members, likelihood)
    if isinstance(world, str | Path):
        return single_environment(load_environment(str(world)), likelihood)
    if isinstance(world, Mixture):
        return world
    scenario = accept_slot_scenario(world)
    if not isinstance(scenario, SlotScenario):
        raise BadValue("a family of scenarios", remedy="name one of its scenarios")
    return single_environment(scenario.environment, likelihood)


def written(source: Any, key: str) -> Any:
    """What a file itself says about a setting, if it is one and says anything."""
    from multislot.worlds.table_json import read_json

    if not isinstance(source, str | Path) or not Path(source).is_file():
        return None
    content = read_json(Path(source))
    return content.get(key) if isinstance(content, dict) else None


def slot_discount(discount: Any, source: Any) -> Fraction:
    """The discount that is given, else the file's, else 1/2."""
    from multislot.planning.arithmetic import parse_fraction

    asked = written(source, "discount") if discount is None else discount
    return parse_fraction("1/2" if asked is None else asked, "discount")


def slot_horizon(horizon: int | None, source: Any) -> int:
    """The horizon that is given, else the file's; BadValue where neither says one."""
    chosen = horizon if horizon is not None else written(source, "horizon")
    if not isinstance(chosen, int):
        raise BadValue("no horizon", remedy="give --horizon T")
    return chosen


def slot_history(history: str | Sequence[tuple[Any, Any]], mixture: Mixture) -> AgentHistory:
    """A history from a text "action,observation;action,observation", or from pairs."""
    from multislot.simulation.traces import parse_history

    return parse_history(history, mixture) if isinstance(history, str) else tuple((a, o) for a, o in history)
