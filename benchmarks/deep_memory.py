"""Memory of N stacked learners after some turns each: kilobytes in all and for each, as allocated by numpy and Python.

Weights, optimisers and replay memories are rows of arrays, which double in number when they are all in use: for each
learner there are at most two rows. The ratio is the memory of a learner among few over that among many.

    python benchmarks/deep_memory.py [--turns 5000] [--learners 16,64,256,1024]
"""

from __future__ import annotations

import argparse
import sys
import tracemalloc
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.peak_memory import run_with_peak
from benchmarks.ratios import Ratios, add_ratios_option
from engine.agent import AgentSpec, Transition
from engine.learning.stacks.stacks import Stacks
from xenv.agents.a2c import StackedA2C
from xenv.agents.dqn import StackedDQN
from xenv.agents.ppo import StackedPPO
from xenv.interaction_loop import put_in_stacks

OBSERVATIONS, ACTIONS = 4, 2
SPECS = {"DQN": StackedDQN(train_freq=500), "A2C": StackedA2C(n_steps=500), "PPO": StackedPPO(n_steps=500, n_epochs=1)}


def measure_bytes(spec: AgentSpec, learners: int, turns: int) -> int:
    """What is allocated for so many learners, each trained for so many turns; rare gradient steps change none of it."""
    stacks = Stacks()
    tracemalloc.start()
    try:
        lanes = [put_in_stacks(spec, stacks).build(OBSERVATIONS, ACTIONS, key) for key in range(learners)]
        for turn in range(turns):
            transition = Transition(turn % OBSERVATIONS, turn % ACTIONS, 1.0, (turn + 1) % OBSERVATIONS)
            for lane in lanes:
                lane.train(transition)
        return tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()


def main() -> None:
    """Print a row an algorithm."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turns", type=int, default=5_000)
    parser.add_argument("--learners", default="16,64,256,1024")
    add_ratios_option(parser)
    arguments = parser.parse_args()
    ratios = Ratios("deep_memory", arguments.ratios, quick=arguments.turns < 5_000, least=0.5)
    numbers = [int(word) for word in arguments.learners.split(",")]
    for spec in SPECS.values():
        measure_bytes(spec, 1, 1_000)  # what is compiled, and kept for good, is not counted
    print("kB" + "".join(f"{f'{number} learners':>22}" for number in numbers) + f"   after {arguments.turns} turns")
    for name, spec in SPECS.items():
        found = [measure_bytes(spec, number, arguments.turns) / 1000 for number in numbers]
        cells = [
            f"{f'{all_of:,.0f} ({all_of / number:.0f} each)':>22}"
            for all_of, number in zip(found, numbers, strict=True)
        ]
        print(f"{name}" + "".join(cells)[1:], flush=True)
        few, many = found[0] / numbers[0], found[-1] / numbers[-1]
        ratios.add(f"{name}, {numbers[0]} / {numbers[-1]} learners", few / many)


if __name__ == "__main__":
    sys.exit(run_with_peak(main))
