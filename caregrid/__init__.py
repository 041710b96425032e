"""The face of caregrid: what a user touches, from Python, from Gymnasium and from the command line.

| to do                                      | call                                         |
| ------------------------------------------ | -------------------------------------------- |
| solve, sweep, compare and film caring agents | `problem`                                  |
| replay actions in any scenario              | `rollout`                                    |
| returns of a policy, from many episodes     | `sample_returns`                             |
| the best return and the best hidden performance | `optima`                                 |
| side-effect penalties of an episode         | `penalties`                                  |
| bring your own world                       | `wrap`, `Other`, `Considerate`, `Refresh`    |
| measure agents in extended environments    | `battery`                                    |
| measure methods in all worlds              | `bench`, `compare_bench`                     |
| the formal theory of these environments    | `theory`                                     |
| value and run agents that may be copied    | `slots`, `simulate_slots`, `locality`        |
| plan with an input terminal                | `terminal`, `terminal_parameters`, `diagram` |
| run experiments, read what they stored     | `run`, `load`, `report`                      |
| watch any world, replay a film             | `film`, `load_film`                          |
| play any world                             | `play`                                       |
| look around                                | `entries`, `describe`, `validate`, `doctor`, `worlds` |
| teach                                      | `lesson`, `course`                           |

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

from caregrid.own_packages import require_own_packages

require_own_packages()  # before anything of them is imported

from caregrid.environments.registration import register_with_gymnasium  # noqa: E402
from engine.trusted_names import register_other_registry  # noqa: E402

if TYPE_CHECKING:
    from caregrid.api.bench import bench
    from caregrid.api.bench_comparison import compare_bench
    from caregrid.api.caring.problem import problem
    from caregrid.api.episodes.penalties import penalties
    from caregrid.api.episodes.rollout import rollout
    from caregrid.api.episodes.sampled_returns import sample_returns
    from caregrid.api.experiment import load, run
    from caregrid.api.film import film, load_film
    from caregrid.api.guide.entries import describe, entries
    from caregrid.api.guide.installation import doctor
    from caregrid.api.guide.lessons import course, lesson
    from caregrid.api.guide.validation import validate
    from caregrid.api.guide.worlds import worlds
    from caregrid.api.optima import optima
    from caregrid.api.play import play
    from caregrid.api.programmes.battery import battery
    from caregrid.api.programmes.diagram import diagram
    from caregrid.api.programmes.slot_locality import locality
    from caregrid.api.programmes.slot_simulation import simulate_slots
    from caregrid.api.programmes.slots import slots
    from caregrid.api.programmes.terminal import terminal, terminal_parameters
    from caregrid.api.programmes.theory import theory
    from caregrid.api.report import report
    from caregrid.wrapping.learned.considerate import Considerate
    from caregrid.wrapping.learned.refresh import Refresh
    from caregrid.wrapping.other import Other
    from caregrid.wrapping.wrap import wrap
    from counterfactual.checkers.planning_agent import check_planning_agent
    from counterfactual.checkers.terminal_world import check_terminal_world
    from counterfactual.planning_agent import PlanningAgent
    from counterfactual.terminal_world import TerminalWorld
    from craftworld.checkers.formulation import check_formulation
    from craftworld.checkers.scenario import check_scenario
    from craftworld.formulation import Formulation, at_every_step, at_the_end
    from craftworld.formulations import FORMULATIONS
    from craftworld.scenario import Scenario
    from craftworld.scenarios import SCENARIOS
    from engine.agent import Agent, AgentSpec, Transition
    from engine.check_agent import check_agent
    from engine.errors import CaregridError
    from engine.grid.grid_map import GridMap
    from engine.mdp.mdp import TabularMDP
    from engine.mdp.tabulate import tabulate
    from experiments.catalogue import CATALOGUE, check_experiment
    from experiments.experiment import Claim, Experiment
    from multislot.checkers.future import check_future
    from multislot.checkers.slot_world import check_slot_world
    from multislot.future import Future
    from multislot.scenario import table_scenario
    from xenv.checkers.environment import check_environment
    from xenv.environment import ExtendedEnvironment
    from xenv.environments import ENVIRONMENTS
    from xenv.imagined_history import ImaginedHistory

_PLACES = {
    "battery": "caregrid.api.programmes.battery",
    "bench": "caregrid.api.bench",
    "compare_bench": "caregrid.api.bench_comparison",
    "course": "caregrid.api.guide.lessons",
    "describe": "caregrid.api.guide.entries",
    "diagram": "caregrid.api.programmes.diagram",
    "doctor": "caregrid.api.guide.installation",
    "entries": "caregrid.api.guide.entries",
    "film": "caregrid.api.film",
    "lesson": "caregrid.api.guide.lessons",
    "load": "caregrid.api.experiment",
    "load_film": "caregrid.api.film",
    "locality": "caregrid.api.programmes.slot_locality",
    "optima": "caregrid.api.optima",
    "penalties": "caregrid.api.episodes.penalties",
    "play": "caregrid.api.play",
    "problem": "caregrid.api.caring.problem",
    "report": "caregrid.api.report",
    "rollout": "caregrid.api.episodes.rollout",
    "run": "caregrid.api.experiment",
    "sample_returns": "caregrid.api.episodes.sampled_returns",
    "simulate_slots": "caregrid.api.programmes.slot_simulation",
    "slots": "caregrid.api.programmes.slots",
    "terminal": "caregrid.api.programmes.terminal",
    "terminal_parameters": "caregrid.api.programmes.terminal",
    "theory": "caregrid.api.programmes.theory",
    "validate": "caregrid.api.guide.validation",
    "worlds": "caregrid.api.guide.worlds",
    "CATALOGUE": "experiments.catalogue",
    "ENVIRONMENTS": "xenv.environments",
    "FORMULATIONS": "craftworld.formulations",
    "SCENARIOS": "craftworld.scenarios",
    "Agent": "engine.agent",
    "AgentSpec": "engine.agent",
    "CaregridError": "engine.errors",
    "Claim": "experiments.experiment",
    "Considerate": "caregrid.wrapping.learned.considerate",
    "Experiment": "experiments.experiment",
    "ExtendedEnvironment": "xenv.environment",
    "Formulation": "craftworld.formulation",
    "Future": "multislot.future",
    "GridMap": "engine.grid.grid_map",
    "ImaginedHistory": "xenv.imagined_history",
    "Scenario": "craftworld.scenario",
    "TabularMDP": "engine.mdp.mdp",
    "TerminalWorld": "counterfactual.terminal_world",
    "Transition": "engine.agent",
    "at_every_step": "craftworld.formulation",
    "at_the_end": "craftworld.formulation",
    "check_agent": "engine.check_agent",
    "check_environment": "xenv.checkers.environment",
    "check_experiment": "experiments.catalogue",
    "check_formulation": "craftworld.checkers.formulation",
    "check_future": "multislot.checkers.future",
    "check_planning_agent": "counterfactual.checkers.planning_agent",
    "check_scenario": "craftworld.checkers.scenario",
    "check_slot_world": "multislot.checkers.slot_world",
    "check_terminal_world": "counterfactual.checkers.terminal_world",
    "Other": "caregrid.wrapping.other",
    "PlanningAgent": "counterfactual.planning_agent",
    "Refresh": "caregrid.wrapping.learned.refresh",
    "table_scenario": "multislot.scenario",
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
    "Refresh",
    "Scenario",
    "TabularMDP",
    "TerminalWorld",
    "Transition",
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
    "compare_bench",
    "course",
    "describe",
    "diagram",
    "doctor",
    "entries",
    "film",
    "lesson",
    "load",
    "load_film",
    "locality",
    "optima",
    "penalties",
    "play",
    "problem",
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
    "validate",
    "worlds",
    "wrap",
]


def __getattr__(name: str) -> Any:
    """A public name, imported now; `__version__` as the installed package says it."""
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
