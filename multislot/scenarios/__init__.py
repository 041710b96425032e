"""Named scenarios: an environment together with worked examples, numbers that can be checked.

A worked example is a statement about an environment, and the exact action values that make it true. A scenario is an
object (`SlotScenario`), or a family of them that takes what follows its name: "booth_corridor:move,coloured",
"threshold:3,2,1,2,1". The scenarios lie in the files beside this one, by what the paper shows with them.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from engine.contracts import Contract, require_class, require_instance, require_overrides
from engine.effort import ASK_FIRST, Effort
from engine.errors import ContractBroken, did_you_mean
from engine.registry import Registry
from engine.user_code import describe_place, user_code
from multislot.errors import BadTable
from multislot.learning import make_single_environment, parse_history
from multislot.naming import Family, find_named
from multislot.planning.planner import SlotEvaluation, evaluate
from multislot.worlds.environment import HistoryBasedEnvironment, Label
from multislot.worlds.table import parse_table, read_json, table_environment


@dataclass(frozen=True)
class WorkedExample:
    """A statement and the action values behind it.

    value: the name of a future. Q: by action, the exact value as a fraction written out. horizon, discount, history
    ("a,o;a,o"): what is asked, as in `multislot.planning.planner.evaluate`.
    """

    statement: str
    value: str
    Q: Mapping[Label, str]
    horizon: int
    discount: str = "1/2"
    history: str = ""

    def evaluate(self, environment: HistoryBasedEnvironment) -> SlotEvaluation:
        """Return the values that the environment really has."""
        history = parse_history(self.history, make_single_environment(environment))
        return evaluate(environment, self.value, self.horizon, Fraction(self.discount), history)

    def holds(self, environment: HistoryBasedEnvironment) -> bool:
        """Return whether the action values are exactly those of the example."""
        wanted = {action: Fraction(text) for action, text in self.Q.items()}
        return dict(self.evaluate(environment).Q) == wanted


@dataclass(frozen=True)
class SlotScenario:
    """An environment and what is worked out on it. Raises ContractBroken where it is not an environment."""

    environment: HistoryBasedEnvironment
    examples: tuple[WorkedExample, ...] = ()

    def __post_init__(self) -> None:
        require_instance(self.environment, HistoryBasedEnvironment, "history-based environment")


def table_scenario(*examples: WorkedExample, **entries: Any) -> SlotScenario:
    """Make a scenario from a table.

    Parameters
    ----------
    *examples : WorkedExample
        Statements about the environment, with the exact action values behind them.
    **entries
        The keys of the table format: name, actions, rewards, rules; optionally init, z0, update, doc.

    Returns
    -------
    SlotScenario

    Raises
    ------
    BadTable
        If the entries do not describe an environment; the message names the row.

    Examples
    --------
    >>> from multislot.scenarios import table_scenario
    >>> rules = [["S", 1, "*", [["1", {"2": 0}]]], ["S", 2, "*", [["1", {}]]]]
    >>> table_scenario(name="ferry", actions=[0], rewards={"0": "1/2"}, z0="S", rules=rules).environment.rewards
    {0: Fraction(1, 2)}
    """
    return SlotScenario(table_environment(**entries), examples)


def as_slot_scenario(entry: Any) -> Any:
    """Return an environment, or a class of one made without arguments, as a scenario, and anything else as it is."""
    if isinstance(entry, SlotScenario | Family):
        return entry
    if inspect.isclass(entry) and issubclass(entry, HistoryBasedEnvironment):
        require_class(entry, HistoryBasedEnvironment, "slot scenario")
        with user_code(f"slot scenario in {describe_place(entry)}"):
            entry = entry()
    if isinstance(entry, HistoryBasedEnvironment):
        require_overrides(type(entry), HistoryBasedEnvironment)
        return SlotScenario(entry)
    from multislot.worlds.protocol import MultiSlotEnvironment

    if isinstance(entry, MultiSlotEnvironment) or (inspect.isclass(entry) and issubclass(entry, MultiSlotEnvironment)):
        remedy = "check it by 'multislot locality', or simulate it by multislot.simulation.simulate_slots"
        raise ContractBroken(
            "agents may interact in it, so it has no values", place=describe_place(entry), remedy=remedy
        )
    return entry


SLOT_SCENARIO = Contract[SlotScenario | Family[SlotScenario]](
    "slot scenario", instance_of=SlotScenario, also=(Family,), convert=as_slot_scenario
)
SLOT_SCENARIOS: Registry[SlotScenario | Family[SlotScenario]] = Registry(
    "multislot.scenarios", "scenario", accept=SLOT_SCENARIO.accept, group="caregrid.slot_scenarios"
)


def slot_scenario(name: str, effort: Effort = ASK_FIRST) -> SlotScenario:
    """Find a scenario: "swap", "threshold:2,1,1,3,1", "my_file:world". UnknownName, BadValue, ContractBroken."""
    return find_named(SLOT_SCENARIOS, name, effort)


def load_environment(name: str | Path, beside: Path = Path(), effort: Effort = ASK_FIRST) -> HistoryBasedEnvironment:
    """Return an environment by its file, or by the name of a scenario; BadTable where it is neither."""
    path = beside / str(name)
    if os.path.isfile(path):  # which, unlike Path's, is False for names too long for files
        return parse_table(read_json(path), str(path))
    if str(name).partition(":")[0] in SLOT_SCENARIOS or ":" in str(name):
        return slot_scenario(str(name), effort).environment
    if path.suffix == ".json" or os.path.exists(path):
        raise BadTable("file not found", place=str(path), remedy="give a file or the name of a scenario")
    remedy = did_you_mean(str(name), SLOT_SCENARIOS.names())
    raise BadTable(f"'{name}' is neither a file nor a scenario", remedy=remedy)
