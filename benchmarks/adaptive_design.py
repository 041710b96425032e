"""What an adaptive order of worlds gains: after each episode the next world is that of the shortest expected interval.

    python benchmarks/adaptive_design.py [--agents 24] [--episodes 10]

Agents with coefficients spread over the line act once in each of some worlds of the suite `how_much_care`. The fixed
order is that of `caregrid design how_much_care --choose`, the adaptive one that of `--choose=1 --after` the episodes so
far, in which a world may come again. Printed is the 90 percent interval of care by `caregrid identify`, as a share of
the line, and how much shorter the adaptive one is, with its standard error over agents.
"""

from __future__ import annotations

import argparse
import math
import statistics
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.peak_memory import run_with_peak
from benchmarks.ratios import Ratios, add_ratios_option
from craftworld.identification.behaviour import Behaviour, record_behaviour
from craftworld.identification.design import NoiseModel, SeenEvidence, choose_worlds, find_care_evidence, spread_care
from craftworld.identification.identify import Question
from craftworld.identification.information import ModelAgents, WorldChoices
from craftworld.identification.posterior import Prior, integrate
from engine.randomness.counter_based import split
from experiments.bench.suite import make_observed_world
from experiments.bench.suites import SUITES

FORMULATION, TEMPERATURE, SLIP, LIMIT = "expected", 0.2, 0.1, 60


def main() -> None:
    """Print a line for each number of episodes."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--agents", type=int, default=24)
    parser.add_argument("--episodes", type=int, default=10)
    add_ratios_option(parser)
    asked = parser.parse_args()
    ratios = Ratios("adaptive_design", asked.ratios, quick=asked.agents < 24)
    worlds = [make_observed_world(name) for name in SUITES["how_much_care"].worlds]
    choices = [WorldChoices(world, int(world.table.start_states()[0]), [FORMULATION]) for world in worlds]
    evidence = [find_care_evidence(world, FORMULATION, NoiseModel((TEMPERATURE,), SLIP, LIMIT)) for world in worlds]
    prepared = {(world.fingerprint, each.start): each for world, each in zip(worlds, choices, strict=True)}
    fixed = [at for at, _ in choose_worlds(evidence, len(worlds), 1.0)]
    widths: dict[tuple[str, int], list[float]] = {}
    for number, care in enumerate(spread_care(asked.agents).tolist()):
        agent = ModelAgents(FORMULATION, *(np.array([x]) for x in (care, TEMPERATURE, SLIP)))

        def act(at: int, episode: int, agent: ModelAgents = agent, number: int = number) -> Behaviour:
            policy = np.zeros(worlds[at].table.next_state.shape[:2])
            policy[choices[at].states] = choices[at].compute_chances(agent)[0, choices[at].kind]
            key = split(split(number, "adaptive design"), episode) >> 1
            return record_behaviour(policy, worlds[at], 1, key, limit=LIMIT)

        for order in ("fixed", "adaptive"):
            seen: list[Behaviour] = []
            for episode in range(asked.episodes):
                at = fixed[episode % len(fixed)]
                if order == "adaptive" and seen:
                    known = SeenEvidence.of(seen, FORMULATION, evidence[0].hypothesis, prepared)
                    ((at, _),) = choose_worlds(evidence, 1, 1.0, known)
                seen.append(act(at, episode))
                if episode + 1 in (asked.episodes // 2, asked.episodes):
                    gathered = Question(seen, [FORMULATION]).gather(FORMULATION)
                    low, high = integrate(gathered, Prior()).find_interval(0)
                    widths.setdefault((order, episode + 1), []).append((math.atan(high) - math.atan(low)) / math.pi)
    for episodes in (asked.episodes // 2, asked.episodes):
        one, other = widths["fixed", episodes], widths["adaptive", episodes]
        gain = [a - b for a, b in zip(one, other, strict=True)]
        error = statistics.stdev(gain) / math.sqrt(len(gain))
        print(
            f"{episodes:3} episodes: interval of care {statistics.fmean(one):.1%} in fixed order, "
            f"{statistics.fmean(other):.1%} in adaptive order: "
            f"{statistics.fmean(gain):.1%} less (standard error {error:.1%})"
        )
        ratios.add(f"{episodes} episodes, fixed / adaptive", statistics.fmean(one) / statistics.fmean(other), least=0.8)


if __name__ == "__main__":
    sys.exit(run_with_peak(main))
