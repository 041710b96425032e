"""Read a model's file by its ending, as a caring scenario."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from caregrid.command_line.operation import check_arguments
from caregrid.tables import ENDINGS, POMDP
from caregrid.tables.decision_table import DecisionTable, make_scenario
from engine.errors import BadFile, BadValue, UnknownName
from engine.files import read_text
from engine.printable import show_value
from engine.value_types import Discount, ReadableStates, to_list

if TYPE_CHECKING:
    from craftworld.table_scenario import TableScenario

__all__ = ["from_file", "read_table"]

LARGEST_MODEL = 32 << 20  # bytes of text
MOST_STATES = 200_000
"""States of a table that is read; memory ends before."""


@check_arguments
def read_table(
    path: str | Path,
    *,
    own: str | None = None,
    others: str | Sequence[str] | None = None,
    costs: str | Sequence[str] = (),
    terminal: str = "",
    discount: Discount | None = None,
    most_states: ReadableStates = MOST_STATES,
    **constants: int | float | bool,
) -> TableScenario:
    """Read a Markov decision process from a file, as a caring scenario.

    Parameters
    ----------
    path : str or Path
        A .prism, .nm or .pm file (PRISM), .jani, or .npz (written by the command `export`, or a table of BRIDGE).
    own : str, optional
        The reward structure that is the agent's own; by default "own", or the first one.
    others : str or sequence of str, optional
        The reward structures of others, by default all but the own one. In a text they are separated by commas.
    costs : str or sequence of str
        Reward structures that count negatively. NAME and NAME_cost are one reward, NAME - NAME_cost.
    terminal : str
        The label of the states that end an episode; by default "terminal", and where there is no such label the states
        that nothing leaves and whose rewards are 0.
    discount : float from 0 to 1, optional
        gamma; by default the file's constant `discount`, or 1.
    most_states : int
        A model with more reachable states is refused.
    **constants
        Values of constants that the file leaves open.

    Returns
    -------
    TableScenario
        A scenario for `caregrid.problem`. Its states are the file's variables.

    Raises
    ------
    BadFile, BadValue, UnknownName
        In one line with the place in the file, for what cannot be read.

    Examples
    --------
    >>> import caregrid
    >>> _ = caregrid.problem("garden").export(out="garden.prism")
    >>> caregrid.problem(caregrid.read_table("garden.prism")).breakpoints().points
    (0.2, 3.5)
    """
    table = _read(Path(path), terminal, most_states, constants, discount)
    return make_scenario(table, own, None if others is None else _list(others), _list(costs), discount)


def _list(names: str | Sequence[str]) -> Sequence[str]:
    remedy = "give names of reward structures"
    if isinstance(names, str):
        return [name.strip() for name in names.split(",") if name.strip()]
    listed = to_list(names, "rewards", "read_table", remedy)
    if not all(isinstance(name, str) for name in listed):
        raise BadValue(f"rewards are {show_value(names)}", place="read_table", remedy=remedy)
    return listed


def _read(
    path: Path, terminal: str, most_states: int, constants: Mapping[str, Any], discount: float | None
) -> DecisionTable:
    ending = path.suffix.removeprefix(".").lower()
    if ending == POMDP:
        problem = "a POMDP, in which the agent does not see the state"
        raise BadFile(problem, place=str(path), remedy="give an mdp of its states, or of its beliefs")
    if ending not in ENDINGS:
        raise UnknownName("kind of file", ending or path.name, ENDINGS, place=str(path))
    if ending == "npz":
        if constants or terminal:
            words = ", ".join([*constants, *(["terminal"] if terminal else [])])
            raise BadValue(f"a table has no {words}", place=str(path), remedy="leave it out")
        from caregrid.tables.arrays import read_npz
        from caregrid.tables.bridge import read_bridge

        of_bridge = read_bridge(path, most_states)
        if of_bridge is not None:
            return of_bridge
        return read_npz(path, most_states).check(str(path))
    from caregrid.tables.symbolic_model import enumerate_model

    text = read_text(path, LARGEST_MODEL)
    read: Callable[..., Any]
    if ending == "jani":
        from caregrid.tables.jani import read_jani as read
    else:
        from caregrid.tables.prism import read_prism as read
    model = read(text, str(path), constants, discount)
    return enumerate_model(model, path.stem, terminal, most_states).check(str(path))


def from_file(file: str = "", **options: Any) -> TableScenario:
    """The scenario of a model's file, with the options of `caregrid.read_table`."""
    if "path" in options:
        raise BadValue("unknown option 'path'", place=file, remedy="leave it out: the name says it")
    return read_table(file, **options)
