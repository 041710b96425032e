"""Which worlds tell the hypotheses of `identify` apart, and how many episodes that takes.

Each hypothesis H has agents at points: arctan c evenly over the line, at the temperatures that are asked about. An
agent g of H is told from another hypothesis H' as fast as from the agent of H' that is most like it, whose c and T are
open. With D of `information`:

    rate(H, H') = mean over g in H of  min over h in H' of  D(g, h)            episodes to 20 to 1 = log 20 / rate
    information <= - sum_g p_g log sum_h p_h exp(-D(g, h))                     (Kolchinsky and Tracey 2017, entropy 19)
    width(g, n) = the central 90 percent interval of c under weights sum_T exp(-sum_w n_w D_w(g, h)), as a share of the
                  line of arctan c

The last is the posterior at the mean log likelihood: it needs no simulation, and adds up over worlds, so that a set of
worlds can be searched (`choose_worlds`). What is chosen is confirmed by simulation (`identification/recovery`).

After episodes have been seen, agents count by their posterior in the mean over care, and the weights are multiplied by
the likelihood of what was seen (`SeenEvidence`): the next world is chosen for the agent that it may still be.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from craftworld.identification.behaviour import Behaviour, ObservedWorld
from craftworld.identification.classes import FormulationClass
from craftworld.identification.identify import EXACT, OWN, RANDOM, count_steps
from craftworld.identification.information import (
    ExpectedEvidence,
    ModelAgents,
    WorldChoices,
    compare_formulations,
    expect_evidence,
)
from craftworld.identification.posterior import Prior
from engine.mdp.mdp import Floats

CARES = 21
FINER = 5
"""Coefficients at which agents are looked at; those of other hypotheses are so many times as dense."""
OTHER_TEMPERATURES = 7
LEVEL = 0.9
ODDS = 20.0
NOTHING = 1e-9
"""Evidence below this is none but for rounding."""


@dataclass(frozen=True)
class NoiseModel:
    """temperatures: of the agents that are looked at. slip: of every agent but those at random. limit: of steps."""

    temperatures: tuple[float, ...]
    slip: float
    limit: int


@dataclass(frozen=True)
class HypothesisAgents:
    """A hypothesis as agents: those that are looked at, and those among which one may be like another hypothesis'."""

    name: str
    agents: ModelAgents
    others: ModelAgents


def spread_care(number: int) -> Floats:
    """Return f64[number] coefficients, the middles of equal parts of the line of arctan c."""
    return np.tan(math.pi * ((np.arange(number) + 0.5) / number - 0.5))


def list_hypotheses(formulations: Iterable[str], noise: NoiseModel) -> list[HypothesisAgents]:
    """List the hypotheses of `identify` as agents."""
    asked = np.array(noise.temperatures)
    other = np.unique(np.concatenate([np.geomspace(*Prior().temperature, OTHER_TEMPERATURES), asked]))
    exact, zero = np.zeros(1), np.zeros(1)

    def make(name: str, reward: str, few: Floats, many: Floats, looked_at: Floats, open_to: Floats) -> HypothesisAgents:
        sets = (_cross(reward, few, looked_at, noise.slip), _cross(reward, many, open_to, noise.slip))
        return HypothesisAgents(name, *sets)

    few, many = spread_care(CARES), spread_care(CARES * FINER)
    result = []
    for name in formulations:
        result.append(make(name, name, few, many, asked, other))
        result.append(make(name + EXACT, name, few, many, exact, exact))
    result.append(make(OWN, OWN, zero, zero, asked, other))
    result.append(make(OWN + EXACT, OWN, zero, zero, exact, exact))
    at_random = ModelAgents(OWN, zero, np.ones(1), np.ones(1))
    return [*result, HypothesisAgents(RANDOM, at_random, at_random)]


def _cross(reward: str, care: Floats, temperature: Floats, slip: float) -> ModelAgents:
    """Return every temperature at every coefficient, coefficient by coefficient."""
    cares, temperatures = np.repeat(care, len(temperature)), np.tile(temperature, len(care))
    return ModelAgents(reward, cares, temperatures, np.full(len(cares), slip))


class HypothesisPair(NamedTuple):
    """How fast a hypothesis is told from another in a world.

    rate: natural logarithms per episode; 0 where the other one has an agent that acts like each of the first.
    """

    truth: str
    other: str
    rate: float

    @property
    def episodes(self) -> float:
        """Until the expected evidence is 20 to 1; infinite where the rate is 0."""
        return math.log(ODDS) / self.rate if self.rate > NOTHING else math.inf


