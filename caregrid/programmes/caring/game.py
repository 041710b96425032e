"""A scenario: a person is the acting agent, others come afterwards (settings of `problem`, and the scenario's own).

Once the game is over, the player sees the newcomers, and what the optimum gets at each care. A path is a line too,
own + care * auxiliary, that lies nowhere above the optimum, which is convex in care; so the coefficients at which the
path is optimal are one interval, a point, or none. Of a scenario that is too large for a table the rules step the
state, and no optimum is compared.
"""

from __future__ import annotations

import inspect
import math
import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from caregrid.programmes.caring.played_like import describe_player
from caregrid.programmes.caring.replayed_behaviour import make_played_behaviour
from caregrid.programmes.caring.scenes import PATH, YOU, SolvedEpisode, add_solutions, draw_solution, list_overlays
from caregrid.programmes.caring.viewer import inspect_cell
from caregrid.programmes.game import NOTHING, Facts, Game, Move, assign_keys, find_direction
from craftworld.identification.behaviour import Behaviour
from craftworld.rollout import EpisodeReplay, ReplayedEpisode, rollout
from craftworld.scenario import Scenario, observes_performance
from craftworld.solution.episodes import (
    AgentEpisode,
    describe_action,
    film_episodes,
    make_acting_episode,
    make_acting_key,
    make_newcomer_episodes,
)
from craftworld.solution.exact_solution import FROM_ZERO, CaringOutcome, choose_segments, describe_outcome
from craftworld.solution.problem import Problem
from engine.contracts import call_method
from engine.mdp.mdp import Floats
from engine.mdp.policies import Episode, Trajectory, find_successor
from engine.planning.trade_off.envelope import Line, Segment
from engine.randomness.counter_based import uniform
from engine.scene import Film, Path, Scene


def describe_world_rules(scenario: Scenario) -> str:
    """Return the documentation of the scenario's file, else of its class."""
    kind = type(scenario)
    module = sys.modules.get(kind.__module__)
    of_one_entry = None if hasattr(module, "__all__") else getattr(module, "__doc__", None)
    return inspect.cleandoc(of_one_entry or kind.__doc__ or scenario.name)


def describe_company(scenario: Scenario) -> str:
    """Who acts beside the player's agent, and when."""
    after = [newcomer.name for newcomer in call_method(scenario, "newcomers")]
    beside = [agent.name for agent in call_method(scenario, "simultaneous_agents")]
    words = []
    if beside:
        words.append(f"At the same time acts: {', '.join(beside)}.")
    if after:
        words.append(f"Afterwards, in the world as you leave it: {', '.join(dict.fromkeys(after))}.")
    return " ".join(words) or "Nobody else is there."


def make_action_menu(actions: tuple[str, ...], available: tuple[str, ...]) -> tuple[Move, ...]:
    """Return a move for each action."""
    return tuple(
        Move(key, action, f"go {action}" if action == key else action, action in available)
        for action, key in assign_keys(actions).items()
    )


def find_step_to(scenario: Scenario, state: Any, cell: tuple[int, int], actions: Sequence[str]) -> str | None:
    """The action, one of some, that goes from the agent's place to a cell next to it; None where there is none."""
    position = scenario.position(state)
    direction = None if position is None else find_direction(position, cell)
    return direction if direction in actions else None


def describe_step(episode: Episode) -> str:
    """Return what the last step did: the action, whether it had an effect, and the reward."""
    return f"{describe_action(episode, len(episode.steps) - 1)}: your reward {episode.steps[-1].reward:+g}"


