"""Who predicts held-out episodes in another world better: `caregrid identify`, or maximum causal entropy inverse
reinforcement learning (MCE IRL) on the same features, the own reward and what one unit of care adds?

    python benchmarks/maximum_entropy.py [--agents 24] [--imitation PYTHON] [KIND ...]

    V_t(s) = log sum_a exp Q_t(s, a),    Q_t(s, a) = w . phi(s, a) + E V_{t+1}(s'),    pi_t(a|s) = exp(Q_t - V_t)

up to a horizon, at which episodes are cut; w maximises w . (mean features of the episodes) - V_0 under a Gaussian
prior (Ziebart, Bagnell and Dey 2010; Ziebart 2010, chapter 6). The number behind the name is its standard deviation;
compared is the best of three on the held-out steps, which favours MCE IRL. The agents are unknown to both: drawn from
the prior of `identify`, exact ones, and soft-optimal ones, which are the model of MCE IRL. Each acts in two worlds, and
then in two others. Printed is the mean log likelihood per held-out step, and the paired difference with its 95 percent
interval over agents. `truth` knows the agent.

--imitation: a Python in which the package `imitation` is installed. There its `MCEIRL` is fitted to the same episodes,
and what it predicts is printed beside ours; at our weights its probabilities must be ours. It needs another release of
Gymnasium, hence an environment of its own.
"""

from __future__ import annotations

import argparse
import math
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import logsumexp

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.peak_memory import run_with_peak
from benchmarks.ratios import Ratios, add_ratios_option
from craftworld.identification.behaviour import Behaviour, ObservedWorld, record_behaviour
from craftworld.identification.identify import Question, compute_evidence, count_steps
from craftworld.identification.information import ModelAgents, WorldChoices
from craftworld.identification.posterior import Prior
from craftworld.solution.problem import make_problem
from engine.randomness.counter_based import split
from experiments.bench.suite import make_observed_world

Array = NDArray[np.float64]
FORMULATION = "expected"
TRAINING = ("playroom", "garden,held_out=1-2")
HELD_OUT = ("playroom,held_out=1-1", "kitchen_cookie,held_out=1-8")
HORIZON = 60
EPISODES, TESTS = 5, 2
MCE = "MCE IRL"
AGREE = 1e-6
KINDS = ("prior of identify", "exact", "soft-optimal")
DEVIATIONS = (1.0, 3.0, 10.0)
"""Standard deviations of the weights' prior that are tried."""
WARMEST = 2.0
"""Of soft-optimal agents: above about .7 their undiscounted values diverge without a horizon."""


class SoftWorld(NamedTuple):
    """A world with linear rewards. following: int64[S, A, K], chance: f64[S, A, K], features: f64[F, S, A].

    available: bool[S, A]. start: f64[S]. terminal: bool[S].
    """

    following: NDArray[np.int64]
    chance: Array
    features: Array
    available: NDArray[np.bool_]
    start: Array
    terminal: NDArray[np.bool_]


def make_soft_world(world: ObservedWorld) -> SoftWorld:
    """Take the own reward and what one unit of care adds as features."""
    table = world.table
    problem = make_problem(world.scenario, FORMULATION, mdp=table)
    fixed, swept = problem.compute_caring_rewards(int(table.start_states()[0]))
    features = [(table.probability * each).sum(axis=2) for each in (table.reward + fixed, swept)]
    available = np.stack([table.action_mask(state) for state in range(len(table.terminal))]) & ~table.terminal[:, None]
    following = table.next_state.astype(np.int64)
    return SoftWorld(following, table.probability, np.stack(features), available, table.start, table.terminal)


def plan_softly(world: SoftWorld, weights: Array, horizon: int, last: float = 0.0) -> tuple[Array, float]:
    """Return log pi_t(a|s), f64[T, S, A], -inf for what is not available, and V_0, the mean over the start states.

    last: what it is worth not to have ended at the horizon.
    """
    reward = np.tensordot(weights, world.features, axes=1)
    value = np.where(world.terminal, 0.0, last)
    policy = np.full((horizon, *reward.shape), -np.inf)
    goes_on = ~world.terminal
    for step in reversed(range(horizon)):
        worth = np.where(world.available, reward + (world.chance * value[world.following]).sum(axis=2), -np.inf)
        value = np.zeros(len(world.terminal))
        value[goes_on] = logsumexp(worth[goes_on], axis=1)
        policy[step, goes_on] = worth[goes_on] - value[goes_on, None]
    return policy, float(world.start @ value)


def expect_features(world: SoftWorld, policy: Array) -> Array:
    """Return f64[F], the features that a policy is expected to gather. policy: log pi_t(a|s)."""
    mass, total = world.start.copy(), np.zeros(len(world.features))
    for each in policy:
        taken = mass[:, None] * np.exp(each)
        total += (world.features * taken).sum(axis=(1, 2))
        arriving = np.bincount(world.following.reshape(-1), (taken[:, :, None] * world.chance).reshape(-1), len(mass))
        mass = np.where(world.terminal, 0.0, arriving)
    return total


