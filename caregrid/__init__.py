"""The face of caregrid: what a user touches, from Python, from Gymnasium and from the command line.

| to do                                      | call                                         |
| ------------------------------------------ | -------------------------------------------- |
| solve, sweep, compare and film caring agents | `problem`                                  |
| replay actions in any scenario              | `rollout`                                    |
| returns of a policy, from many episodes     | `sample_returns`                             |
| the best return and the best hidden performance | `optima`                                 |
| side-effect penalties of an episode         | `penalties`                                  |
| which of the papers' agents acts like this  | `record_behaviour`, `RecordBehaviour`, `identify`, `design` |
| bring your own world                       | `wrap`, `WorldSettings`, `Other`, `Considerate`, `Refresh` |
| measure agents in extended environments    | `battery`                                    |
| measure methods in all worlds              | `bench`, `compare_bench`                     |
| the formal theory of these environments    | `theory`, `measure`                          |
| value and run agents that may be copied    | `slots`, `simulate_slots`, `locality`        |
| plan with an input terminal                | `terminal`, `terminal_parameters`, `diagram` |
| run experiments, read what they stored     | `run`, `load`, `report`                      |
| share them, compute a part again           | `pack`, `unpack`, `verify`                   |
| watch any world, replay a film             | `film`, `load_film`                          |
| play any world                             | `play`                                       |
| look around                                | `entries`, `describe`, `validate`, `doctor`, `cite`, `papers`, `worlds` |
| teach                                      | `lesson`, `course`                           |
| pictures on a dark ground                  | `dark_pictures`                              |

| to write               | start from                                    | check with                               |
| ---------------------- | --------------------------------------------- | ---------------------------------------- |
| a scenario             | `Scenario`                                    | `check_scenario`                         |
| a formulation          | `at_the_end`, `at_every_step`                 | `check_formulation`                      |
| an environment         | `ExtendedEnvironment`, `ImaginedHistory`      | `check_environment`                      |
| an agent               | `Agent`, `AgentSpec`                          | `check_agent`                            |
| a future, a slot world | `Future`, `table_scenario`                    | `check_future`, `check_slot_world`       |
| a terminal world       | `TerminalWorld`                               | `check_terminal_world`                   |
| a planning agent       | `PlanningAgent`                               | `check_planning_agent`                   |
| an experiment          | `Experiment`                                  | `check_experiment`                       |

Names are imported when they are first used. Importing caregrid registers every scenario and extended environment with
Gymnasium, as `caregrid/NAME-v0`, without importing any of them.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from caregrid.at_import import register_with_gymnasium, require_own_packages

require_own_packages()  # before anything of them is imported

from engine.user_code import register_other_registry  # noqa: E402

if TYPE_CHECKING:
    from caregrid.gym.record_behaviour import RecordBehaviour
    from caregrid.lessons.course import course, lesson
    from caregrid.operations.caring import penalties
    from caregrid.operations.citing import cite, papers
    from caregrid.operations.entries import describe, doctor, entries, validate
    from caregrid.operations.experiments import bench, compare_bench, report, run
    from caregrid.operations.extended import battery, measure, theory
    from caregrid.operations.identifying import design, identify
    from caregrid.operations.makers import problem
    from caregrid.operations.sharing import pack, unpack, verify
    from caregrid.operations.worlds import optima, worlds
    from caregrid.programmes.caring.episodes import rollout, sample_returns
    from caregrid.programmes.caring.identification import record_behaviour
    from caregrid.programmes.play import play
    from caregrid.programmes.programme import film, load_film
    from caregrid.programmes.slots.locality import locality
    from caregrid.programmes.slots.values import simulate_slots, slots
    from caregrid.programmes.terminal.diagram import diagram
    from caregrid.programmes.terminal.simulation import terminal, terminal_parameters
    from caregrid.runs.experiment import load
    from caregrid.tables.doors import read_table
    from caregrid.wrapping.considerate import Considerate, Refresh
    from caregrid.wrapping.settings import Other, WorldSettings
    from caregrid.wrapping.wrap import wrap
    from counterfactual.agents import PlanningAgent
    from counterfactual.contract_checks.agents import check_planning_agent
    from counterfactual.contract_checks.worlds import check_terminal_world
    from counterfactual.worlds import TerminalWorld
    from craftworld.formulation import Formulation, at_every_step, at_the_end
    from craftworld.formulation_contract import check_formulation
    from craftworld.formulations import FORMULATIONS
    from craftworld.scenario import Scenario
    from craftworld.scenario_contract import check_scenario
    from craftworld.scenarios import SCENARIOS
    from engine.agent import Agent, AgentSpec, Transition, check_agent
    from engine.errors import CaregridError
    from engine.grid import GridMap
    from engine.mdp.mdp import TabularMDP
    from engine.mdp.tabulate import tabulate
    from experiments.catalogue import CATALOGUE, check_experiment
    from experiments.experiment import Claim, Experiment
    from multislot.contract_checks import check_future, check_slot_world
    from multislot.futures import Future
    from multislot.scenarios import table_scenario
    from renderers.drawing.palette import dark_pictures
    from xenv.contract_checks import check_environment
    from xenv.environment import ExtendedEnvironment
    from xenv.environments import ENVIRONMENTS
    from xenv.imagined_history import ImaginedHistory

_PLACES = {
    "battery": "caregrid.operations.extended",
    "bench": "caregrid.operations.experiments",
    "cite": "caregrid.operations.citing",
    "compare_bench": "caregrid.operations.experiments",
    "course": "caregrid.lessons.course",
    "dark_pictures": "renderers.drawing.palette",
    "describe": "caregrid.operations.entries",
    "design": "caregrid.operations.identifying",
    "diagram": "caregrid.programmes.terminal.diagram",
    "doctor": "caregrid.operations.entries",
    "entries": "caregrid.operations.entries",
    "film": "caregrid.programmes.programme",
    "identify": "caregrid.operations.identifying",
    "lesson": "caregrid.lessons.course",
    "load": "caregrid.runs.experiment",
    "load_film": "caregrid.programmes.programme",
    "locality": "caregrid.programmes.slots.locality",
    "measure": "caregrid.operations.extended",
    "optima": "caregrid.operations.worlds",
    "pack": "caregrid.operations.sharing",
    "papers": "caregrid.operations.citing",
    "penalties": "caregrid.operations.caring",
    "play": "caregrid.programmes.play",
    "problem": "caregrid.operations.makers",
    "read_table": "caregrid.tables.doors",
    "record_behaviour": "caregrid.programmes.caring.identification",
    "report": "caregrid.operations.experiments",
    "rollout": "caregrid.programmes.caring.episodes",
    "run": "caregrid.operations.experiments",
    "sample_returns": "caregrid.programmes.caring.episodes",
    "simulate_slots": "caregrid.programmes.slots.values",
    "slots": "caregrid.programmes.slots.values",
    "terminal": "caregrid.programmes.terminal.simulation",
    "terminal_parameters": "caregrid.programmes.terminal.simulation",
    "theory": "caregrid.operations.extended",
    "unpack": "caregrid.operations.sharing",
    "validate": "caregrid.operations.entries",
    "verify": "caregrid.operations.sharing",
    "worlds": "caregrid.operations.worlds",
    "CATALOGUE": "experiments.catalogue",
    "ENVIRONMENTS": "xenv.environments",
    "FORMULATIONS": "craftworld.formulations",
    "SCENARIOS": "craftworld.scenarios",
    "Agent": "engine.agent",
    "AgentSpec": "engine.agent",
    "CaregridError": "engine.errors",
    "Claim": "experiments.experiment",
    "Considerate": "caregrid.wrapping.considerate",
    "Experiment": "experiments.experiment",
    "ExtendedEnvironment": "xenv.environment",
    "Formulation": "craftworld.formulation",
    "Future": "multislot.futures",
    "GridMap": "engine.grid",
    "ImaginedHistory": "xenv.imagined_history",
    "Scenario": "craftworld.scenario",
    "TabularMDP": "engine.mdp.mdp",
    "TerminalWorld": "counterfactual.worlds",
    "Transition": "engine.agent",
    "WorldSettings": "caregrid.wrapping.settings",
    "at_every_step": "craftworld.formulation",
    "at_the_end": "craftworld.formulation",
    "check_agent": "engine.agent",
    "check_environment": "xenv.contract_checks",
    "check_experiment": "experiments.catalogue",
    "check_formulation": "craftworld.formulation_contract",
    "check_future": "multislot.contract_checks",
    "check_planning_agent": "counterfactual.contract_checks.agents",
    "check_scenario": "craftworld.scenario_contract",
    "check_slot_world": "multislot.contract_checks",
    "check_terminal_world": "counterfactual.contract_checks.worlds",
    "Other": "caregrid.wrapping.settings",
    "PlanningAgent": "counterfactual.agents",
    "RecordBehaviour": "caregrid.gym.record_behaviour",
    "Refresh": "caregrid.wrapping.considerate",
    "table_scenario": "multislot.scenarios",
    "tabulate": "engine.mdp.tabulate",
    "wrap": "caregrid.wrapping.wrap",
}

__all__ = [
    "CATALOGUE",
    "ENVIRONMENTS",
    "FORMULATIONS",
    "SCENARIOS",
    "Agent",
    "AgentSpec",
    "CaregridError",
    "Claim",
    "Considerate",
    "Experiment",
    "ExtendedEnvironment",
    "Formulation",
    "Future",
    "GridMap",
    "ImaginedHistory",
    "Other",
    "PlanningAgent",
    "RecordBehaviour",
    "Refresh",
    "Scenario",
    "TabularMDP",
    "TerminalWorld",
    "Transition",
    "WorldSettings",
    "at_every_step",
    "at_the_end",
    "battery",
    "bench",
    "check_agent",
    "check_environment",
    "check_experiment",
    "check_formulation",
    "check_future",
    "check_planning_agent",
    "check_scenario",
    "check_slot_world",
    "check_terminal_world",
    "cite",
    "compare_bench",
    "course",
    "dark_pictures",
    "describe",
    "design",
    "diagram",
    "doctor",
    "entries",
    "film",
    "identify",
    "lesson",
    "load",
    "load_film",
    "locality",
    "measure",
    "optima",
    "pack",
    "papers",
    "penalties",
    "play",
    "problem",
    "read_table",
    "record_behaviour",
    "report",
    "rollout",
    "run",
    "sample_returns",
    "simulate_slots",
    "slots",
    "table_scenario",
    "tabulate",
    "terminal",
    "terminal_parameters",
    "theory",
    "unpack",
    "validate",
    "verify",
    "worlds",
    "wrap",
]


def __getattr__(name: str) -> Any:
    """Return a public name, imported now; `__version__` as the installed package says it."""
    if name == "__version__":
        from importlib.metadata import version

        return version("caregrid")
    if name not in _PLACES:
        raise AttributeError(f"module 'caregrid' has no attribute '{name}'")
    return getattr(importlib.import_module(_PLACES[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, "__version__"})


register_with_gymnasium()
register_other_registry("scenario", "caregrid.wrapping.gym_names")  # how `gym:ID` is spelled inside
