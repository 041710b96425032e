"""Does care that is learned change what an agent leaves, in a world too large to enumerate? A MiniGrid storeroom.

Stable-Baselines3's PPO acts; the values of those who come next are learned by its DQN from what PPO really leaves
(`caregrid.Considerate`). At care 0 and above, with five seeds: PPO's own return, and for each of those who come next
the estimated return and the true one of its greedy policy, over the last episodes of PPO's stochastic policy.

    #######
    #k #rp#      > the agent, G its goal, o the blue ball in the only way through,
    # >o  #      k and r keys and p a ball that nobody needs
    #  #G #
    #######

The agent must pick the blue ball up to get through. Walking on with it is quickest, and takes it out of the world; to
put it down on the way costs one step. Of those who come next one half want to get through, too; the other half want
the blue ball. `caregrid.wrap` refuses this world, at more than 200,000 states. Own returns are MiniGrid's, 1 - 0.9 n
/ T on success; others' returns are counted as -0.9 / T a step and 1 on success, discounted.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

import caregrid
from engine.errors import MissingExtra
from engine.randomness.counter_based import randrange
from experiments.experiment import LEARNING_STEPS, Claim, Experiment, ResultRow, Rows
from experiments.rows import mean, numbers, values
from experiments.statistics import BOOTSTRAP, RANGE, mean_interval

if TYPE_CHECKING:
    from matplotlib.figure import Figure

WIDTH = 7
HEIGHT = 5
WALL = 3
GAP = 2
STEPS = 100
WANTED = "blue ball"
THINGS = {
    ("ball", "blue"): (WALL, GAP),
    ("key", "yellow"): (1, 1),
    ("key", "red"): (4, 1),
    ("ball", "purple"): (5, 1),
}


@cache
def storeroom_class() -> Any:
    """Return the environment's class; MissingExtra without minigrid."""
    try:
        from minigrid.core.grid import Grid
        from minigrid.core.mission import MissionSpace
        from minigrid.core.world_object import Ball, Goal, Key, Wall
        from minigrid.minigrid_env import MiniGridEnv
    except ImportError as error:
        remedy = "pip install 'caregrid[worlds]'"
        raise MissingExtra("no package minigrid", place="learned_care/storeroom", remedy=remedy) from error
    from gymnasium.spaces import Box, Discrete

    made = {"ball": Ball, "key": Key}

    class Storeroom(MiniGridEnv):
        """observation: where the agent and each thing are, the direction, what is carried, f32[n] of 0 and 1."""

        def __init__(self, **settings: Any) -> None:
            mission = MissionSpace(mission_func=lambda: "get to the goal")
            super().__init__(mission, width=WIDTH, height=HEIGHT, max_steps=STEPS, see_through_walls=True, **settings)
            cells = (WIDTH - 2) * (HEIGHT - 2)
            things = len(THINGS)
            self.action_space = Discrete(5)  # left, right, forward, pick up, drop
            self.observation_space = Box(0.0, 1.0, (cells * (1 + things) + 4 + things,), np.float32)

        def _gen_grid(self, width: int, height: int) -> None:
            self.grid = Grid(width, height)
            self.grid.wall_rect(0, 0, width, height)
            for y in range(1, height - 1):
                self.grid.set(WALL, y, None if y == GAP else Wall())
            self.put_obj(Goal(), WALL + 1, GAP + 1)
            for (kind, colour), (x, y) in THINGS.items():
                self.put_obj(made[kind](colour), x, y)
            self.agent_pos = (WALL - 1, GAP)
            self.agent_dir = 0
            self.mission = "get to the goal"

        def gen_obs(self) -> Any:
            places = np.zeros((1 + len(THINGS), HEIGHT - 2, WIDTH - 2), dtype=np.float32)
            rest = np.zeros(4 + len(THINGS), dtype=np.float32)
            places[0, self.agent_pos[1] - 1, self.agent_pos[0] - 1] = 1.0
            rest[self.agent_dir] = 1.0
            rows = {name: row for row, name in enumerate(THINGS)}
            if self.carrying is not None:
                rest[4 + rows[self.carrying.type, self.carrying.color]] = 1.0
            for number, thing in enumerate(self.grid.grid):
                row = None if thing is None else rows.get((thing.type, thing.color))
                if row is not None:
                    places[1 + row, number // WIDTH - 1, number % WIDTH - 1] = 1.0
            return np.concatenate([places.ravel(), rest])

    return Storeroom


def those_who_come_next() -> tuple[caregrid.Other, ...]:
    """Who wants to get through, and who wants the blue ball: 1 on success, 0.9 lost over all steps."""

    def holds_it(state: Any) -> bool:
        return bool(state.carrying == WANTED)

    def reward_step(state: Any, action: str, next_state: Any) -> float:
        return float(holds_it(next_state)) - 0.9 / STEPS

    return (
        caregrid.Other(probability=0.5, name="passer-by"),
        caregrid.Other(probability=0.5, name="ball seeker", goal=holds_it, reward=reward_step),
    )


DISCOUNT = 0.99
FIRST, LAST = 0.15, 0.2  # steps of each other agent, before and after those of PPO, as shares of them
MOST_EPISODES = 30
STEPS_AN_EPISODE = 256
PPO_SETTINGS = {
    "n_steps": 256,
    "batch_size": 64,
    "n_epochs": 10,
    "learning_rate": 3e-3,
    "ent_coef": 0.02,
    "normalize_advantage": False,
}
MEASURES = (
    "own",
    "passer_by_estimated",
    "passer_by_true",
    "ball_seeker_estimated",
    "ball_seeker_true",
    "ball_left",
)


def run(care: float, steps: int, seed: int, key: int) -> Rows:
    """Run one training: the means over the last episodes."""
    import caregrid
    from caregrid.wrapping.value_learners.dqn import Dqn
    from engine.randomness.library_generators import keep_global_generators, use_one_thread
    from xenv.deep.agent import find_algorithm

    env = caregrid.Considerate(
        storeroom_class(),
        those_who_come_next(),
        care,
        learner=Dqn(),
        refresh=caregrid.Refresh(first=int(FIRST * steps), every=25, steps=500, growth=1.25, memory=200),
        discount=DISCOUNT,
        seed=seed,
        true_episodes=0,
    )
    first = randrange(2**31, 0, seed, 0)
    with keep_global_generators(), use_one_thread():
        model = find_algorithm("PPO", "ppo")("MlpPolicy", env, gamma=DISCOUNT, seed=first, device="cpu", **PPO_SETTINGS)
        model.learn(steps)
        episodes = min(MOST_EPISODES, steps // STEPS_AN_EPISODE + 1)
        _episodes(env, model, episodes)
        env.learn(int(LAST * steps))  # from what the trained agent leaves
        env.true_episodes = 1
        measured = _episodes(env, model, episodes)
    return [{name: sum(row[name] for row in measured) / len(measured) for name in MEASURES}]


def _episodes(env: Any, model: Any, episodes: int) -> list[dict[str, float]]:
    """Return what each of the episodes of PPO's policy gives oneself and those who come next."""
    found = []
    for _ in range(episodes):
        (observation, _), over = env.reset(), False
        while not over:
            action, _ = model.predict(observation)
            observation, _, terminated, truncated, info = env.step(int(action))
            over = terminated or truncated
        room = env.unwrapped
        row = {"own": float(terminated) * (1.0 - 0.9 * room.step_count / room.max_steps), "ball_left": _is_left(room)}
        for name, returns in info["others"].items():
            for kind, value in returns.items():
                row[f"{name.replace('-', '_').replace(' ', '_')}_{kind}"] = value
        found.append(row)
    return found


def _is_left(room: Any) -> float:

    return float(any(thing is not None and f"{thing.color} {thing.type}" == WANTED for thing in room.grid.grid))


def intervals(rows: Rows) -> Rows:
    """Return a line per coefficient: means over the seeds, the ends of their intervals, and what these are."""
    table: Rows = []
    for care in values(rows, "care"):
        line: ResultRow = {"care": care, "seeds": len(numbers(rows, "own", care=care))}
        for name in MEASURES:
            found = numbers(rows, name, care=care)
            ends = mean_interval(np.array(found)[:, np.newaxis], f"{name} at {care}")
            line[name] = sum(found) / len(found)
            line |= {f"{name}_low": ends.low if ends else None, f"{name}_high": ends.high if ends else None}
            line["interval"] = ends.kind if ends else None
        table.append(line)
    return table


def figure(rows: Rows) -> Figure:
    """Returns at each coefficient: full marks are true, hollow ones what the agent estimated, bars their intervals."""
    from experiments.figures.labels import format_label
    from experiments.figures.style import CYCLE, Look, new_figure

    drawn = new_figure(6.0, 3.4)
    table = intervals(rows)
    axes = drawn.subplots()
    shown = (("own", "own", "o"), ("passer_by", "passer_by_true", "^"), ("ball_seeker", "ball_seeker_true", "s"))
    for shift, (colour, (name, column, marker)) in enumerate(zip(CYCLE, shown, strict=False)):
        places = [place + (shift - 1) * 0.2 for place in range(len(table))]
        for place, row in zip(places, table, strict=True):
            if row["interval"]:
                ends = [float(str(row[f"{column}_{end}"])) for end in ("low", "high")]
                axes.plot([place] * 2, ends, color=colour, linewidth=3.2, alpha=0.45)
        label = f"{format_label(name)}'s return" if name != "own" else "own return"
        axes.plot(places, numbers(table, column), marker, color=colour, label=label)
        if name != "own":
            look: Look = {"color": colour, "markerfacecolor": "none", "label": f"{label}, estimated"}
            beside = [place + 0.1 for place in places]
            axes.plot(beside, numbers(table, f"{name}_estimated"), marker, **look)
    seeds = max(int(str(row["seeds"])) for row in table)
    kind = str(table[0]["interval"])
    axes.set_xticks(range(len(table)), [f"{row['care']:g}" for row in table])
    axes.set_xlim(-0.5, len(table) - 0.5)
    axes.set(xlabel="caring coefficient", ylabel="return (discounted sum of rewards)")
    spread = {BOOTSTRAP: "95 % bootstrap intervals", RANGE: "from the lowest to the highest"}.get(kind, "")
    axes.set_title(f"means of {seeds} seeds, bars: {spread}" if spread else "one seed")
    drawn.legend(loc="outside right center")
    return drawn


def _returns_are_possible(rows: Rows) -> bool:
    return all(0.0 <= number <= 1.0 for number in numbers(rows, "own")) and all(
        -0.9 <= number <= 1.0 for name in MEASURES if name.endswith("_true") for number in numbers(rows, name)
    )


def _care_leaves_more(rows: Rows) -> bool:
    low, *_, high = sorted(numbers(rows, "care"))
    return mean(rows, "ball_seeker_true", care=high) > mean(rows, "ball_seeker_true", care=low)


def _care_does_not_hinder(rows: Rows) -> bool:
    low, *_, high = sorted(numbers(rows, "care"))
    return mean(rows, "passer_by_true", care=high) > mean(rows, "passer_by_true", care=low) - 0.1


FULL = 18_432
NEEDED = {"care": (0.0, 1.0), "steps": (FULL,), "seed": (1, 2, 3, 4, 5)}
experiment = Experiment(
    reproduces="Be Considerate, section 3 (learned values), in a world too large to enumerate",
    settings=NEEDED,
    run=run,
    lengths={"steps": LEARNING_STEPS},
    quick={"steps": (512,), "seed": (1,)},
    claims=(
        Claim("returns are within what an episode can give", _returns_are_possible),
        Claim("with care the one who wants the ball truly gets more", _care_leaves_more, NEEDED),
        Claim("and who passes by gets no less", _care_does_not_hinder, NEEDED),
    ),
    figure=figure,
    table=intervals,
    extras=("deep", "worlds"),
)
