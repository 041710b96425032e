"""The battery of extended environments: agents x environments x turns x seeds (Alexander et al. 2021, section 6).

A unit is one run; its row is one of `xenv.battery`.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.errors import BadValue
from engine.learning.stacks import CPU
from engine.shared_state import keep_shared_state
from engine.user_code import user_code
from experiments.experiment import TURNS, Experiment, ResultRow, Rows, ScoreColumns
from experiments.requests import ExperimentRequest
from experiments.runs.run_directory import RunDirectory

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from xenv.battery import Battery, BatteryRow

FEW = 2
HEADING = ("agent", "environment", "seed", "turns")


def compute_reward_per_turn(row: ResultRow) -> float:
    """Return the score of a run: its total reward over its turns."""
    return float(row["total_reward"] or 0) / int(row["turns"] or 1)


SCORES = ScoreColumns(score=compute_reward_per_turn, method="agent", environment="environment")


@dataclass(frozen=True)
class BatteryRequest(ExperimentRequest):
    """agents, environments: names, which may nest or be `module:attribute`. turns: of each run.

    randomness: "keys", or "published" for the published runs' pools. given: objects, by the names that stand for
    them. device: "cpu", or another one of torch's, on which all learners of a chunk of units learn together.
    """

    agents: tuple[str, ...]
    environments: tuple[str, ...]
    turns: int = 100_000
    seeds: tuple[int, ...] = (1, 2, 3, 4, 5)
    randomness: str = "keys"
    given: Mapping[str, Any] = field(default_factory=dict)
    device: str = CPU
    sort = "battery"

    def battery(self) -> Battery:
        """Return the runs to make, every name checked."""
        from xenv.battery import Battery

        agents, environments = ({name: self.given.get(name, name) for name in part} for part in self.parts)
        return Battery(agents, environments, self.turns, self.seeds, self.randomness)

    @property
    def parts(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The names of the agents and those of the environments."""
        return self.agents, self.environments

    def identity(self) -> Mapping[str, Any]:
        """Return all parameters, names in one spelling."""
        battery = self.battery()
        return {
            "agents": list(battery.agents),
            "environments": list(battery.environments),
            "turns": self.turns,
            "seeds": list(battery.seeds),
            "randomness": self.randomness,
            **({"device": self.device} if self.device != CPU else {}),
        }

    def slug(self) -> str:
        """agents-environments-turns, counted where they are many."""
        battery = self.battery()
        parts = (list(battery.agents), "agents"), (list(battery.environments), "environments")
        words = ["-".join(names) if len(names) <= FEW else f"{len(names)}_{kind}" for names, kind in parts]
        return "-".join([*words, f"{self.turns}_turns"])

    def experiment(self) -> Experiment:
        """Return the product of seeds, agents and environments, seed by seed: workers then compile different worlds."""
        battery = self.battery()
        runs: dict[str, Any] = {"run": functools.partial(run_agent, randomness=self.randomness, given=self.given)}
        if self.device != CPU:
            how: dict[str, Any] = {"randomness": self.randomness, "given": self.given, "device": self.device}
            alone = functools.partial(run_on_device, **how)
            together = functools.partial(run_together, **how)
            runs = {"run": alone, "together": together}
        return Experiment(
            reproduces="Extending Environments To Measure Self-Reflection, section 6",
            settings={
                "seed": battery.seeds,
                "agent": tuple(battery.agents),
                "environment": tuple(battery.environments),
                "turns": (self.turns,),
            },
            **runs,
            lengths={"turns": TURNS},
            scores=SCORES,
            figure=draw_battery_figure,
            version=3,  # until 2 `punish_slow_agent` counted lines that only call a user's agent
            name=self.name,
        )

    def require_semi_deterministic(self) -> None:
        """ContractBroken where what an environment sees in a copy is not what the agent itself would do."""
        from xenv.contract_checks import check_semi_deterministic

        for spec in self.battery().agents.values():
            check_semi_deterministic(spec)

    def tell_if_not_semi_deterministic(self) -> None:
        """Print a line for each of the user's own agents whose copies are not what it is: workers print none."""
        from xenv.user_agents import tell_if_not_semi_deterministic

        for spec in self.battery().agents.values():
            tell_if_not_semi_deterministic(spec, 2, 2)

    def require_device(self) -> None:
        """BadValue or MissingExtra where the device is not there, or an agent has no networks that could lie on it."""
        if self.device == CPU:
            return
        from engine.learning.stacks.stacks import make_stacks
        from xenv.interaction_loop import is_stackable

        make_stacks(self.device)
        for name, spec in self.battery().agents.items():
            if not is_stackable(spec):
                remedy = "measure dqn, stacked_dqn, stacked_a2c or stacked_ppo there, and this one on cpu"
                raise BadValue(f"'{name}' cannot learn on {self.device}", place="device", remedy=remedy)

    def rehearse(self) -> None:
        """Run the user's own agents and environments for one turn, so that what cannot work is refused before."""
        agents, environments = ([name for name in part if ":" in name or name in self.given] for part in self.parts)
        pairs = [(name, self.environments[0]) for name in agents] + [(self.agents[0], name) for name in environments]
        for agent, environment in pairs:
            with user_code(f"agent {agent} in {environment}"):
                run_agent(agent, environment, self.seeds[0], 1, 0, self.randomness, self.given)

    def read_rows_in_order(self, directory: Path) -> Rows:
        """The stored rows, agent by agent, environment by environment, seed by seed, as far as they are there."""
        experiment = self.experiment()
        units = RunDirectory(directory, experiment).read_finished()
        stored = {tuple(unit.setting[name] for name in HEADING): unit.rows for unit in units}
        points = itertools.product(*(experiment.settings[name] for name in HEADING))
        return [{**dict(zip(HEADING, point, strict=True)), **row} for point in points for row in stored.get(point, ())]