class ReplayGame(Game):
    """seed: of chance, the same draw for each step."""

    def __init__(self, scenario: Scenario, seed: int = 0) -> None:
        self._scenario = scenario
        self.title = f"{scenario.name}: your turn"
        self.about = describe_world_rules(scenario)
        self.goal = f"You are the acting agent. {describe_company(scenario)} What counts is your return."
        self._replay = EpisodeReplay(scenario, seed=seed)
        self._scenes: Film = ()

    def menu(self) -> tuple[Move, ...]:
        """List the moves: arrows move, digits (then letters) do the other actions."""
        return make_action_menu(self._scenario.actions, self._replay.available()) if not self._replay.over else ()

    def take(self, action: str) -> str:
        """Return a step by the rules."""
        self._replay.take(action)
        self._scenes = ()
        return describe_step(self._replay.episode().episode)

    def __len__(self) -> int:
        return self._replay.steps + 1

    def overlays(self) -> Sequence[str]:
        """Return the path, and nothing."""
        return (PATH, NOTHING)

    def scene(self, index: int, overlay: str = NOTHING) -> Scene:
        """Return a scene with return and performance so far."""
        replayed = self._replay.episode()
        if not self._scenes:
            self._scenes = film_episodes([AgentEpisode(YOU, self._scenario, replayed.episode, (), replayed.seed)])
        if overlay != PATH:
            return self._scenes[index]
        positions = [self._scenario.position(state) for state in replayed.episode.states[: index + 1]]
        cells = tuple((position.row, position.column) for position in positions if position is not None)
        return replace(self._scenes[index], overlays=(Path(PATH, cells),) if cells else ())

    def move_to(self, cell: tuple[int, int]) -> str | None:
        """Return the step to a neighbouring cell."""
        return find_step_to(self._scenario, self._replay.state, cell, self._replay.available())

    def result(self) -> Facts:
        """Return and hidden performance, beside those of the demonstrations."""
        shown = [
            (f"{one.name} (demonstration)", rollout(self._scenario, one.actions, chance=one.chance))
            for one in self._scenario.demonstrations()
        ]
        return tuple((label, _list_scores(replayed)) for label, replayed in [("you", self._replay.episode()), *shown])

    def suggestion(self) -> str | None:
        """Return what the first demonstration does next, as long as it has been followed."""
        done = self._replay.episode().episode.actions
        first = next(iter(self._scenario.demonstrations()), None)
        followed = first is not None and first.actions[: len(done)] == done and not self._replay.over
        return first.actions[len(done)] if first and followed and len(done) < len(first.actions) else None


def _list_scores(replayed: ReplayedEpisode) -> str:
    own = f"return {replayed.episode.total():g}"
    return own if observes_performance(replayed.scenario) else f"{own}, performance {sum(replayed.performance):g}"


MOST_SEGMENTS = 12


class PathReturns(NamedTuple):
    """What a path got. own: the agent's return. others: name -> return. line: augmented return by care."""

    own: float
    others: dict[str, float]
    line: Line


def compute_path_returns(problem: Problem, path: Trajectory) -> PathReturns:
    """Return the returns of a path, each from the rewards of the successors that came.

    Newcomers' returns are what they can expect in the state handed over.
    """
    mdp = problem.mdp
    table, rewards = problem.others.return_rewards(mdp)
    others = [_discount_rewards(reward, path, table.discount) for reward in rewards]
    fixed, swept = problem.compute_caring_rewards(path.states[0])
    own = _discount_rewards(problem.own * mdp.reward + fixed, path, mdp.discount)
    line = Line(own, _discount_rewards(swept, path, mdp.discount))
    return PathReturns(
        _discount_rewards(mdp.reward, path, mdp.discount), dict(zip(problem.others.names, others, strict=True)), line
    )


def find_optimal_cares(line: Line, segments: Sequence[Segment]) -> tuple[float, float] | None:
    """The least and largest coefficient at which a path's line is optimal, among all optimal segments of a range."""
    touched = [segment.start for segment in segments if _equal(segment.line.at(segment.start), line.at(segment.start))]
    last = segments[-1]
    if math.isfinite(last.stop):
        touched += [last.stop] if _equal(last.line.at(last.stop), line.at(last.stop)) else []
    elif last.start in touched and _equal(last.line.auxiliary, line.auxiliary):
        touched.append(last.stop)
    return (min(touched), max(touched)) if touched else None


