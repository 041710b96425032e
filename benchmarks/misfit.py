"""How often `identify --misfit` raises a false alarm for copies, at terminals and in extended environments.

    python benchmarks/misfit.py [--draws 200] [PROGRAMME ...]

Agents are drawn from the hypotheses and their prior and act in a world of their programme; what they do is recorded
and read as any behaviour. Printed are the shares of false alarms, of which there should be at most 5 in 100, the
largest evidence against the hypotheses, and how many agents that change half-way are found.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import caregrid
from benchmarks.peak_memory import run_with_peak
from benchmarks.ratios import Ratios, add_ratios_option
from caregrid.gym.extended import GymnasiumExtendedEnvironment
from caregrid.programmes.extended.identification import KEYS
from caregrid.programmes.slots.identification import DISCOUNTS, list_turns
from caregrid.programmes.slots.values import read_mixture
from caregrid.programmes.terminal.identification import make_turn
from caregrid.programmes.turns import RecordedTurns
from counterfactual.agents import PLANNING_AGENTS
from counterfactual.planning.plan import Replanner
from counterfactual.simulation.real_world import find_allowed_actions, list_real_outcomes
from counterfactual.worlds import FIRST, TERMINAL_WORLDS
from engine.agent import Transition
from engine.plain_values import parse_rational
from multislot.planning.planner import evaluate
from multislot.simulation import simulate_slots
from xenv.names import agent_spec, environment_factory
from xenv.simulation import Simulate

RANDOM = "random"
TERMINAL, SLOTS, EXTENDED = "terminal", "slots", "extended"
PLANNERS = ("itf", "itc", "citc", "fc")
FUTURES = ("cpy", "dyn", "sta:1")
LEARNERS = ("simple", "q_learning", "sarsa")
WORLDS = {
    TERMINAL: ("tamper_grid", {"horizon": "8"}),
    SLOTS: ("teleport_move", {"horizon": "4"}),
    EXTENDED: ("repeater", {}),
}
EPISODES, TURNS = 3, 40


class DrawnAgent(NamedTuple):
    """A hypothesis with its parameters. name: as `caregrid identify` shows it; random draws all actions alike."""

    name: str
    temperature: float
    slip: float


def draw_agent(programme: str, random: np.random.Generator) -> DrawnAgent:
    """Draw a hypothesis, all alike, and its temperature and slips from the default prior."""
    if programme == TERMINAL:
        names = [*PLANNERS, RANDOM]
    elif programme == SLOTS:
        futures = [f"{future}@{discount}" for future in FUTURES for discount in DISCOUNTS]
        names = [*futures, *(f"{name}, exact" for name in futures), RANDOM]
    else:
        names = [*LEARNERS, *(f"{name}, any key" for name in LEARNERS), RANDOM]
    temperature = math.exp(random.uniform(math.log(0.05), math.log(20.0)))
    return DrawnAgent(names[int(random.integers(len(names)))], temperature, float(random.beta(1.0, 9.0)))


def choose(chances: np.ndarray[Any, Any], agent: DrawnAgent, random: np.random.Generator) -> int:
    """Draw an action: by the hypothesis' chances, or by a slip."""
    size = len(chances)
    shares = np.full(size, 1.0 / size) if agent.name == RANDOM else (1.0 - agent.slip) * chances + agent.slip / size
    return int(random.choice(size, p=shares / shares.sum()))


@cache
def _make_planner(name: str) -> Replanner:
    world, settings = WORLDS[TERMINAL]
    return Replanner(PLANNING_AGENTS[name], TERMINAL_WORLDS[world].make(dict(settings)))


def act_at_terminal(agents: Sequence[DrawnAgent], random: np.random.Generator) -> RecordedTurns:
    """Act at the terminal, each agent in some episodes. Of tied optimal actions one is drawn."""
    name, settings = WORLDS[TERMINAL]
    world = TERMINAL_WORLDS[name].make(dict(settings))
    recorded = []
    for agent in agents:
        for _ in range(EPISODES):
            present: Any = (world.start(), FIRST)
            turns = []
            for step in range(1, world.horizon + 1):
                allowed = np.flatnonzero(find_allowed_actions(world, step, present[0]))
                planner = _make_planner("itf" if agent.name == RANDOM else agent.name)
                best = np.isin(allowed, planner.list_optimal_actions(step, *present)).astype(np.float64)
                action = int(allowed[choose(best / best.sum(), agent, random)])
                outcomes = list_real_outcomes(world, step, *present, action)
                drawn = outcomes[random.choice(len(outcomes), p=[float(one.probability) for one in outcomes])]
                turns.append(make_turn(world, step, present, action, drawn))
                present = drawn.x, drawn.signal
            recorded.append(turns)
    return RecordedTurns(TERMINAL, name, settings, "drawn", recorded)