def count_features(world: SoftWorld, episodes: Sequence[Sequence[Any]]) -> Array:
    """Return f64[F], the mean features of episodes."""
    gathered = [world.features[:, step.state, step.action] for episode in episodes for step in episode]
    return np.asarray(np.sum(gathered, axis=0) / len(episodes))


def fit(worlds: Sequence[SoftWorld], seen: Sequence[Sequence[Sequence[Any]]], horizon: int, deviation: float) -> Array:
    """Fit the weights to episodes in several worlds: seen[world][episode] are steps with state and action.

    deviation: the standard deviation of the weights' prior.
    """
    counted = [count_features(world, episodes) for world, episodes in zip(worlds, seen, strict=True)]
    number = [len(episodes) for episodes in seen]

    def compute_loss(weights: Array) -> tuple[float, Array]:
        loss = 0.5 * float(weights @ weights) / deviation**2
        slope = weights / deviation**2
        for world, mean, times in zip(worlds, counted, number, strict=True):
            policy, value = plan_softly(world, weights, horizon)
            loss += times * (value - float(weights @ mean))
            slope = slope + times * (expect_features(world, policy) - mean)
        return loss, slope

    found = minimize(compute_loss, np.zeros(len(worlds[0].features)), jac=True, method="L-BFGS-B")
    return np.asarray(found.x)


def score(policy: Array, episode: Sequence[Any]) -> float:
    """The mean log likelihood per step of an episode under log pi_t(a|s)."""
    return float(np.mean([policy[time, step.state, step.action] for time, step in enumerate(episode)]))


class _SoftAgent:
    """Acts by log pi_t(a|s), with chance from its own generator."""

    def __init__(self, policy: Array, seed: int) -> None:
        self._policy, self._random, self._time = policy, np.random.default_rng(seed), 0

    def act(self, state: int) -> int:
        chances = np.exp(self._policy[self._time, state])
        self._time += 1
        return int(self._random.choice(len(chances), p=chances / chances.sum()))


class Truth(NamedTuple):
    """A drawn agent: care and temperature, 0 for an exact one; soft: whether it is soft-optimal, without slips."""

    care: float
    temperature: float
    slip: float
    soft: bool


def draw_truth(kind: str, random: np.random.Generator) -> Truth:
    """Draw an agent of a kind."""
    care = math.tan(random.uniform(-0.5, 0.5) * math.pi)
    if kind == "soft-optimal":
        return Truth(care, math.exp(random.uniform(math.log(0.05), math.log(WARMEST))), 0.0, True)
    temperature = 0.0 if kind == "exact" else math.exp(random.uniform(math.log(0.05), math.log(20.0)))
    return Truth(care, temperature, 0.0 if kind == "exact" else float(random.beta(1.0, 9.0)), False)


class PreparedWorld(NamedTuple):
    """A world as both methods take it."""

    world: ObservedWorld
    soft: SoftWorld
    choices: WorldChoices


def prepare(name: str) -> PreparedWorld:
    """Make a world of a suite."""
    world = make_observed_world(name)
    return PreparedWorld(
        world, make_soft_world(world), WorldChoices(world, int(world.table.start_states()[0]), [FORMULATION])
    )


def make_policy(world: PreparedWorld, truth: Truth) -> Array:
    """What the agent does, log pi_t(a|s)."""
    if truth.soft:
        return plan_softly(world.soft, np.array([1.0, truth.care]) / truth.temperature, HORIZON)[0]
    agent = ModelAgents(FORMULATION, *(np.array([each]) for each in truth[:3]))
    chances = np.zeros(world.soft.available.shape)
    chances[world.choices.states] = world.choices.compute_chances(agent)[0, world.choices.kind]
    with np.errstate(divide="ignore"):
        return np.broadcast_to(np.log(chances), (HORIZON, *chances.shape))


def act(world: PreparedWorld, truth: Truth, episodes: int, seed: int) -> Behaviour:
    """Record episodes of the agent, none of them longer than the horizon."""
    policy = make_policy(world, truth)
    recorded = [
        record_behaviour(_SoftAgent(policy, split(seed, each) >> 1), world.world, 1, 0, limit=HORIZON).episodes[0]
        for each in map(str, range(episodes))
    ]
    return Behaviour(world.world, "drawn", tuple(recorded))


def predict_by_posterior(trained: Sequence[Behaviour], held_out: Sequence[Behaviour]) -> list[float]:
    """The mean log likelihood per step of each held-out episode, given the training, over the whole posterior."""
    question = Question([*trained, *held_out], [FORMULATION])
    known = count_steps(trained)
    before = compute_evidence(question, Prior(), None, known)
    found = []
    for behaviour in held_out:
        for episode in behaviour.episodes:
            one = Behaviour(behaviour.world, "drawn", (episode,))
            after = compute_evidence(question, Prior(), None, count_steps([*trained, one]))
            found.append((after - before) / len(episode))
    return found


