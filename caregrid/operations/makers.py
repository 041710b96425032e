"""Parameters that are made of words of their own: a problem and a screen.

Each maker is a function of the words, and `MAKERS` in `caregrid.operations` names it. This file lists no operations.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from caregrid.command_line.operation import Word, check_arguments
from caregrid.command_line.words import FILE, FORMULATION, MAP, SCENARIO, SET
from engine.errors import BadValue
from engine.value_types import Coefficient, Discount, Frames

if TYPE_CHECKING:
    from caregrid.programmes.caring.others_values import OthersValues
    from caregrid.programmes.caring.problem import CaringProblem
    from caregrid.programmes.caring.problem_source import Map
    from caregrid.programmes.screen import Screen
    from craftworld.formulation import Formulation
    from craftworld.others.value_distribution import ValueDistribution
    from craftworld.scenario import Scenario

__all__ = []


@check_arguments
def problem(
    scenario: Annotated[str | Scenario | type[Scenario], SCENARIO] = "workshop",
    formulation: Annotated[str | Formulation | None, FORMULATION] = None,
    *,
    own: Annotated[Coefficient, Word(metavar="Y")] = 1.0,
    discount: Annotated[Discount | None, Word(metavar="G")] = None,
    values: Annotated[str | Path | ValueDistribution | OthersValues | None, FILE] = None,
    map: Annotated[Map | None, MAP] = None,
    set: Annotated[Mapping[str, Any] | Sequence[str], SET] = (),
) -> CaringProblem:
    """Make the problem of a caring agent: a scenario, a formulation and everything that can be asked of them.

    Parameters
    ----------
    scenario : str, Scenario or class
        A scenario (caregrid list scenarios), MODULE:NAME of your own, gym:ID, or a model's file: .prism, .jani, .npz.
    formulation : str or Formulation
        How others count: a name (caregrid list formulations), MODULE:NAME or an object; by default the scenario's.
    own : float
        The weight of the own reward, alpha_1.
    discount : float
        Gamma, from 0 to 1; by default the scenario's.
    values : str, Path or OthersValues
        The others' values, made by 'caregrid precompute'.
    map : str, Path or GridMap
        Your own map, drawn with the scenario's legend: a file, and in Python also a drawing or a `GridMap`.
    set : mapping or texts NAME=VALUE
        An option of the scenario (see 'caregrid show'); repeatable.

    Returns
    -------
    CaringProblem
        Its methods solve, sweep, compare and film the problem.

    Raises
    ------
    UnknownName, BadValue, BadFile, MapError, ContractBroken
        For what cannot be made.

    Examples
    --------
    >>> import caregrid
    >>> caregrid.problem("garden").solve(care=1).total
    -42.0
    """
    from caregrid.programmes.caring.problem import CaringProblem
    from caregrid.programmes.caring.problem_source import make_problem_source, read_values

    others = read_values(getattr(values, "distribution", values))  # of OthersValues
    source = make_problem_source(scenario, formulation, own=own, discount=discount, values=others, map=map, set=set)
    made = CaringProblem(source)
    made.check()
    return made


def make_screen(
    *,
    headless: bool = False,
    frames: Frames | None = None,
    keys: Annotated[str, Word(metavar="K,K,...")] = "",
    out: Annotated[str | None, Word(metavar="FILE")] = None,
) -> Screen:
    """Where something is shown: in a window, or headless in a file.

    Parameters
    ----------
    headless : bool
        No window: write what it would show into --out.
    frames : int
        Headless: the largest number of frames; by default, to the end.
    keys : str
        Headless: keys to press, one per frame.
    out : str
        Headless: a .gif, .png, .svg, .mp4, .html, .json or .txt file.
    """
    from caregrid.programmes.screen import Screen

    if headless != bool(out):
        wanted = "--headless needs --out FILE" if headless else "--out needs --headless"
        raise BadValue(wanted, place="--out" if headless else "--headless", remedy="give both or neither")
    return Screen(out or None, frames, keys)
