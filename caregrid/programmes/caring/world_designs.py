"""What worlds tell about an agent, world by world (`craftworld.identification.design`): a unit is a world.

A unit has a row per start state (steps, information, width, classes), each with rows of two hypotheses behind it
(truth, other, rate); where worlds are to be chosen, a row per agent of the formulation instead, whose numbers stand in
one text. A world that cannot be looked at has one row: why.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from caregrid.programmes.caring.replayed_behaviour import make_observed_world
from engine.effort import require_confirmed
from engine.errors import BadValue, CaregridError, argument
from engine.user_code import names_user_code
from experiments.bench.suite import split_world
from experiments.caring_problem import NamedProblem, list_files
from experiments.experiment import Experiment, ResultRow, Rows

if TYPE_CHECKING:
    from craftworld.identification.behaviour import ObservedWorld
    from craftworld.identification.design import CareEvidence, HypothesisPair, NoiseModel

MOST_STATES = 5000
"""Of a world that is looked at unasked."""
SECONDS_PER_STATE = 4e-3
LEFT_OUT = "left_out"
REFUSED = ("problem", "place", "remedy")


class StartDesign(NamedTuple):
    """What an episode tells in a world from one of its start states, as far as it is expected.

    world: its name, with the number of the start state where there are several. width: the expected interval of care
    after some episodes. classes: how many classes of formulations care makes a difference to. pairs: of hypotheses.
    """

    world: str
    steps: float
    information: float
    width: float
    classes: int
    pairs: tuple[HypothesisPair, ...]


class DesignQuestion(NamedTuple):
    """What is asked of each world.

    formulation: which ones, None for those that weigh what the scenario's own does. chosen: the formulation whose care
    worlds are chosen for, None where they are compared. yes: whether a world may be of any size.
    """

    formulation: tuple[str, ...] | None
    noise: NoiseModel
    episodes: int
    chosen: str | None
    yes: bool

    @property
    def name(self) -> str:
        """What the experiment is called: units of one question may lie in one directory, whatever their worlds."""
        digest = hashlib.blake2b(repr(self).encode(), digest_size=4).hexdigest()
        return f"design/{self.chosen or 'compare'}-{digest}"

    def experiment(self, worlds: Sequence[str]) -> Experiment:
        """Return a unit for each world."""
        from caregrid.programmes.caring.problem_source import split_world_name

        own = tuple(name for name, _ in map(split_world, worlds) if names_user_code(name))
        run = functools.partial(run_world, question=self, own=own)
        named = (split_world_name(*split_world(world)) for world in worlds)
        files = list_files(NamedProblem(name, options=tuple(options)) for name, options in named)
        settings = {"world": tuple(worlds)}
        return Experiment("What worlds tell of an agent", settings, run, files=files, name=self.name)


def require_small(world: str, yes: bool) -> None:
    """Raise BadValue or UnknownName for a world that cannot be made, and for a large one that is not confirmed."""
    require_confirmed(_count_states(make_observed_world(world)), "states", world, SECONDS_PER_STATE, yes, MOST_STATES)


def run_world(world: str, key: int, question: DesignQuestion, own: tuple[str, ...] = ()) -> Rows:
    """Look at one world. own: the names of the user's code among all worlds, which counts as code that makes rows."""
    try:
        made = make_observed_world(world)
        states = _count_states(made)
        if states > MOST_STATES and not question.yes:
            return [{LEFT_OUT: f"{states:,} states; add {argument('yes', True)}"}]
        return _compare_hypotheses(made, question) if question.chosen is None else _find_evidence(made, question)
    except CaregridError as error:
        parts = zip(REFUSED, (error.problem, error.place, error.remedy), strict=True)
        return [{LEFT_OUT: str(error), **dict(parts)}]


def read_refusal(rows: Rows) -> CaregridError | None:
    """The error of a world that was refused; None for a world that was looked at, or that the question does not fit."""
    if REFUSED[0] not in rows[0]:
        return None
    problem, place, remedy = (str(rows[0][name]) for name in REFUSED)
    return BadValue(problem, place=place, remedy=remedy)


def read_designs(world: str, rows: Rows) -> list[StartDesign]:
    """Return what a unit found where worlds are compared."""
    from craftworld.identification.design import HypothesisPair

    heads = [row for row in rows if "truth" not in row]
    pairs: dict[object, list[HypothesisPair]] = {row["start"]: [] for row in heads}
    for row in rows:
        if "truth" in row:
            pairs[row["start"]].append(HypothesisPair(str(row["truth"]), str(row["other"]), _read_float(row, "rate")))
    return [
        StartDesign(
            world=world if len(heads) == 1 else f"{world}, start {head['start']}",
            steps=_read_float(head, "steps"),
            information=_read_float(head, "information"),
            width=_read_float(head, "width"),
            classes=int(head["classes"] or 0),
            pairs=tuple(pairs[head["start"]]),
        )
        for head in heads
    ]


def read_evidence(rows: Rows, question: DesignQuestion) -> CareEvidence:
    """Return what a unit found where worlds are chosen."""
    import numpy as np

    from craftworld.identification.design import CareEvidence, list_hypotheses

    assert question.chosen is not None
    (hypothesis, *_) = list_hypotheses([question.chosen], question.noise)
    against = np.array([[float(number) for number in str(row["against"]).split()] for row in rows])
    return CareEvidence(hypothesis, against, _read_float(rows[0], "steps"))


def _read_float(row: ResultRow, name: str) -> float:
    return float(row[name] or 0.0)


def _count_states(world: ObservedWorld) -> int:
    return len(world.table.terminal)


def _compare_hypotheses(world: ObservedWorld, question: DesignQuestion) -> Rows:
    from craftworld.identification.behaviour import Behaviour
    from craftworld.identification.design import design_world
    from craftworld.identification.identify import find_common_formulations
    from craftworld.solution.problem import find_applicable_formulations

    asked: Sequence[str] = find_common_formulations([Behaviour(world, "", ())])
    if question.formulation is not None:
        applicable = find_applicable_formulations(world.scenario)
        asked = [name for name in question.formulation if name in applicable]
        if not asked:
            return [{LEFT_OUT: "none of the formulations applies"}]
    rows: Rows = []
    for start, found in enumerate(design_world(world, asked, question.noise), start=1):
        rows.append(
            {
                "start": start,
                "steps": found.steps,
                "information": found.information,
                "width": found.expect_width(question.episodes),
                "classes": sum(not one.indifferent for one in found.classes),
            }
        )
        pairs = (found.find_pair(truth, other) for truth in found.names for other in found.names if truth != other)
        rows += ({"start": start, **pair._asdict()} for pair in pairs)
    return rows


def _find_evidence(world: ObservedWorld, question: DesignQuestion) -> Rows:
    from craftworld.identification.design import find_care_evidence
    from craftworld.solution.problem import find_applicable_formulations

    assert question.chosen is not None
    if question.chosen not in find_applicable_formulations(world.scenario):
        return [{LEFT_OUT: f"'{question.chosen}' does not apply"}]
    found = find_care_evidence(world, question.chosen, question.noise)
    return [{"steps": found.steps, "against": " ".join(map(repr, row))} for row in found.against.tolist()]