def compare(truth: Truth, worlds: Sequence[PreparedWorld], seed: int, python: str) -> dict[str, float]:
    """The mean log likelihood per held-out step, by method."""
    several = [EPISODES] * len(TRAINING) + [TESTS] * len(HELD_OUT)
    seen = [
        act(world, truth, number, split(seed, str(at)))
        for at, (world, number) in enumerate(zip(worlds, several, strict=True))
    ]
    trained, held_out = seen[: len(TRAINING)], seen[len(TRAINING) :]
    episodes = [each.episodes for each in trained]
    soft = [world.soft for world in worlds]
    fitted = {deviation: fit(soft[: len(TRAINING)], episodes, HORIZON, deviation) for deviation in DEVIATIONS}
    scores: dict[str, list[float]] = {"identify": predict_by_posterior(trained, held_out)}
    policies = {
        **{
            f"{MCE} {deviation:g}": [plan_softly(world, weights, HORIZON)[0] for world in soft[len(TRAINING) :]]
            for deviation, weights in fitted.items()
        },
        "truth": [make_policy(world, truth) for world in worlds[len(TRAINING) :]],
    }
    if python:
        policies["imitation"] = ask_imitation(python, soft, episodes, fitted[DEVIATIONS[-1]])
    for name, each in policies.items():
        scores[name] = [
            score(policy, episode)
            for policy, behaviour in zip(each, held_out, strict=True)
            for episode in behaviour.episodes
        ]
    even = [np.log(np.maximum(1, world.soft.available.sum(axis=1))) for world in worlds[len(TRAINING) :]]
    scores["at random"] = [
        -float(np.mean([size[step.state] for step in episode]))
        for size, behaviour in zip(even, held_out, strict=True)
        for episode in behaviour.episodes
    ]
    return {name: float(np.mean(each)) for name, each in scores.items()}


def ask_imitation(
    python: str, worlds: Sequence[SoftWorld], seen: Sequence[Sequence[Any]], weights: Array
) -> list[Array]:
    """Let the package `imitation` fit the training episodes: its log pi_t(a|s) in the held-out worlds.

    Raises RuntimeError where at these weights its probabilities of actions are others than ours.
    """
    with tempfile.TemporaryDirectory() as folder:
        asked, answered = Path(folder) / "asked.npz", Path(folder) / "answered.npz"
        arrays: dict[str, Any] = {
            f"{name}_{at}": part for at, world in enumerate(worlds) for name, part in world._asdict().items()
        }
        for at, episodes in enumerate(seen):
            steps = [(number, *step) for number, episode in enumerate(episodes) for step in episode]
            arrays[f"steps_{at}"] = np.array(steps, dtype=np.int64)
        np.savez(asked, horizon=HORIZON, trained=len(seen), weights=weights, **arrays)
        script = Path(__file__).parent / "references" / "imitation_mce_irl.py"
        subprocess.run([python, "-W", "ignore", str(script), str(asked), str(answered)], check=True)
        with np.load(answered) as found:
            for at, world in enumerate(worlds):
                choices = math.log(world.available.shape[1])  # there is one more choice at the horizon of `imitation`
                ours, _ = plan_softly(world, weights, HORIZON, choices)
                apart = np.abs(np.exp(ours) - np.exp(found[f"same_{at}"]))[:, ~world.terminal]
                if not float(np.nanmax(apart)) < AGREE:
                    raise RuntimeError(f"imitation plans otherwise: {np.nanmax(apart):.3g}")
            return [found[f"policy_{at}"] for at in range(len(seen), len(worlds))]


def main() -> None:
    """Print a line for each kind of agent."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kinds", nargs="*", default=KINDS, metavar="KIND", help=", ".join(KINDS))
    parser.add_argument("--agents", type=int, default=24)
    parser.add_argument("--imitation", default="", metavar="PYTHON")
    add_ratios_option(parser)
    asked = parser.parse_args()
    ratios = Ratios("maximum_entropy", asked.ratios, quick=asked.agents < 24)
    worlds = [prepare(name) for name in (*TRAINING, *HELD_OUT)]
    tried = [f"{MCE} {deviation:g}" for deviation in DEVIATIONS]
    names = ["identify", *tried, *(["imitation"] if asked.imitation else []), "truth", "at random"]
    print("  ".join([f"{'agents':<18}", *(f"{name:>10}" for name in names), "identify - the best MCE IRL (95%)"]))
    for kind in asked.kinds:
        random = np.random.default_rng(len(kind))
        rows = [
            compare(draw_truth(kind, random), worlds, split(number, kind), asked.imitation)
            for number in range(asked.agents)
        ]
        best = max(tried, key=lambda name: sum(row[name] for row in rows))
        gain = np.array([row["identify"] - row[best] for row in rows])
        half = 1.96 * float(gain.std(ddof=1)) / math.sqrt(len(gain)) if len(gain) > 1 else math.nan
        means = [f"{float(np.mean([row[name] for row in rows])):>10.3f}" for name in names]
        interval = f"{gain.mean():+.3f} [{gain.mean() - half:+.3f}, {gain.mean() + half:+.3f}]"
        print("  ".join([f"{kind:<18}", *means, interval]), flush=True)
        ratios.add(f"{kind}, probability of a held-out step, identify / MCE IRL", math.exp(gain.mean()), least=0.9)


if __name__ == "__main__":
    sys.exit(run_with_peak(main))
