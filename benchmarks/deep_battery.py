"""Turns per second of stacked DQN, A2C and PPO in the battery, beside Stable-Baselines3 behind a plain wrapper.

N runs, each an agent and its copies in one of ten environments, share their stacks (`xenv.interaction_loop`). "alone"
runs the same environments one after the other, each learner in a stack of its own. The wrapper, which
`benchmarks/deep_adapters.py` defines, asks `predict` and calls `learn()` on a dummy environment, on one torch thread.
Every number is of processor seconds.

    python benchmarks/deep_battery.py [--quick] [--device cuda] [--runs 1,30,100,300]
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.deep_adapters import Straightforward
from benchmarks.peak_memory import run_with_peak
from benchmarks.ratios import Ratios, add_ratios_option
from engine.learning.stacks import CPU
from engine.learning.stacks.stacks import make_stacks
from xenv.agents.a2c import SB3A2C, StackedA2C
from xenv.agents.dqn import SB3DQN, StackedDQN
from xenv.agents.ppo import SB3PPO, StackedPPO
from xenv.environments import benchmark
from xenv.interaction_loop import JointRun, run_environment, run_jointly

# all but `limited_memory`, which copies an agent every turn: the wrapper would copy Stable-Baselines3's whole object
ENVIRONMENTS = [name for name in benchmark() if name != "limited_memory"][::2][:10]
SPECS = {
    "DQN": (StackedDQN(), SB3DQN(), 4),
    "A2C": (StackedA2C(), SB3A2C(), 5),
    "PPO": (StackedPPO(), SB3PPO(), 2048),
}


def make_wrapper(name: str, every: int, settings: dict[str, Any]) -> Callable[..., Straightforward]:
    """A factory of wrapped algorithms, as the battery takes it."""
    own = {field: value for field, value in settings.items() if field != "total_timesteps"}

    def make(n_observations: int, n_actions: int, learning_rate: float = own.pop("learning_rate")) -> Straightforward:
        return Straightforward(name, every, n_observations, n_actions, learning_rate=learning_rate, **own)

    return make


def measure_rate(run: Callable[[], object], turns: int) -> float:
    """Turns over the processor seconds of a call."""
    started = time.process_time()
    run()
    return turns / (time.process_time() - started)


def measure_one_by_one(agent: Any, turns: int) -> float:
    """Turns per second in the environments, one after the other."""
    return measure_rate(lambda: [run_environment(each, agent, turns) for each in ENVIRONMENTS], 10 * turns)


def measure_jointly(spec: Any, n: int, turns: int, device: str) -> float:
    """Turns per second of n runs whose learners share their stacks."""
    worlds = islice(cycle(ENVIRONMENTS), n)
    jobs = [JointRun(environment, spec, turns, key) for key, environment in enumerate(worlds)]
    return measure_rate(lambda: run_jointly(jobs, make_stacks(device)), n * turns)


def main() -> None:
    """Print a row an algorithm."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a quarter of the turns")
    parser.add_argument("--device", default=CPU, help="of the joint runs: cpu, or a device of torch's such as cuda")
    parser.add_argument("--runs", default="1,30,100,300", help="how many runs share their stacks")
    add_ratios_option(parser)
    arguments = parser.parse_args()
    ratios = Ratios(f"deep_battery, {arguments.device}", arguments.ratios, quick=arguments.quick)
    numbers = [int(word) for word in arguments.runs.split(",")]
    torch.set_num_threads(1)
    at_once = "".join(f"{f'N = {number}':>16}" for number in numbers)
    print(f"{'':4}{'wrapper':>9}{'alone':>16}{at_once}   turns per second and ratio")
    for name, (spec, wrapped, every) in SPECS.items():
        few = max(every, 200 if arguments.quick else 800)
        many = max(every, 500 if arguments.quick else 2_000)
        measure_jointly(spec, 10, every + 1, arguments.device)  # compiled code is loaded, or made
        theirs = measure_one_by_one(make_wrapper(name, every, wrapped.read_settings()), few)
        ours = [measure_one_by_one(spec, 4 * many)]
        ours += [measure_jointly(spec, n, many if n > 1 else 20 * many, arguments.device) for n in numbers]
        for ours_is, rate in zip(("alone", *(f"N = {number}" for number in numbers)), ours, strict=True):
            ratios.add(f"{name}, {ours_is}", rate / theirs)
        print(f"{name:4}{theirs:9.0f}" + "".join(f"{rate:9.0f} {rate / theirs:5.1f}x" for rate in ours), flush=True)


if __name__ == "__main__":
    sys.exit(run_with_peak(main))
