"""Worlds whose rules are written for one state, with `if`: they are the worlds that are written for columns."""

from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import pytest

from counterfactual.agents import PLANNING_AGENTS
from counterfactual.contract_checks.worlds import check_terminal_world
from counterfactual.exact_parameters import integer, rational
from counterfactual.simulation.simulate import simulate
from counterfactual.worlds import PhysicsOutcome, Signal, SignalOutcome, TerminalWorld
from engine.errors import ContractBroken


class Lamp(NamedTuple):
    on: Any
    heat: Any


@dataclass(frozen=True)
class Lamps(TerminalWorld[Lamp]):
    """A lamp that grows hot and may go out; people want it dark once it is warm. Rules for columns."""

    horizon: int = integer(6, "steps", least=1)
    update_step: int = integer(2, "step at whose end people want it dark")
    discount: Fraction = rational("1", "discount of one step", least="0", most="1")

    name = "lamps"
    action_names = MappingProxyType({"s": "switch", "w": "wait"})
    features = ("lit",)
    signals = (Signal("light", (Fraction(1),)), Signal("dark", (Fraction(-1),)))

    def start(self) -> Lamp:
        return Lamp(0, 0)

    def physics(self, step: int, x: Lamp, action: Any) -> Any:
        on = x.on ^ self.is_any_of(action, "s")
        heat = np.minimum(x.heat + on, 3)
        goes_out = PhysicsOutcome(np.where(heat >= 2, 2, 0), Lamp(0 * on, heat), (0 * on,))
        return [PhysicsOutcome(1, Lamp(on, heat), (on,)), goes_out]

    def terminal(self, signal: Any, step: int, x: Lamp, action: Any, next_x: Lamp) -> Any:
        return [SignalOutcome(1, np.where((step >= self.update_step) & (next_x.heat > 0), 1, signal))]


class LampsWithIf(Lamps):
    """The same with `if`; a state without chance lists one outcome."""

    def physics(self, step: int, x: Lamp, action: Any) -> Any:
        on = 1 - x.on if self.is_any_of(action, "s") else x.on
        heat = min(x.heat + on, 3)
        if heat < 2:
            return [PhysicsOutcome(1, Lamp(on, heat), (on,))]
        return [PhysicsOutcome(1, Lamp(on, heat), (on,)), PhysicsOutcome(2, Lamp(0, heat), (0,))]

    def terminal(self, signal: Any, step: int, x: Lamp, action: Any, next_x: Lamp) -> Any:
        return [SignalOutcome(1, 1 if step >= self.update_step and next_x.heat > 0 else signal)]


@pytest.mark.parametrize("agent", ["itc", "itf", "fc"])
def test_rules_with_if_give_the_plans_of_rules_for_columns(agent: str) -> None:
    mine, theirs = (simulate(kind(horizon=7), PLANNING_AGENTS[agent]) for kind in (LampsWithIf, Lamps))
    assert mine.score == theirs.score
    assert mine.traces == theirs.traces


def test_one_line_says_what_it_costs(capsys: pytest.CaptureFixture[str]) -> None:
    check_terminal_world(type("Told", (LampsWithIf,), {}))
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert "class Told: rules such as physics are written for one state" in error


@pytest.mark.parametrize("chance", ["draw", "count"])
def test_rules_with_if_that_draw_or_count_are_refused(chance: str) -> None:
    generator, calls = np.random.Generator(np.random.PCG64(0)), list[int]()

    class Unsteady(LampsWithIf):
        def physics(self, step: int, x: Lamp, action: Any) -> Any:
            calls.append(step)
            other = generator.random() < 0.5 if chance == "draw" else len(calls) % 3 == 0
            return super().physics(step, x, action) if x.on or other else [PhysicsOutcome(1, Lamp(0, 3), (0,))]

    with pytest.raises(ContractBroken):
        check_terminal_world(Unsteady)
