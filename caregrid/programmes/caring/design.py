"""Which worlds tell the hypotheses of `identify` apart: shipped ones, some with maps of your choice, or random maps."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from caregrid.programmes.caring.replayed_behaviour import make_named_world, make_observed_world
from caregrid.programmes.caring.world_designs import (
    LEFT_OUT,
    DesignQuestion,
    StartDesign,
    read_designs,
    read_evidence,
    read_refusal,
    require_small,
)
from caregrid.results import Result
from engine.effort import require_confirmed
from engine.errors import BadValue, argument
from engine.files import require_folder_place
from engine.plain_values import finite_or_none

if TYPE_CHECKING:
    from caregrid.runs.execution import Execution
    from craftworld.identification.design import HypothesisPair, NoiseModel
    from experiments.experiment import Rows

MOST_WORLDS = 60
SECONDS_PER_WORLD = 2.0
EXACT = ", exact"
TABLE = "worlds.csv"
"""The file of the table in a directory."""


@dataclass(frozen=True, repr=False, eq=False)
class DesignedWorlds(Result):
    """What episodes in some worlds tell about an agent, as far as it is expected.

    designs: what an episode tells, by world and start state. left_out: world -> why. chosen: worlds in the order in
    which they were chosen, with the length of an episode and the expected interval of care.
    """

    designs: tuple[StartDesign, ...]
    left_out: dict[str, str]
    chosen: tuple[tuple[str, float, float], ...]
    episodes: int

    @property
    def title(self) -> str:
        """What was looked at."""
        if self.chosen:
            return f"{len(self.chosen)} worlds, chosen for the shortest interval of care"
        return f"what an episode tells in {len(self.designs)} worlds"

    def rows(self) -> list[dict[str, Any]]:
        """Return a row per world and start state, or per chosen world."""
        if self.chosen:
            return [{"world": world, "steps": steps, "width": width} for world, steps, width in self.chosen]
        names = ("world", "steps", "information", "width", "classes")
        return [{name: getattr(design, name) for name in names} for design in self.designs]

    def pairs(self) -> list[dict[str, Any]]:
        """Return a row per two hypotheses: the world that tells the first from the second soonest, and after how long.

        world is "" and episodes is None where they are twins in every world.
        """
        return [
            {"truth": pair.truth, "other": pair.other, "world": world, "episodes": finite_or_none(pair.episodes)}
            for world, pair in self._find_best_pairs()
        ]

    def _find_best_pairs(self) -> list[tuple[str, HypothesisPair]]:
        best: dict[tuple[str, str], tuple[str, HypothesisPair]] = {}
        for design in self.designs:
            for pair in design.pairs:
                known = best.setdefault((pair.truth, pair.other), ("", pair))
                if pair.rate > 0.0 and (not known[0] or pair.rate > known[1].rate):
                    best[pair.truth, pair.other] = design.world, pair
        return list(best.values())

    def as_dict(self) -> dict[str, Any]:
        """Return worlds, pairs, chosen, left_out, episodes."""
        return {
            "worlds": [] if self.chosen else self.rows(),
            "pairs": self.pairs(),
            "chosen": self.rows() if self.chosen else [],
            "left_out": self.left_out,
            "episodes": self.episodes,
        }

    def text(self) -> str:
        """Return a line per world, the best worlds for each two inexact hypotheses, twins, and what is left out."""
        from experiments.rows import align_lines

        if self.chosen:
            chosen = [("world", "steps", "interval so far")]
            chosen += [(world, f"{steps:.1f}", f"{width:.1%}") for world, steps, width in self.chosen]
            note = (
                f"The interval of 90 percent is a share of the line of care, with {self.episodes} episodes per world."
            )
            return "\n".join([self.title, *align_lines(chosen, right=range(1, 3)), note])
        worlds = [("world", "steps", "bits at most", f"interval after {self.episodes}")]
        for row in self.rows():
            worlds.append((row["world"], f"{row['steps']:.1f}", f"{row['information']:.2f}", f"{row['width']:.1%}"))
        told = [("the agent is", "and not", "soonest in", "episodes to 20:1")]
        twins: dict[str, list[str]] = {}
        for world, pair in self._find_best_pairs():
            if EXACT in pair.truth + pair.other:
                continue
            if world:
                told.append((pair.truth, pair.other, world, _write_episodes(pair.episodes)))
            else:
                twins.setdefault(pair.truth, []).append(pair.other)
        never = [f"{truth} is never told from {', '.join(several)}" for truth, several in twins.items()]
        missing = [f"left out: {world}: {why}" for world, why in self.left_out.items()]
        tables = [*align_lines(worlds, right=range(1, 4)), "", *align_lines(told, right=[3])]
        return "\n".join([self.title, *tables, *never, *missing])


def _write_episodes(number: float) -> str:
    return f"{math.ceil(number):,}" if number < 1e6 else f"{number:.0e}"


def design_worlds(
    worlds: Sequence[str],
    formulation: Sequence[str] | None,
    noise: NoiseModel,
    maps: int,
    choose: int,
    episodes: int,
    seed: int,
    after: str | Path | None,
    execution: Execution,
    out: str | Path | None,
) -> DesignedWorlds:
    """Look at worlds; the arguments are those of `caregrid.operations.identifying.design`."""
    from craftworld.scenarios import SCENARIOS

    kept = None if out is None or (Path(out).suffix and not Path(out).is_dir()) else require_folder_place(out)
    if out is not None and kept is None:
        DesignedWorlds.check_place(out)
    if after is not None and not choose:
        remedy = f"say how many worlds to choose next, {argument('choose', 1)}"
        raise BadValue("behaviour says which world comes next", place=argument("after"), remedy=remedy)
    if choose and formulation is not None and len(formulation) != 1:
        raise BadValue("several formulations", place=argument("choose"), remedy="choose worlds for one of them")
    names = list_worlds(worlds or tuple(SCENARIOS), maps, seed)
    require_confirmed(len(names), "worlds", "design", SECONDS_PER_WORLD, execution.yes, MOST_WORLDS)
    for name in names if worlds else ():
        require_small(name, execution.yes)
    asked = None if formulation is None else tuple(formulation)
    chosen = (asked or ("expected",))[0] if choose else None
    question = DesignQuestion(asked, noise, episodes, chosen, execution.yes)
    found: dict[str, Rows] = {}
    left_out: dict[str, str] = {}
    for name, rows in zip(names, execution.compute_rows(question.experiment(names), kept), strict=True):
        if worlds and (refused := read_refusal(rows)) is not None:
            raise refused
        if LEFT_OUT in rows[0]:
            left_out[name] = str(rows[0][LEFT_OUT])
        else:
            found[name] = rows
    result = _choose(question, found, choose, left_out, after) if choose else _compare(question, found, left_out)
    if out is not None:
        result.save(kept / TABLE if kept else out)
    return result


def _compare(question: DesignQuestion, found: dict[str, Rows], left_out: dict[str, str]) -> DesignedWorlds:
    designs = [design for name, rows in found.items() for design in read_designs(name, rows)]
    if not designs:
        raise BadValue("no world that could be looked at", place="design", remedy="name others, or other formulations")
    return DesignedWorlds(tuple(designs), left_out, (), question.episodes)


def _choose(
    question: DesignQuestion, found: dict[str, Rows], number: int, left_out: dict[str, str], after: str | Path | None
) -> DesignedWorlds:
    from craftworld.identification.behaviour import read_behaviours
    from craftworld.identification.design import SeenEvidence, choose_worlds

    assert question.chosen is not None
    if not found:
        raise BadValue(f"no world to which '{question.chosen}' applies", place="design", remedy="name others")
    names, evidence = list(found), [read_evidence(rows, question) for rows in found.values()]
    seen = None
    if after is not None:
        observed = read_behaviours(after, make=make_named_world, given=list(map(make_observed_world, names)))
        seen = SeenEvidence.of(observed, question.chosen, evidence[0].hypothesis)
    order = choose_worlds(evidence, number, question.episodes, seen)
    chosen = [(names[at], evidence[at].steps, width) for at, width in order]
    return DesignedWorlds((), left_out, tuple(chosen), question.episodes)


def list_worlds(given: Sequence[str], maps: int, seed: int) -> list[str]:
    """List the worlds: those of a suite by its name, and of each so many random maps as well."""
    from craftworld.scenarios import SCENARIOS
    from experiments.bench.suite import split_world
    from experiments.bench.suites import SUITES

    names: list[str] = []
    for name in given:
        names += SUITES[name].worlds if name in SUITES.names() and name not in tuple(SCENARIOS) else [name]
    for name in tuple(names):
        plain, options = split_world(name)
        kind: Any = SCENARIOS[plain] if maps and not options and plain in tuple(SCENARIOS) else None
        if kind is not None and kind.shuffle is not None:
            names += [f"{name},held_out={seed}-{number}" for number in range(1, maps + 1)]
    return list(dict.fromkeys(names))