@dataclass(frozen=True)
class WorldDesign:
    """What one episode from one start state of a world tells, as far as it is expected.

    classes: of formulations that are one here. hypotheses: those that are not.
    """

    world: ObservedWorld
    start: int
    classes: tuple[FormulationClass, ...]
    evidence: ExpectedEvidence
    hypotheses: tuple[HypothesisAgents, ...]

    @property
    def steps(self) -> float:
        """The mean length of an episode, over all agents that are looked at."""
        return float(np.nanmean(self.evidence.steps))

    @cached_property
    def pairs(self) -> tuple[HypothesisPair, ...]:
        """Every hypothesis against every other one that is not its twin here."""
        mine, theirs = self._find_parts("agents"), self._find_parts("others")
        result = []
        for truth, rows in mine.items():
            for other, columns in theirs.items():
                if truth != other:
                    nearest = self.evidence.against[rows, columns].min(axis=1)
                    found = nearest[np.isfinite(nearest)]
                    rate = float(found.mean()) if len(found) else 0.0
                    result.append(HypothesisPair(truth, other, rate if rate > NOTHING else 0.0))
        return tuple(result)

    def expect_width(self, episodes: float) -> float:
        """Compute the expected interval of the first formulation's care, a share of the line: the mean over care."""
        hypothesis = self.hypotheses[0]
        if hypothesis.name == OWN:
            return LEVEL
        against = self.evidence.against[: len(hypothesis.agents), : len(hypothesis.others)]
        finite = np.isfinite(self.evidence.steps[: len(hypothesis.agents)])
        return float(expect_widths(episodes * against[finite], hypothesis).mean())

    def find_pair(self, truth: str, other: str) -> HypothesisPair:
        """Find how fast two hypotheses are told apart; members of a class are one, and indifferent ones are "own"."""
        known = {name: OWN if one.indifferent else one.name for one in self.classes for name in one.members}

        def spell(name: str) -> str:
            exact = EXACT if name.endswith(EXACT) else ""
            return known.get(name.removesuffix(EXACT), name.removesuffix(EXACT)) + exact

        here = [pair for pair in self.pairs if (pair.truth, pair.other) == (spell(truth), spell(other))]
        return HypothesisPair(truth, other, here[0].rate if here else 0.0)

    @property
    def names(self) -> tuple[str, ...]:
        """Every hypothesis by its own name, also those that are one here."""
        formulations = [name + exact for one in self.classes for name in one.members for exact in ("", EXACT)]
        return (*formulations, OWN, OWN + EXACT, RANDOM)

    @cached_property
    def information(self) -> float:
        """An upper bound of the bits that an episode tells about hypothesis and coefficient."""
        share = np.zeros(len(self.evidence.steps))
        for rows in self._find_parts("agents").values():
            finite = np.isfinite(self.evidence.steps[rows])
            share[rows] = finite / max(finite.sum(), 1)
        kept = share > 0.0
        share = share[kept] / share.sum()
        likeness = np.exp(-self.evidence.among[np.ix_(kept, kept)]) @ share
        return max(0.0, float(-(share * np.log2(likeness)).sum()))

    def _find_parts(self, of: str) -> dict[str, slice]:
        """The rows or columns of each hypothesis; of a class those of its first member, of no indifferent one."""
        first = {OWN, *(one.name for one in self.classes if not one.indifferent)}
        result, begin = {}, 0
        for each in self.hypotheses:
            several: ModelAgents = getattr(each, of)
            if several.reward in first:
                result[each.name] = slice(begin, begin + len(several))
            begin += len(several)
        return result


def design_world(world: ObservedWorld, formulations: Sequence[str], noise: NoiseModel) -> list[WorldDesign]:
    """Work out what an episode tells, from each start state; CaregridError for worlds that `identify` refuses."""
    result = []
    for start in world.table.start_states().tolist():
        choices = WorldChoices(world, start, formulations)
        classes = compare_formulations([choices], formulations)
        asked = list_hypotheses([one.name for one in classes if not one.indifferent], noise)
        evidence = expect_evidence(choices, [h.agents for h in asked], [h.others for h in asked], noise.limit)
        result.append(WorldDesign(world, start, tuple(classes), evidence, tuple(asked)))
    return result


@dataclass(frozen=True)
class CareEvidence:
    """What episodes tell about one formulation's coefficient in one world, from its start states as they come.

    against: f64[M, M'], steps: how long an episode is, the mean over all agents.
    """

    hypothesis: HypothesisAgents
    against: Floats
    steps: float


def find_care_evidence(world: ObservedWorld, formulation: str, noise: NoiseModel) -> CareEvidence:
    """Find what episodes in a world tell about a formulation's coefficient."""
    (hypothesis, *_) = list_hypotheses([formulation], noise)
    against: Floats = np.zeros((len(hypothesis.agents), len(hypothesis.others)))
    steps = 0.0
    for start in world.table.start_states().tolist():
        choices = WorldChoices(world, start, [formulation])
        found = expect_evidence(choices, [hypothesis.agents], [hypothesis.others], noise.limit)
        share = float(world.table.start[start])
        against = against + share * found.against
        steps += share * float(found.steps.mean())
    return CareEvidence(hypothesis, against, steps)


