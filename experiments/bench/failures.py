"""What each method gets most wrong: its worst world, what it reaches there and what can be reached.

The worst world is that of the least area below 1, then of the most violations, then of the greatest distance from the
best own return in it. Of its coefficients the one with the least quality is shown (`craftworld.measures`: the hidden
performance, else the others' returns), with the actions of one episode where nothing is random.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from experiments.bench.leaderboard import RankedMethod
from experiments.bench.suite import world_parts
from experiments.bench.summary import CaseResult
from experiments.problems.named_problem import NamedProblem

ROUNDING = 1e-9
TILE = 28
QUALITIES = {"performance": "performance", "others": "the others' returns", "own": "own return"}


@dataclass(frozen=True)
class Failure:
    """One method in its worst world.

    care_from, care_to: the interval of coefficients, None where there are none (care_to: without end). measure: what is
    too low there. reached, best: the method's, and the best of all methods. actions: one episode's.
    """

    entry: RankedMethod
    world: str
    care_from: float | None
    care_to: float | None
    measure: str
    reached: float
    best: float
    violations: float | None
    actions: str

    def row(self) -> dict[str, Any]:
        """The fields, flat."""
        mine = {name: value for name, value in vars(self).items() if name != "entry"}
        entry = {"suite": self.entry.suite, "method": self.entry.method, "runs": ", ".join(self.entry.runs)}
        return entry | mine

    @property
    def sentence(self) -> str:
        """In words."""
        ends = "without end" if self.care_to is None else f"{self.care_to:.6g}"
        care = "" if self.care_from is None else f" at coefficients from {self.care_from:.6g} to {ends}"
        what = [f"{QUALITIES[self.measure]} {self.reached:.6g} where a method reaches {self.best:.6g}"]
        if self.best - self.reached <= ROUNDING * (1.0 + abs(self.best)):
            what = [f"{QUALITIES[self.measure]} {self.reached:.6g}"]
        if self.violations:
            what.append(f"{self.violations:.3g} violations")
        return f"{self.world}{care}: {', '.join(what)}"

    def picture(self) -> bytes | None:
        """The end of the episode with the agent's path, as PNG; None where nothing is known of it.

        Only worlds by a registered name are drawn: what a file names is never imported.
        """
        from craftworld.rollout import rollout
        from craftworld.scenarios import SCENARIOS
        from engine.errors import CaregridError
        from engine.scene import Path, Scene
        from renderers.drawing.picture import Painter
        from renderers.formats.png import encode_image

        name, options = world_parts(self.world)
        if not self.actions or name not in SCENARIOS.names():
            return None
        try:
            scenario = NamedProblem(name, options=options).make_scenario()
            states = rollout(scenario, self.actions.split(",")).episode.states
        except CaregridError:
            return None
        scene: Scene = scenario.scene(states[-1])
        places = [scenario.position(state) for state in states]
        cells = tuple((place.row, place.column) for place in places if place is not None)
        drawn = Scene(scene.floor, scene.marks, (Path("path", cells),) if cells else ())
        return encode_image(Painter(TILE, readings=False).picture(drawn))


def failures(entries: Sequence[RankedMethod]) -> list[Failure]:
    """The worst of each entry that fails anywhere, for the entries of one suite."""
    best = _best_points([result for entry in entries for result in entry.fitting])
    found = []
    for entry in entries:
        falls = [(_shortfall(result, best), result) for result in entry.fitting]
        worst, result = max(falls, key=lambda fall: fall[0], default=((0.0, 0.0, 0.0), None))
        if result is not None and max(worst) > ROUNDING:
            found.append(_failure(entry, result, best))
    return found


def _best_points(results: Sequence[CaseResult]) -> dict[tuple[str, str], float]:
    """(world, measure) -> the most that any method reaches at any coefficient."""
    best: dict[tuple[str, str], float] = {}
    for result in results:
        for point in result["points"]:
            for measure in QUALITIES:
                if point[measure] is not None:
                    key = result["world"], measure
                    best[key] = max(best.get(key, point[measure]), point[measure])
    return best


def _shortfall(result: CaseResult, best: dict[tuple[str, str], float]) -> tuple[float, float, float]:
    area = 0.0 if result["area"] is None else 1.0 - result["area"]
    return area, result["violations"] or 0.0, best[result["world"], "own"] - result["own"]


def _failure(entry: RankedMethod, result: CaseResult, best: dict[tuple[str, str], float]) -> Failure:
    measure = next(name for name in QUALITIES if result[name] is not None)
    point = min(result["points"], key=lambda each: (each[measure], -(each["violations"] or 0.0)))
    return Failure(
        entry,
        result["world"],
        point["care_from"],
        point["care_to"],
        measure,
        point[measure],
        best[result["world"], measure],
        point["violations"],
        point["actions"],
    )
