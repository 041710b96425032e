"""Which worlds tell the hypotheses of `identify` apart: shipped ones, some with maps of your choice, or random maps."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from caregrid.programmes.caring.replayed_behaviour import make_named_world, make_observed_world
from caregrid.results import Result
from engine.effort import require_confirmed
from engine.errors import BadValue, CaregridError, argument
from engine.plain_values import finite_or_none

if TYPE_CHECKING:
    from craftworld.identification.behaviour import ObservedWorld
    from craftworld.identification.design import HypothesisPair, NoiseModel, WorldDesign

MOST_STATES = 5000
"""Of a world that is looked at unasked."""
MOST_WORLDS = 60
SECONDS_PER_STATE, SECONDS_PER_WORLD = 4e-3, 2.0
EXACT = ", exact"


@dataclass(frozen=True, repr=False, eq=False)
class DesignedWorlds(Result):
    """What episodes in some worlds tell about an agent, as far as it is expected.

    designs: what an episode tells, with the name of its world and start state. left_out: world -> why. chosen: worlds
    in the order in which they were chosen, with the length of an episode and the expected interval of care.
    """

    designs: tuple[tuple[str, WorldDesign], ...]
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
        """A row per world and start state, or per chosen world."""
        if self.chosen:
            return [{"world": world, "steps": steps, "width": width} for world, steps, width in self.chosen]
        return [
            {
                "world": name,
                "steps": design.steps,
                "information": design.information,
                "width": design.expect_width(self.episodes),
                "classes": sum(not one.indifferent for one in design.classes),
            }
            for name, design in self.designs
        ]

    def pairs(self) -> list[dict[str, Any]]:
        """A row per two hypotheses: the world that tells the first from the second soonest, and after how long.

        world is "" and episodes is None where they are twins in every world.
        """
        return [
            {"truth": pair.truth, "other": pair.other, "world": world, "episodes": finite_or_none(pair.episodes)}
            for world, pair in self._find_best_pairs()
        ]

    def _find_best_pairs(self) -> list[tuple[str, HypothesisPair]]:
        best: dict[tuple[str, str], tuple[str, HypothesisPair]] = {}
        for name, design in self.designs:
            for truth in design.names:
                for other in design.names:
                    if truth != other:
                        pair = design.find_pair(truth, other)
                        known = best.setdefault((truth, other), ("", pair))
                        if pair.rate > 0.0 and (not known[0] or pair.rate > known[1].rate):
                            best[truth, other] = name, pair
        return list(best.values())

    def as_dict(self) -> dict[str, Any]:
        """worlds, pairs, chosen, left_out, episodes."""
        return {
            "worlds": [] if self.chosen else self.rows(),
            "pairs": self.pairs(),
            "chosen": self.rows() if self.chosen else [],
            "left_out": self.left_out,
            "episodes": self.episodes,
        }

    def text(self) -> str:
        """A line per world, the best worlds for each two hypotheses that are not exact, twins, and what is left out."""
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
        told, twins = [("the agent is", "and not", "soonest in", "episodes to 20:1")], dict[str, list[str]]()
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
    yes: bool,
    out: str | Path | None,
) -> DesignedWorlds:
    """Look at worlds; the arguments are those of `caregrid.operations.identifying.design`."""
    from craftworld.scenarios import SCENARIOS

    if out is not None:
        DesignedWorlds.check_place(out)
    if after is not None and not choose:
        remedy = f"say how many worlds to choose next, {argument('choose', 1)}"
        raise BadValue("behaviour says which world comes next", place=argument("after"), remedy=remedy)
    names = list_worlds(worlds or tuple(SCENARIOS), maps, seed)
    require_confirmed(len(names), "worlds", "design", SECONDS_PER_WORLD, yes, MOST_WORLDS)
    left_out: dict[str, str] = {}
    made: dict[str, ObservedWorld] = {}
    for name in names:
        try:
            world = make_observed_world(name)
        except BadValue as refused:
            if worlds:
                raise
            left_out[name] = str(refused)
            continue
        states = len(world.table.terminal)
        if worlds:
            require_confirmed(states, "states", name, SECONDS_PER_STATE, yes, MOST_STATES)
        elif states > MOST_STATES and not yes:
            left_out[name] = f"{states:,} states; add {argument('yes', True)}"
            continue
        made[name] = world
    if choose:
        result = _choose(made, formulation, noise, choose, episodes, left_out, after)
    else:
        result = _compare(made, formulation, noise, episodes, left_out, bool(worlds))
    if out is not None:
        result.save(out)
    return result


def _compare(
    made: dict[str, ObservedWorld],
    formulation: Sequence[str] | None,
    noise: NoiseModel,
    episodes: int,
    left_out: dict[str, str],
    named: bool,
) -> DesignedWorlds:
    from craftworld.identification.behaviour import Behaviour
    from craftworld.identification.design import design_world
    from craftworld.identification.identify import find_common_formulations
    from craftworld.solution.problem import find_applicable_formulations

    designs: list[tuple[str, WorldDesign]] = []
    for name, world in made.items():
        applicable = find_applicable_formulations(world.scenario)
        asked = [f for f in formulation if f in applicable] if formulation else []
        if formulation and not asked:
            left_out[name] = "none of the formulations applies"
            continue
        try:
            found = design_world(world, asked or find_common_formulations([Behaviour(world, "", ())]), noise)
        except CaregridError as refused:
            if named:
                raise
            left_out[name] = str(refused)
            continue
        for number, each in enumerate(found, start=1):
            designs.append((name if len(found) == 1 else f"{name}, start {number}", each))
    if not designs:
        raise BadValue("no world that could be looked at", place="design", remedy="name others, or other formulations")
    return DesignedWorlds(tuple(designs), left_out, (), episodes)


def _choose(
    made: dict[str, ObservedWorld],
    formulation: Sequence[str] | None,
    noise: NoiseModel,
    number: int,
    episodes: int,
    left_out: dict[str, str],
    after: str | Path | None,
) -> DesignedWorlds:
    from craftworld.identification.behaviour import read_behaviours
    from craftworld.identification.design import CareEvidence, SeenEvidence, choose_worlds
    from craftworld.solution.problem import find_applicable_formulations

    if formulation is not None and len(formulation) != 1:
        raise BadValue("several formulations", place=argument("choose"), remedy="choose worlds for one of them")
    (one,) = formulation or ("expected",)
    found = {}
    for name, world in made.items():
        if one not in find_applicable_formulations(world.scenario):
            left_out[name] = f"'{one}' does not apply"
            continue
        found[name] = CareEvidence(world, one, noise)
    if not found:
        raise BadValue(f"no world to which '{one}' applies", place="design", remedy="name others")
    names, evidence = list(found), list(found.values())
    seen = None
    if after is not None:
        observed = read_behaviours(after, make=make_named_world, given=list(made.values()))
        seen = SeenEvidence.of(observed, one, evidence[0].hypothesis)
    order = choose_worlds(evidence, number, episodes, seen)
    chosen = [(names[at], evidence[at].steps, width) for at, width in order]
    return DesignedWorlds((), left_out, tuple(chosen), episodes)


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
