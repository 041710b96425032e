"""Training an agent on a problem: its learning curve against the exact optimum, and the policy that is kept."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from caregrid.command_line.operation import check_arguments
from caregrid.programmes.caring.outcome_json import describe_observed
from caregrid.results import Result
from engine.effort import require_learning_confirmed
from engine.errors import BadFile, BadValue, MissingExtra, argument
from engine.files import all_or_none, output_directory, suggest_another_place, write_atomically
from engine.learning.stacks import CPU
from engine.plain_values import make_json_value
from engine.printable import show_value
from engine.value_types import Episodes, to_list
from experiments.figures.labels import format_title
from experiments.figures.style import OWN, SOFT, new_figure, save_figure, use_figure_style

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from craftworld.identification.behaviour import Behaviour
    from craftworld.solution.observer import Observes
    from craftworld.solution.problem import Problem
    from engine.mdp.mdp import Floats, Policy
    from experiments.caring_problem import ProblemSource
    from experiments.learned_policy import LearnedPolicy
    from experiments.training import AnyAgent

EPISODES = 20
"""Of a trained policy, in a record of its behaviour."""
COLUMNS = ("steps", "greedy_return", "optimum", "below")
CURVE = "curve.csv"
PICTURE = "curve.png"
DESCRIPTION = "policy.json"


@dataclass(frozen=True, repr=False, eq=False)
class TrainingResult(Result):
    """A trained agent.

    problem: what it was trained on. policy: its greedy policy in the end (`experiments.learned_policy`).
    curve: a row per checkpoint, see `rows`. directory: where it is kept, None where nowhere. points: steps of training
    -> the greedy policy then, where several points of the training were asked for.
    """

    problem: Problem
    policy: LearnedPolicy
    curve: list[dict[str, Any]]
    directory: Path | None = None
    points: Mapping[int, Policy] = field(default_factory=dict)

    @property
    def title(self) -> str:
        """Scenario, formulation, agent and coefficient."""
        return f"{self.problem.scenario.name}, {self.problem.formulation}, {self.policy.label}"

    @property
    def warning(self) -> str | None:
        """One line where the policy is not optimal, naming the steps to try; None otherwise."""
        last = self.curve[-1]
        if not last["below"]:
            return None
        ending = self._ending()
        cut = f" {ending}, and within {self.problem.scenario.time_limit} steps it" if ending else ""
        return f"the policy{cut} stays {last['below']:g} below the optimum: try {argument('steps', 4 * last['steps'])}"

    @check_arguments
    def record_behaviour(self, source: ProblemSource, episodes: Episodes = EPISODES) -> Behaviour:
        """Record episodes of the policy, with the seed of the training. source: the problem's."""
        return self._record(source, {self.curve[-1]["steps"]: self.policy.actions}, episodes)[0]

    @check_arguments
    def record_points(self, source: ProblemSource, episodes: Episodes = EPISODES) -> list[Behaviour]:
        """Record episodes of the policy at each point of the training that was asked for, in order."""
        return self._record(source, self.points or {self.curve[-1]["steps"]: self.policy.actions}, episodes)

    def _record(self, source: ProblemSource, policies: Mapping[int, Policy | Floats], episodes: int) -> list[Behaviour]:
        from caregrid.programmes.caring.replayed_behaviour import describe_world
        from craftworld.identification.behaviour import record_behaviour

        world = describe_world(source, self.problem.scenario, self.problem.mdp)
        seed = int(self.policy.note.get("seed", 0))
        limit = self.problem.scenario.time_limit
        name = replace(self.policy, name="").label
        recorded = {
            steps: record_behaviour(actions, world, episodes, seed, limit=limit, name=name)
            for steps, actions in policies.items()
        }
        return [replace(each, trained_steps=steps) for steps, each in recorded.items()]

    def _ending(self) -> str:
        """Return whether the policy may go on for ever, in words; the mean over the start states."""
        from engine.mdp.policies import follow_policy
        from engine.planning.dynamic_programming import compute_ending_probability, describe_ending

        mdp = self.problem.mdp
        followed = follow_policy(mdp, self.policy.actions)
        ends = 0.0
        for start in map(int, mdp.start_states()):
            ends += float(mdp.start[start]) * compute_ending_probability(followed.table, followed.still, start)
        return describe_ending(ends)

    def policy_in(self, problem: Problem) -> LearnedPolicy:
        """Return the policy, for a problem on the same table; BadFile for one on another."""
        from craftworld.others.value_distribution import compute_fingerprint
        from experiments.learned_policy import make_other_table_error

        if problem is not self.problem:
            of, here = (compute_fingerprint(each.scenario, each.mdp) for each in (self.problem, problem))
            if of != here:
                raise make_other_table_error(self.policy.note, argument("policy"))
        return self.policy

    def rows(self) -> list[dict[str, Any]]:
        """Return a row per checkpoint: steps, the greedy policy's augmented return, the optimum, the gap."""
        return [{name: row[name] for name in COLUMNS} for row in self.curve]

    def as_dict(self) -> dict[str, Any]:
        """Return what was trained, the curve, the warning."""
        note = {name: value for name, value in self.policy.note.items() if name not in ("request", "curve")}
        directory = None if self.directory is None else str(self.directory)
        return {
            "policy": make_json_value(note),
            "curve": make_json_value(self.rows()),
            "out": directory,
            "warning": self.warning,
        }

    def text(self) -> str:
        """Return the curve as a table, and where the policy is kept."""
        words = [["steps", "greedy return", "optimum", "below"]]
        words += [[_to_number(row[name]) for name in COLUMNS] for row in self.curve]
        widths = [max(map(len, column)) for column in zip(*words, strict=True)]
        lines = ["  ".join(word.rjust(width) for word, width in zip(row, widths, strict=True)) for row in words]
        return "\n".join(
            [self.title, *self.describe_learner(), *lines, *([f"kept in {self.directory}"] if self.directory else [])]
        )

    def describe_learner(self) -> list[str]:
        """Say what the agent is before its curve: what it observes of a hidden state, whether it is greedy."""
        return [*self._describe_observation(), *self._describe_exploration()]

    def _describe_exploration(self) -> list[str]:
        """Return one line where the agent does not say what it would do without exploring."""
        if self.policy.note.get("greedy", True):
            return []
        return [
            "greedy return is that of one answer of act for each observation, exploration included: the agent has "
            "neither act(observation, explore=False) nor values"
        ]

    def _describe_observation(self) -> list[str]:
        """Return one line where a part of the state is hidden: whether the agent observed it."""
        scenario = self.problem.scenario
        if self.problem.mdp.observation is None or self.policy.note.get("observes") == "state":
            return describe_observed(self.problem, "the agent")
        hidden = f"all but: {', '.join(scenario.hidden)}" if scenario.hidden else "a part of the state"
        return [f"the agent observes {hidden}; the optimum is that of an observer with memory"]

    @use_figure_style
    def figure(self) -> Figure:
        """Draw the learning curve: the greedy policy's return by steps, and the optimum."""
        figure = new_figure(6.0, 3.6)
        axes = figure.subplots()
        steps = [row["steps"] for row in self.curve]
        axes.plot(steps, [row["greedy_return"] for row in self.curve], color=OWN, marker=".", label="greedy policy")
        if self.curve[-1]["optimum"] is not None:
            axes.axhline(self.curve[-1]["optimum"], color=SOFT, linewidth=2.0, zorder=0, label="exact optimum")
        axes.set_xlabel("steps of training")
        axes.set_ylabel("return with care (sum of augmented rewards)")
        axes.set_title(format_title(self.title))
        axes.legend(loc="best")
        return figure

    def keep(self, directory: Path) -> None:
        """Write curve, figure (where matplotlib is there), description and, last of all, the policy."""
        from craftworld.others.value_distribution import compute_fingerprint
        from experiments.learned_policy import save_policy
        from experiments.stored_rows import write_rows

        described = {name: value for name, value in self.policy.note.items() if name != "curve"}
        with all_or_none():
            output_directory(directory)
            write_rows(directory / CURVE, self.rows())
            try:
                save_figure(self.figure(), directory / PICTURE)
            except MissingExtra:
                (directory / PICTURE).unlink(missing_ok=True)
            write_atomically(directory / DESCRIPTION, json.dumps(make_json_value(described), indent=1) + "\n")
            save_policy(directory, self.policy, compute_fingerprint(self.problem.scenario, self.problem.mdp))