@cache
def _find_values(future: str, discount: str, left: int, history: Any) -> np.ndarray[Any, Any]:
    mixture = read_mixture(WORLDS[SLOTS][0], None, "exists")
    found = evaluate(mixture, future, left, parse_rational(discount, "discount"), history)
    return np.array([float(found.Q[each]) for each in mixture.actions])


def act_as_copies(agents: Sequence[DrawnAgent], random: np.random.Generator) -> RecordedTurns:
    """Act on slots: the first agent up to the middle of the run, the last one from there on, the same on all slots."""
    name, settings = WORLDS[SLOTS]
    horizon = int(settings["horizon"])
    mixture = read_mixture(name, None, "exists")
    (environment,) = mixture.environments
    memory: dict[Any, int] = {}

    def act(history: Any) -> Any:
        agent = agents[0 if 2 * len(history) < horizon else -1]
        if history not in memory:
            chances = np.full(len(mixture.actions), 1.0 / len(mixture.actions))
            if agent.name != RANDOM:
                future, _, discount = agent.name.removesuffix(", exact").partition("@")
                values = _find_values(future, discount, horizon - len(history), history)
                exact = agent.name.endswith(", exact")
                best = values >= values.max() - 1e-9
                chances = best / 1.0 if exact else np.exp((values - values.max()) / agent.temperature)
            memory[history] = choose(chances / chances.sum(), agent, random)
        return mixture.actions[memory[history]]

    trace = simulate_slots(environment, act, horizon, int(random.integers(2**31)))
    return RecordedTurns(SLOTS, name, settings, "drawn", [list_turns(environment, trace)])


def act_in_environment(agents: Sequence[DrawnAgent], random: np.random.Generator) -> RecordedTurns:
    """Act in an extended environment whose copies are of the first agent: each agent for some turns, and they learn."""
    name, _ = WORLDS[EXTENDED]
    seed, factory = int(random.integers(2**31)), environment_factory(name)
    shape = int(factory.n_observations), int(factory.n_actions)
    kind = agents[0].name.removesuffix(", any key")
    spec = "simple" if kind == RANDOM else kind
    env = caregrid.RecordBehaviour(GymnasiumExtendedEnvironment(name, spec), agent="drawn")
    observation, _ = env.reset(seed=seed)
    every = {
        agent: [
            Simulate(
                agent_spec("simple" if agent.name == RANDOM else agent.name.removesuffix(", any key")), *shape, key
            ).make_measured_agent()
            for key in (range(KEYS) if agent.name.endswith(", any key") else [seed])
        ]
        for agent in agents
    }
    for agent in agents:
        for _ in range(TURNS):
            chances = np.zeros(shape[1])
            for actor in every[agent]:
                chances[int(actor.act(observation))] += 1.0 / len(every[agent])
            action = choose(chances, agent, random)
            following, reward, *_ = env.step(action)
            for actor in (one for several in every.values() for one in several):
                actor.train(Transition(observation, action, reward, following))
            observation = following
    behaviour = env.behaviour
    assert isinstance(behaviour, RecordedTurns)
    return replace(behaviour, seed=seed)


ACT: dict[str, Callable[[Sequence[DrawnAgent], np.random.Generator], RecordedTurns]] = {
    TERMINAL: act_at_terminal,
    SLOTS: act_as_copies,
    EXTENDED: act_in_environment,
}
HYPOTHESES = {TERMINAL: PLANNERS, SLOTS: FUTURES, EXTENDED: LEARNERS}


def find_alarm(programme: str, agents: Sequence[DrawnAgent], random: np.random.Generator) -> Any:
    """Let agents act, and ask whether they are any of the hypotheses."""
    seen = ACT[programme](agents, random)
    return caregrid.identify(seen, agents=list(HYPOTHESES[programme]), misfit=True).misfit


def main() -> None:
    """Print a line for each programme; there should be at most 5 false alarms in 100."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("programmes", nargs="*", default=[*ACT])
    parser.add_argument("--draws", type=int, default=200)
    add_ratios_option(parser)
    asked = parser.parse_args()
    ratios = Ratios("misfit", asked.ratios, quick=asked.draws < 200)
    print("programme   draws  false alarms  largest evidence  changes found")
    for programme in asked.programmes:
        random = np.random.default_rng([1, *ACT].index(programme))
        single = [find_alarm(programme, [draw_agent(programme, random)], random) for _ in range(asked.draws)]
        double = [
            find_alarm(programme, [draw_agent(programme, random) for _ in range(2)], random) for _ in range(asked.draws)
        ]
        false, found = (sum(each.is_alarm for each in several) / asked.draws for several in (single, double))
        largest = math.exp(max(each.log_evidence_against for each in single))
        print(f"{programme:<10}  {asked.draws:>5}  {false:>12.1%}  {largest:>16.3g}  {found:>13.1%}")
        ratios.add(f"{programme}, agents without a false alarm / 0.95", (1.0 - false) / 0.95)


if __name__ == "__main__":
    sys.exit(run_with_peak(main))
