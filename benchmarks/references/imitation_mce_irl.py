"""`MCEIRL` of the package `imitation` on the tables of `benchmarks/maximum_entropy.py`, in an environment of its own.

    python -m venv reference && reference/bin/pip install imitation
    python benchmarks/maximum_entropy.py --imitation reference/bin/python

Rewards of `MCEIRL` are of states, in every state all actions can be taken, and nothing ends. So a state here is a state
with the features that were gathered on the way into it; an action that is not available leads to a state of reward
-1000; and who has ended stays, at the price of log |A| per step, which is what MCE IRL pays for having a choice. These
two rewards are not learned. The training worlds are one world, in which chance takes one of them at first.
"""

from __future__ import annotations

import sys
from typing import Any

import gymnasium
import numpy as np
import torch
from imitation.algorithms.mce_irl import MCEIRL, mce_partition_fh
from imitation.rewards.reward_nets import RewardNet
from imitation.util.logger import configure
from seals.base_envs import TabularModelPOMDP

FORBIDDEN, ENDED = -1, -2
PRICE, ITERATIONS, RATE, STANDARD_DEVIATION = -1000.0, 400, 0.1, 10.0
Node = tuple[int, float, float]


class ExpandedWorld:
    """A world whose states know the features of the step before. given: the fields of `SoftWorld` by name."""

    def __init__(self, given: dict[str, Any]) -> None:
        self.given = given
        self.nodes: dict[Node, int] = {}
        (start,) = np.flatnonzero(given["start"]).tolist()
        self.find((start, 0.0, 0.0))
        edges: list[tuple[int, int, int, float]] = []
        done = 0
        while done < len(self.nodes):
            node = list(self.nodes)[done]
            for action in range(given["available"].shape[1]):
                edges += [(done, action, self.find(after), chance) for after, chance in self._follow(node[0], action)]
            done += 1
        self.transitions = np.zeros((done, given["available"].shape[1], done))
        for number, action, after, chance in edges:
            self.transitions[number, action, after] += chance
        price = [self._find_price(state) for state, _, _ in self.nodes]
        self.features = np.column_stack([[node[1:] for node in self.nodes], price])

    def find(self, node: Node) -> int:
        """The number of a node, a new one where it is new."""
        return self.nodes.setdefault(node, len(self.nodes))

    def step(self, state: int, action: int, after: int) -> int:
        """The number of the node into which a step leads."""
        own, added = self.given["features"][:, state, action].tolist()
        return self.nodes[after, own, added]

    def _follow(self, state: int, action: int) -> list[tuple[Node, float]]:
        if state in (FORBIDDEN, ENDED):
            return [((state, 0.0, 0.0), 1.0)]
        if self.given["terminal"][state]:
            return [((ENDED, 0.0, 0.0), 1.0)]
        if not self.given["available"][state, action]:
            return [((FORBIDDEN, 0.0, 0.0), 1.0)]
        own, added = self.given["features"][:, state, action].tolist()
        following, chance = (self.given[name][state, action].tolist() for name in ("following", "chance"))
        return [((after, own, added), each) for after, each in zip(following, chance, strict=True) if each > 0.0]

    def _find_price(self, state: int) -> float:
        if state == FORBIDDEN:
            return PRICE
        over = state == ENDED or self.given["terminal"][state]
        return -float(np.log(self.given["available"].shape[1])) if over else 0.0


class LinearReward(RewardNet):
    """w . features, and a price that is not learned: the last column of what is observed."""

    def __init__(self, space: Any, actions: Any) -> None:
        super().__init__(space, actions)
        self.weights = torch.nn.Parameter(torch.zeros(2, dtype=torch.float64))

    def forward(self, state: Any, action: Any, next_state: Any, done: Any) -> Any:
        """f64[N], the reward of each observed state."""
        return state.double() @ torch.cat([self.weights, torch.ones(1, dtype=torch.float64)])

    @property
    def dtype(self) -> Any:
        """Of the observations."""
        return torch.float64


def make_tabular(worlds: list[ExpandedWorld], horizon: int) -> TabularModelPOMDP:
    """Put worlds side by side; chance takes one at first, all alike."""
    sizes = [len(world.nodes) for world in worlds]
    total, begin = sum(sizes), np.cumsum([0, *sizes])
    transitions = np.zeros((total, worlds[0].transitions.shape[1], total))
    for at, size, world in zip(begin, sizes, worlds, strict=False):
        transitions[at : at + size, :, at : at + size] = world.transitions
    start = np.zeros(total)
    start[begin[:-1]] = 1.0 / len(worlds)
    features = np.concatenate([world.features for world in worlds])
    return TabularModelPOMDP(
        transition_matrix=transitions,
        observation_matrix=features,
        reward_matrix=np.zeros(total),
        horizon=horizon,
        initial_state_dist=start,
    )


def count_visits(world: ExpandedWorld, steps: Any, horizon: int) -> Any:
    """f64[N], how often each node is visited in an episode, up to the horizon. steps: episode, state, action, after."""
    visits = np.zeros(len(world.nodes))
    episodes = sorted({int(each[0]) for each in steps})
    for episode in episodes:
        own = [each for each in steps.tolist() if each[0] == episode]
        path = [0, *(world.step(*each[1:]) for each in own)]
        rest = world.nodes.get((ENDED, 0.0, 0.0), path[-1])
        for node in [*path, *[rest] * (horizon + 1 - len(path))][: horizon + 1]:
            visits[node] += 1.0 / len(episodes)
    return visits


def plan(world: ExpandedWorld, weights: Any, horizon: int) -> Any:
    """log pi_t(a|s) by `mce_partition_fh`, of the states of `SoftWorld`; nan in those that are not reached."""
    _, _, chances = mce_partition_fh(make_tabular([world], horizon + 1), reward=world.features @ [*weights, 1.0])
    policy = np.full((horizon, *world.given["available"].shape), np.nan)
    for (state, _, _), node in world.nodes.items():
        if state >= 0:
            policy[:, state] = np.log(np.maximum(chances[:horizon, node], 1e-300))
    return policy


def main() -> None:
    """Read what is asked, fit, and write log pi_t(a|s) for every world."""
    asked = np.load(sys.argv[1])
    names = ("following", "chance", "features", "available", "start", "terminal")
    number = sum(name.startswith("start_") for name in asked)
    worlds = [ExpandedWorld({name: asked[f"{name}_{at}"] for name in names}) for at in range(number)]
    trained, horizon = worlds[: int(asked["trained"])], int(asked["horizon"])
    env = make_tabular(trained, horizon + 1)
    visits = [count_visits(world, asked[f"steps_{at}"], horizon + 1) for at, world in enumerate(trained)]
    episodes = sum(len(set(asked[f"steps_{at}"][:, 0].tolist())) for at in range(len(trained)))
    net = LinearReward(gymnasium.spaces.Box(-np.inf, np.inf, (3,)), env.action_space)
    fitted = MCEIRL(
        np.concatenate(visits) / len(trained),
        env,
        net,
        np.random.default_rng(0),
        optimizer_kwargs={"lr": RATE, "weight_decay": 1.0 / (STANDARD_DEVIATION**2 * episodes)},
        log_interval=None,
        custom_logger=configure(format_strs=[]),
    )
    fitted.train(max_iter=ITERATIONS)
    weights = net.weights.detach().numpy()
    policies = {}
    for at, world in enumerate(worlds):
        policies[f"policy_{at}"] = plan(world, weights, horizon)
        policies[f"same_{at}"] = plan(world, asked["weights"], horizon)
    np.savez(sys.argv[2], weights=weights, **policies)


if __name__ == "__main__":
    main()
