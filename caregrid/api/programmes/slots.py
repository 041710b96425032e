"""`caregrid.slots`: the action values of an agent that may be copied, for a future that counts as its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from caregrid.api.checked import checked
from caregrid.api.programmes.slot_world import given_policy, slot_discount, slot_history, slot_horizon, slot_mixture
from caregrid.api.results.result import Result
from engine.limits.effort import ASK_FIRST, Effort
from engine.limits.whole_numbers import Horizon
from engine.plain_values import json_value
from experiments.figures.style import styled

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from multislot.future import Future
    from multislot.learning.mixture import Mixture
    from multislot.planning.evaluate import SlotEvaluation
    from multislot.scenario import SlotScenario
    from multislot.worlds.environment import HistoryBasedEnvironment, Label


SHORT = 10


@dataclass(frozen=True, repr=False, eq=False)
class SlotValues(Result):
    """Q(h, a) of every action at a history.

    name: of the world. future: which one counts. evaluation: Q, V, action, ties, P, slot_Q.
    """

    name: str
    future: str
    evaluation: SlotEvaluation

    @property
    def title(self) -> str:
        """World and future."""
        return f"{self.name}, {self.future}"

    @property
    def Q(self) -> Mapping[Label, Any]:
        """Action -> its value, a Fraction where arithmetic is exact."""
        return self.evaluation.Q

    @property
    def action(self) -> Label:
        """The action that is taken: the first of those with the largest value."""
        return self.evaluation.action

    @property
    def P(self) -> Mapping[int, Any]:
        """Slot -> how likely the agent is on it."""
        return self.evaluation.P

    def rows(self) -> list[dict[str, Any]]:
        """A row an action: its value, exact as text and as a number, whether it is taken, whether it ties."""
        return [
            {
                "action": str(action),
                "Q": float(value),
                "exact": str(value),
                "taken": action == self.action,
                "ties": action in self.evaluation.ties,
            }
            for action, value in self.Q.items()
        ]

    def as_dict(self) -> dict[str, Any]:
        """Q, V, action, ties, P, slot_Q, fractions as "p/q" and keys as text."""
        names = ("Q", "V", "action", "ties", "P", "slot_Q")
        return {name: json_value(getattr(self.evaluation, name)) for name in names}

    @styled
    def figure(self) -> Figure:
        """The values as bars, beside the estimate of the own slot."""
        from experiments.figures.style import OTHER, OWN, new_figure

        figure = new_figure(height=3.0)
        parts: tuple[tuple[str, Mapping[Any, Any], str, str], ...] = (
            ("action", self.Q, f"Q, {self.title}", OWN),
            ("slot", self.P, "P, the own slot", OTHER),
        )
        for axes, (label, numbers, title, colour) in zip(figure.subplots(1, 2), parts, strict=True):
            bars = axes.bar([str(name) for name in numbers], [float(x) for x in numbers.values()], 0.4, color=colour)
            axes.bar_label(bars, [_short(number) for number in numbers.values()])
            axes.set_title(title)
            axes.set_xlabel(label)
            axes.set_ylabel("value (discounted sum of rewards)" if label == "action" else "probability")
            axes.set_xmargin(0.3)
        return figure

    def text(self) -> str:
        """The values, the action taken, and the estimate of the own slot."""
        lines = [
            f"action {action}: {value}{'  <- taken' if action == self.action else ''}"
            for action, value in self.Q.items()
        ]
        slots = ", ".join(f"{slot}: {share}" for slot, share in self.P.items()) or "no agent can have this history"
        return "\n".join([*lines, f"slot estimate: {slots}"])


def _short(number: Any) -> str:
    """A fraction to the letter where it is short, else as a number."""
    exact = str(number)
    return exact if len(exact) <= SHORT else f"{float(number):.4g}"


@checked
def slots(
    world: str | Path | SlotScenario | HistoryBasedEnvironment | Mixture | None = None,
    *,
    members: str | Path | None = None,
    value: str | Future = "cpy",
    horizon: Horizon | None = None,
    discount: str | float | Fraction | None = None,
    history: str | Sequence[tuple[Label, Label]] = "",
    policy: str | Callable[..., Label] | None = None,
    likelihood: str = "exists",
    arithmetic: str = "exact",
    effort: Effort = ASK_FIRST,
    trust: bool = False,
) -> SlotValues:
    """The values of all actions at a history.

    world: an environment table in a file, a scenario's name, `module:attribute` or an object. members: in its place, a
    file with a class of environments. value: the future that counts, or, with a policy, a crowd. horizon: steps looked
    ahead; a file may hold it. discount: from 0 to 1; a file may hold it, else 1/2. history: "action,observation;..." or
    pairs. policy: followed after the action; by default the best actions are. likelihood: of a class. arithmetic:
    "exact" or "float". effort: how much work is done without asking; more is refused with an estimate. trust:
    import code that the file of `members` names. Raises UnknownName, BadValue, ContractBroken.
    """
    from multislot.crowds import is_crowd, named_crowd
    from multislot.futures import FUTURES
    from multislot.planning.arithmetic import named_arithmetic
    from multislot.planning.crowd_value import evaluate_crowd
    from multislot.planning.evaluate import evaluate
    from multislot.policy import PolicyContext

    mixture, numbers = slot_mixture(world, members, likelihood, effort, trust), named_arithmetic(arithmetic)
    so_far, source = slot_history(history, mixture), world if members is None else members
    steps, gamma = slot_horizon(horizon, source), slot_discount(discount, source)
    context = PolicyContext(mixture, len(so_far) + steps, gamma, numbers, effort)
    if not isinstance(value, str):
        FUTURES.accept(value)
    followed = None if policy is None else given_policy(policy, context)
    if isinstance(value, str) and is_crowd(value):
        crowd = named_crowd(value, mixture)
        evaluation = evaluate_crowd(mixture, crowd, followed, steps, gamma, so_far, numbers, effort)
    else:
        evaluation = evaluate(mixture, value, steps, gamma, so_far, numbers, followed, effort)
    named = value if isinstance(value, str) else type(value).__name__
    return SlotValues(", ".join(one.name for one in mixture.environments), named, evaluation)