def run_agent(
    agent: str, environment: str, seed: int, turns: int, key: int, randomness: str, given: Mapping[str, Any]
) -> Rows:
    """Run one agent in one environment: the total reward. given: objects by the names that stand for them."""
    from xenv.battery import Battery

    agents = {agent: given.get(agent, agent)}
    environments = {environment: given.get(environment, environment)}
    battery = Battery(agents, environments, turns, (seed,), randomness)
    with keep_shared_state(*battery.agents.values(), *battery.environments.values()):  # no unit depends on another one
        [row] = battery
    return [{"total_reward": row.total_reward}]


def run_on_device(
    agent: str,
    environment: str,
    seed: int,
    turns: int,
    key: int,
    randomness: str,
    given: Mapping[str, Any],
    device: str,
) -> Rows:
    """As `run_agent`, for an agent whose networks lie on a device."""
    setting = {"agent": agent, "environment": environment, "seed": seed, "turns": turns}
    [rows] = run_together([setting], randomness, given, device)
    return rows


def run_together(
    settings: Sequence[Mapping[str, Any]], randomness: str, given: Mapping[str, Any], device: str
) -> list[Rows]:
    """Return the rows of many runs, whose learners lie in the same stacks on a device."""
    from engine.learning.stacks.stacks import make_stacks
    from xenv.interaction_loop import JointRun, run_jointly

    jobs = [
        JointRun(given.get(environment, environment), given.get(agent, agent), turns, seed, randomness)
        for setting in settings
        for agent, environment, seed, turns in [[setting[name] for name in ("agent", "environment", "seed", "turns")]]
    ]
    return [[{"total_reward": result.total_reward}] for result in run_jointly(jobs, make_stacks(device))]


def draw_battery_figure(rows: Rows) -> Figure:
    """Return the heat map."""
    from experiments.figures.heat_map import draw_battery

    return draw_battery(make_battery_rows(rows))


def make_battery_rows(rows: Rows) -> list[BatteryRow]:
    """Stored rows as rows of `xenv.battery`."""
    from xenv.battery import BatteryRow

    return [BatteryRow(**row) for row in rows]  # type: ignore[arg-type]