def run_training(
    source: ProblemSource,
    care: float,
    agent: AnyAgent,
    steps: int | None,
    seed: int,
    out: str | Path | None,
    yes: bool = False,
    device: str = CPU,
    observes: Observes = "observation",
    points: int = 1,
) -> TrainingResult:
    """Train, and keep what was learned in a folder; the arguments are those of `CaringProblem.train`.

    A folder that holds the same training already is read; BadFile where it holds another one or other things. points:
    of the training at which the policy is wanted. Where there are several, a stored training is run again.
    """
    from experiments.runs.code_identity import digest_authors_code
    from experiments.training import VERSION, name_agent, prepare, train

    require_learning_confirmed(yes, steps=steps)
    problem = source.make_problem()
    directory = None if out is None else Path(out)
    asked = {**source.identity(), "agent": name_agent(agent), "care": float(care), "steps": steps, "seed": seed}
    asked["observes"] = observes
    code = digest_authors_code(agent, *(vars(source).get(name) for name in ("scenario", "formulation")))
    asked |= {"code": code, "version": VERSION} | ({"device": device} if device != CPU else {})
    request = json.loads(json.dumps(make_json_value(asked)))
    stored = None if directory is None else _load_stored(directory, problem, request)
    if stored and points == 1:
        return TrainingResult(problem, stored, list(stored.note["curve"]), directory)
    chosen = set[int]()
    if points > 1 or directory is not None:
        prepared = prepare(problem, care, agent, steps, seed, device, observes)
        chosen = choose_points(points, prepared.every, prepared.checkpoints)
    if directory is not None:
        output_directory(directory)  # what cannot be written is said now, not after an hour of learning
    passed: dict[int, Policy] = {}

    def watch(at: int, policy: Policy) -> None:
        if at in chosen:
            passed[at] = policy

    try:
        policy, curve = train(problem, care, agent, steps, seed, device, observes, watch if points > 1 else None)
        note = {**policy.note, "request": request, "curve": curve}
        training = TrainingResult(problem, replace(policy, note=note), list(curve), directory, passed)
        if directory is not None and not stored:
            training.keep(directory)
        return training
    finally:
        if directory is not None and os.path.isdir(directory) and not any(directory.iterdir()):
            directory.rmdir()