def describe_result(problem: Problem, care: float, path: Trajectory) -> Facts:
    """Return the path's returns, the optimum at the coefficient, and the optimal returns at every other one."""
    start = path.states[0]
    ended = bool(problem.mdp.terminal[path.states[-1]])
    got = compute_path_returns(problem, path)
    segments = choose_segments(problem, FROM_ZERO)[start]
    best = problem.find_segment(care, start)
    mine = find_optimal_cares(got.line, segments) if ended and problem.mdp.is_deterministic else None
    rows = [("your own return", _write_number(got.own))]
    if ended:
        rows += [(f"{name}'s return", _write_number(value)) for name, value in got.others.items()]
        rows.append(("your augmented return", _write_number(got.line.at(care))))
    rows += [
        ("the optimum's", _write_number(best.line.at(care))),
        (f"optimum, care {care:g}", _write_returns(describe_outcome(problem, best, start))),
    ]
    if ended and problem.mdp.is_deterministic:
        rows.append(("your path is optimal", _write_interval(mine)))
    elif path.actions:
        rows.append((f"actions optimal at care {care:g}", _count_optimal_actions(problem, care, path)))
    for segment in segments[:MOST_SEGMENTS]:
        outcome = describe_outcome(problem, segment, start)
        yours = "  <- like yours" if mine and _have_equal_returns(outcome, got) else ""
        rows.append((f"optimum, care {segment.start:g} to {segment.stop:g}", f"{_write_returns(outcome)}{yours}"))
    if len(segments) > MOST_SEGMENTS:
        rows.append(("and at larger coefficients", f"{len(segments) - MOST_SEGMENTS} more: see 'caregrid breakpoints'"))
    return tuple(rows)


def _have_equal_returns(outcome: CaringOutcome, got: PathReturns) -> bool:
    """Return whether an optimum's returns are those of a path."""
    return _equal(outcome.own, got.own) and all(_equal(outcome.others[name], got.others[name]) for name in got.others)


def _write_returns(outcome: CaringOutcome) -> str:
    return ", ".join(f"{name} {_write_number(value)}" for name, value in {"own": outcome.own, **outcome.others}.items())


def _count_optimal_actions(problem: Problem, care: float, path: Trajectory) -> str:
    """Return how many actions of a path were optimal where they were taken, and the first that was not."""
    solution = problem.plan_optimum(care, path.states[0])
    optimal = [
        _equal(float(solution.action_value[state, action]), float(solution.value[state]))
        for state, action in zip(path.states, path.actions, strict=False)
    ]
    first = "" if all(optimal) else f"; the first other one is step {optimal.index(False) + 1}"
    return f"{sum(optimal)} of {len(optimal)}{first}"


def _discount_rewards(reward: Floats, path: Trajectory, discount: float) -> float:
    """Return a reward f64[S, A, K] along a path."""
    total = 0.0
    for state, action, slot in reversed(list(zip(path.states, path.actions, path.slots, strict=False))):
        total = float(reward[state, action, slot]) + discount * total
    return total


def _equal(one: float, other: float) -> bool:
    return math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-9)


def _write_interval(cares: tuple[float, float] | None) -> str:
    if cares is None:
        return "at no care from 0 on"
    low, high = cares
    if low == high:
        return f"at care {low:g} alone, where several paths are"
    return f"at care {low:g} and above" if math.isinf(high) else f"at care {low:g} to {high:g}"


def _write_number(value: float) -> str:
    return f"{value:.6g}" if math.isfinite(value) else "never ends"


