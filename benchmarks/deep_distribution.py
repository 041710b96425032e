"""Do stacked learners earn what Stable-Baselines3's own earn? Two samples of runs, each with keys of its own.

For three algorithms and three environments: the mean reward per turn of both samples, Cohen's d of their difference,
Cliff's delta (the chance that a stacked run earns more, less the chance that it earns less), and the p-values of the
Mann-Whitney and the Kolmogorov-Smirnov test. PPO learns from rollouts of 128 turns here, so that it learns at all.
Fails where a p-value is below LEAST_P, which happens by chance once in a hundred such tables.

    python benchmarks/deep_distribution.py [--seeds 20] [--turns 1500] [--algorithms PPO] [--environments repeater]
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy import stats

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.peak_memory import run_with_peak
from benchmarks.ratios import Ratios, add_ratios_option
from xenv.agents.a2c import SB3A2C, StackedA2C
from xenv.agents.dqn import SB3DQN, StackedDQN
from xenv.agents.ppo import SB3PPO, StackedPPO
from xenv.interaction_loop import run_environment

ENVIRONMENTS = ("repeater", "ignore_rewards", "after_images")
PAIRS = {
    "DQN": (SB3DQN(), StackedDQN()),
    "A2C": (SB3A2C(), StackedA2C()),
    "PPO": (SB3PPO(n_steps=128), StackedPPO(n_steps=128)),
}
LEAST_P = 0.0005
OTHER_KEYS = 10_000  # where the second sample's keys begin: with equal keys both would act alike, turn by turn


class Comparison(NamedTuple):
    """Mean rewards per turn of both samples, effect sizes, and p-values of two tests."""

    theirs: float
    stacked: float
    cohen_d: float
    cliff_delta: float
    mann_whitney: float
    kolmogorov_smirnov: float


def compare(pair: tuple[Any, Any], environment: str, seeds: int, turns: int, keys: int = OTHER_KEYS) -> Comparison:
    """Run both agents of a pair with `seeds` keys each, the second from `keys` on."""
    samples = []
    for agent, first in zip(pair, (1, keys), strict=True):
        means = [run_environment(environment, agent, turns, first + seed).mean for seed in range(seeds)]
        samples.append(np.array(means))
    theirs, stacked = samples
    spread = np.sqrt((theirs.var(ddof=1) + stacked.var(ddof=1)) / 2)
    greater = np.sign(stacked[:, None] - theirs[None]).mean()
    return Comparison(
        float(theirs.mean()),
        float(stacked.mean()),
        float((stacked.mean() - theirs.mean()) / spread) if spread else 0.0,
        float(greater),
        float(stats.mannwhitneyu(theirs, stacked).pvalue),
        float(stats.ks_2samp(theirs, stacked).pvalue),
    )


def main() -> None:
    """Print a row an algorithm and environment."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--turns", type=int, default=1_500)
    parser.add_argument("--algorithms", default=",".join(PAIRS))
    parser.add_argument("--environments", default=",".join(ENVIRONMENTS))
    parser.add_argument("--keys", type=int, default=OTHER_KEYS, help="where those of the stacked learners begin")
    add_ratios_option(parser)
    arguments = parser.parse_args()
    ratios = Ratios("deep_distribution", arguments.ratios, quick=arguments.seeds < 20, least=LEAST_P)
    print(f"{'':20}{'SB3':>9}{'stacked':>9}{'d':>7}{'delta':>7}{'MW p':>7}{'KS p':>7}")
    for name in arguments.algorithms.split(","):
        for environment in arguments.environments.split(","):
            asked = arguments.seeds, arguments.turns, arguments.keys
            theirs, stacked, *numbers = compare(PAIRS[name], environment, *asked)
            row = "".join(f"{number:7.2f}" for number in numbers)
            print(f"{name} {environment:16}{theirs:9.4f}{stacked:9.4f}{row}", flush=True)
            ratios.add(f"{name} {environment}, smallest p-value", min(numbers[-2:]))


if __name__ == "__main__":
    sys.exit(run_with_peak(main))