@dataclass(frozen=True)
class SeenEvidence:
    """The log likelihood of what was seen, f64[M] of a hypothesis' agents and f64[M'] of its others."""

    agents: Floats
    others: Floats

    @classmethod
    def of(
        cls,
        behaviours: Sequence[Behaviour],
        formulation: str,
        hypothesis: HypothesisAgents,
        known: Mapping[tuple[str, int], WorldChoices] | None = None,
    ) -> SeenEvidence:
        """Add up over the steps of behaviour in any worlds to which the formulation applies.

        known: by fingerprint and start, choices that have been made already.
        """
        seen = cls(np.zeros(len(hypothesis.agents)), np.zeros(len(hypothesis.others)))
        worlds = {each.world.fingerprint: each.world for each in behaviours}
        for (mark, start), counts in count_steps(behaviours).items():
            choices = (known or {}).get((mark, start)) or WorldChoices(worlds[mark], start, [formulation])
            row = dict(zip(choices.states.tolist(), choices.kind.tolist(), strict=True))
            for total, agents in ((seen.agents, hypothesis.agents), (seen.others, hypothesis.others)):
                with np.errstate(divide="ignore"):
                    log_chance = np.log(choices.compute_chances(agents))
                for state, actions in counts.items():
                    for action, times in actions.items():
                        total += times * log_chance[:, row[state], action]
        return seen

    @classmethod
    def make_empty(cls, hypothesis: HypothesisAgents) -> SeenEvidence:
        """Return the evidence before anything has been seen."""
        return cls(np.zeros(len(hypothesis.agents)), np.zeros(len(hypothesis.others)))


def expect_widths(against: Floats, hypothesis: HypothesisAgents, seen: Floats | None = None) -> Floats:
    """Compute f64[M], the expected 90 percent interval of care of each agent, as a share of the line.

    against: f64[M, M'] of all episodes together. seen: f64[M'], the log likelihood of episodes that have been seen.
    Within the parts of the line the posterior is taken to be even.
    """
    temperatures = len(np.unique(hypothesis.others.temperature))
    log_weight = (-against if seen is None else seen - against).reshape(len(against), -1, temperatures)
    weight = np.exp(log_weight - log_weight.max(axis=(1, 2), keepdims=True)).sum(axis=2)
    below = np.cumsum(weight, axis=1) / weight.sum(axis=1, keepdims=True)
    parts = np.arange(weight.shape[1] + 1) / weight.shape[1]
    ends = [
        [np.interp(level, [0.0, *row], parts) for level in ((1 - LEVEL) / 2, (1 + LEVEL) / 2)] for row in below.tolist()
    ]
    return np.asarray(np.diff(ends, axis=1)[:, 0])


def choose_worlds(
    found: Sequence[CareEvidence], number: int, episodes: float, seen: SeenEvidence | None = None
) -> list[tuple[int, float]]:
    """Choose worlds one after the other, each the one with which the expected width is least; none twice.

    episodes: in each world. The width is the mean over care, at the temperature at which it is largest. seen: what is
    known before; the mean is then over the agents that it may be.
    """
    hypothesis = found[0].hypothesis
    seen = seen or SeenEvidence.make_empty(hypothesis)
    temperature = hypothesis.agents.temperature
    share = np.exp(seen.agents - seen.agents.max())
    together = np.zeros_like(found[0].against)
    chosen: list[tuple[int, float]] = []
    for _ in range(min(number, len(found))):
        widths = []
        for number_of, each in enumerate(found):
            if any(number_of == known for known, _ in chosen):
                widths.append(math.inf)
                continue
            width = expect_widths(together + episodes * each.against, hypothesis, seen.others)
            widths.append(_average_worst(width, share, temperature))
        best = int(np.argmin(widths))
        chosen.append((best, widths[best]))
        together = together + episodes * found[best].against
    return chosen


def _average_worst(width: Floats, share: Floats, temperature: Floats) -> float:
    """Return the mean over agents by their shares, at the temperature at which it is largest.

    A temperature that what was seen speaks against, by more than ODDS to 1, does not count.
    """
    asked = np.unique(temperature)
    likely = np.array([share[temperature == t].sum() for t in asked])
    return max(
        float(np.average(width[temperature == t], weights=share[temperature == t]))
        for t, mass in zip(asked, likely, strict=True)
        if mass * ODDS >= likely.max()
    )