class ScenarioGame(Game):
    """A path in the problem's table.

    care: the coefficient of the augmented return that is compared. seed: of chance, in worlds that have any. source:
    the problem's, for a record of the game.
    """

    def __init__(self, problem: Problem, care: float, seed: int = 0, source: Any = None) -> None:
        self._source = source
        self.problem = problem
        self.care = care
        self.seed = seed
        scenario = problem.scenario
        self.title = f"{scenario.name}: your turn"
        self.about = describe_world_rules(scenario)
        self.goal = (
            f"You are the acting agent. {describe_company(scenario)} What counts is your own return plus {care:g} "
            f"times what the others' prospects add ({problem.formulation})."
        )
        self.path = Trajectory((int(problem.mdp.start_states()[0]),), (), ())
        self._episodes: list[SolvedEpisode] | None = None

    @property
    def over(self) -> bool:
        """Whether the episode has ended, or the scenario's time limit has cut it."""
        return self._ended or len(self.path.actions) >= self.problem.scenario.time_limit

    @property
    def _ended(self) -> bool:
        return bool(self.problem.mdp.terminal[self.path.states[-1]])

    def menu(self) -> tuple[Move, ...]:
        """List the moves: arrows move, digits (then letters) do the other actions."""
        if self.over:
            return ()
        names = self.problem.mdp.actions
        mask = self.problem.mdp.action_mask(self.path.states[-1])
        return make_action_menu(tuple(names), tuple(name for name, can in zip(names, mask, strict=True) if can))

    def take(self, action: str) -> str:
        """Return a step in the table; the nth draws the same number each time."""
        mdp, (states, actions, slots) = self.problem.mdp, self.path
        number = mdp.actions.index(action)
        slot = find_successor(mdp, states[-1], number, uniform(make_acting_key(self.seed), len(actions)))
        after = int(mdp.next_state[states[-1], number, slot])
        self.path = Trajectory((*states, after), (*actions, number), (*slots, slot))
        self._episodes = None
        return describe_step(self.path.episode(mdp))

    def __len__(self) -> int:
        return sum(map(len, self.episodes))

    @property
    def present(self) -> int:
        """The acting agent's last state; the newcomers' episodes follow it."""
        return len(self.path.actions)

    def overlays(self) -> Sequence[str]:
        """List them as the viewer does; values and policy are hints."""
        return list_overlays(self.episodes)

    def scene(self, index: int, overlay: str = NOTHING) -> Scene:
        """Return a scene; values are read once the game is over."""
        scene = draw_solution(self.episodes, index, overlay, values=self.over)
        return replace(scene, readings=(*scene.readings, ("care", f"{self.care:g}")))

    def inspect(self, index: int, cell: tuple[int, int]) -> Facts:
        """Return the values there."""
        return inspect_cell(self.episodes, index, cell)

    def move_to(self, cell: tuple[int, int]) -> str | None:
        """Return the step to a neighbouring cell."""
        mdp = self.problem.mdp
        return find_step_to(self.problem.scenario, mdp.states[self.path.states[-1]], cell, mdp.actions)

    def result(self) -> Facts:
        """Return the path beside the exact optima."""
        return describe_result(self.problem, self.care, self.path)

    def describe_player(self) -> Facts:
        """Return the coefficients at which somebody plays so."""
        return describe_player(self.problem, self.path)

    def behaviour(self) -> Behaviour:
        """Return the path."""
        return make_played_behaviour(self._source, self.problem, self.path, self.seed)

    def suggestion(self) -> str | None:
        """Return the optimal action at the coefficient; None where the optimum never ends and repeats itself."""
        (start, *_), done = self.path.states, len(self.path.actions)
        segment = self.problem.find_segment(self.care, start)
        if self.over:
            return None
        if self.path.states == segment.path[: done + 1]:
            return self.problem.mdp.actions[segment.actions[done]] if done < len(segment.actions) else None
        policy = self.problem.plan_optimum(self.care, start).policy if segment.policy is None else segment.policy
        return self.problem.mdp.actions[int(policy[self.path.states[-1]])]

    @property
    def episodes(self) -> list[SolvedEpisode]:
        """The path, and once it has ended the newcomers' episodes after it."""
        if self._episodes is None:
            chapters = [make_acting_episode(self.problem, YOU, self.path, self.seed)]
            chapters += make_newcomer_episodes(self.problem, self.path.states[-1], self.seed)
            self._episodes = add_solutions(self.problem, chapters, self.care)
        return self._episodes
