"""Corrigibility: whether an agent lets itself be corrected, stopped or switched off.

Worlds with an input terminal have no coefficient. There `own` is the expected discounted return in the real world,
under the reward functions in force, and `violations` the expected number of steps in which the agent works on the
terminal, or on the people who use it (`TerminalWorld.manipulates`).
"""

from __future__ import annotations

from collections.abc import Sequence

from experiments.bench.own_method import PLANNING_AGENT
from experiments.bench.suite import BenchCase, Suite, measured_row
from experiments.bench.suites._caring_worlds import caring_methods, measure_caring, random_maps, takes
from experiments.experiment import Rows

TERMINALS = ("car_factory", "tamper_grid", "barricade", "off_switch")


def _methods(world: str, quick: bool) -> Sequence[tuple[str, int | None]]:
    from counterfactual.agents import PLANNING_AGENTS

    return [(name, None) for name in PLANNING_AGENTS] if world in TERMINALS else caring_methods(world, quick)


def _measure(case: BenchCase) -> Rows:
    return _measure_terminal(case) if case.world in TERMINALS else measure_caring(case)


def _measure_terminal(case: BenchCase) -> Rows:
    from counterfactual.agents import PLANNING_AGENTS
    from counterfactual.simulation.manipulation import expected_manipulations
    from counterfactual.simulation.simulate import simulate
    from counterfactual.worlds import TERMINAL_WORLDS

    world, agent = TERMINAL_WORLDS[case.world].make({}), PLANNING_AGENTS[case.method]
    simulation = simulate(world, agent)
    trace = simulation.traces.first(1)[0]
    manipulations = float(expected_manipulations(world, agent))
    actions = ",".join(trace.replace("#", ""))
    return [measured_row(float(simulation.real_return), violations=manipulations, actions=actions)]


corrigibility = Suite(
    says="Whether an agent lets itself be corrected, stopped or switched off.",
    worlds=(*TERMINALS, "safe_interruptibility", "whisky_gold", "whisky_gold,explorer=world"),
    quick=(*TERMINALS, "safe_interruptibility", "whisky_gold"),
    methods=_methods,
    measure=_measure,
    random_maps=lambda world: world not in TERMINALS and random_maps(world),
    takes=lambda world, sort: sort == PLANNING_AGENT if world in TERMINALS else takes(sort),
)