def choose_points(points: int, every: int, checkpoints: int) -> set[int]:
    """Choose steps of a training, evenly among its checkpoints, the last one among them; BadValue for too many."""
    if points > checkpoints:
        remedy = f"ask for at most {checkpoints}, or train longer"
        raise BadValue(
            f"a training of {checkpoints} checkpoints", place=argument("record_points", points), remedy=remedy
        )
    return {every * -(-number * checkpoints // points) for number in range(1, points + 1)}


def _load_stored(directory: Path, problem: Problem, request: Mapping[str, Any]) -> LearnedPolicy | None:
    """The policy of a folder where it was trained by the same request; None where the folder is new or unfinished."""
    from experiments.learned_policy import FILE, load_policy

    if not os.path.isdir(directory):
        return None
    if not os.path.exists(directory / FILE):
        strange = [file.name for file in directory.iterdir() if file.name not in (CURVE, PICTURE, DESCRIPTION)]
        if strange:
            raise BadFile(
                f"it holds other things ('{min(strange)}')", place=str(directory), remedy=suggest_another_place()
            )
        return None
    try:
        policy = load_policy(directory, problem.scenario, problem.mdp)
    except BadFile as error:
        raise BadFile(error.problem, place=error.place, remedy=suggest_another_place()) from error
    stored = policy.note.get("request", {})
    differing = [name for name in {**stored, **request} if stored.get(name) != request.get(name)]
    if differing:
        name = differing[0]
        other = f"it holds a policy of {name} {stored.get(name)}, not of {name} {request.get(name)}"
        raise BadFile(other, place=str(directory), remedy=suggest_another_place())
    return policy


def _to_number(value: Any) -> str:
    return "unknown" if value is None else f"{value:,}" if isinstance(value, int) else f"{value:g}"


PolicyOrFolder = str | Path | TrainingResult


def read_policies(problem: Problem, policies: PolicyOrFolder | Sequence[PolicyOrFolder]) -> list[LearnedPolicy]:
    """Learned policies as they are given, or read from folders; BadFile where one is for another table."""
    from experiments.learned_policy import load_policy

    remedy = "give folders, or what train() gave"
    one = isinstance(policies, str | Path | TrainingResult)
    listed: list[Any] = [policies] if one else to_list(policies, "policies", argument("policy"), remedy)
    for each in listed:
        if not isinstance(each, str | Path | TrainingResult):
            raise BadValue(f"{show_value(each)} is no policy", place=argument("policy"), remedy=remedy)
    return [
        policy.policy_in(problem)
        if isinstance(policy, TrainingResult)
        else load_policy(policy, problem.scenario, problem.mdp)
        for policy in listed
    ]
