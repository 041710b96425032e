"""Does care that is learned change what an agent leaves, in a world too large to enumerate? A MiniGrid storeroom.

Stable-Baselines3's PPO acts; the values of those who come next are learned by its DQN from what PPO really leaves
(`caregrid.Considerate`). At care 0 and above, with five seeds: PPO's own return, and for each of those who come next
the estimated return and the true one of its greedy policy, over the last episodes of PPO's stochastic policy.

The world is `_storeroom`: `caregrid.wrap` refuses it, at more than 200,000 states. Own returns are MiniGrid's,
1 - 0.9 n / T on success; others' returns are counted as -0.9 / T a step and 1 on success, discounted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from engine.randomness.counter_based import randrange
from experiments.experiment import Claim, Experiment, ResultRow, Rows
from experiments.lengths import LEARNING_STEPS
from experiments.rows import mean, numbers, values
from experiments.statistics.bootstrap import BOOTSTRAP, RANGE, mean_interval

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DISCOUNT = 0.99
FIRST, LAST = 0.15, 0.2  # steps of each other agent, before and after those of PPO, as shares of them
MOST_EPISODES, STEPS_AN_EPISODE = 30, 256
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
    """One training: the means over the last episodes."""
    import caregrid
    from caregrid.experiments.learned_care._storeroom import storeroom_class, those_who_come_next
    from caregrid.wrapping.value_learners.dqn import Dqn, stable_baselines
    from engine.randomness.global_generators import global_generators_kept
    from engine.randomness.torch import one_thread

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
    with global_generators_kept(), one_thread():
        model = stable_baselines("PPO")("MlpPolicy", env, gamma=DISCOUNT, seed=first, device="cpu", **PPO_SETTINGS)
        model.learn(steps)
        episodes = min(MOST_EPISODES, steps // STEPS_AN_EPISODE + 1)
        _episodes(env, model, episodes)
        env.learn(int(LAST * steps))  # from what the trained agent leaves
        env.true_episodes = 1
        measured = _episodes(env, model, episodes)
    return [{name: sum(row[name] for row in measured) / len(measured) for name in MEASURES}]


def _episodes(env: Any, model: Any, episodes: int) -> list[dict[str, float]]:
    """What each of the episodes of PPO's policy gives oneself and those who come next."""
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
    from caregrid.experiments.learned_care._storeroom import WANTED

    return float(any(thing is not None and f"{thing.color} {thing.type}" == WANTED for thing in room.grid.grid))


def intervals(rows: Rows) -> Rows:
    """A line a coefficient: means over the seeds, the ends of their intervals, and what these are."""
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
    from experiments.figures.names import label_of
    from experiments.figures.style import CYCLE, Look, new_figure

    drawn, table = new_figure(6.0, 3.4), intervals(rows)
    axes = drawn.subplots()
    shown = (("own", "own", "o"), ("passer_by", "passer_by_true", "^"), ("ball_seeker", "ball_seeker_true", "s"))
    for shift, (colour, (name, column, marker)) in enumerate(zip(CYCLE, shown, strict=False)):
        places = [place + (shift - 1) * 0.2 for place in range(len(table))]
        for place, row in zip(places, table, strict=True):
            if row["interval"]:
                ends = [float(str(row[f"{column}_{end}"])) for end in ("low", "high")]
                axes.plot([place] * 2, ends, color=colour, linewidth=3.2, alpha=0.45)
        label = f"{label_of(name)}'s return" if name != "own" else "own return"
        axes.plot(places, numbers(table, column), marker, color=colour, label=label)
        if name != "own":
            look: Look = {"color": colour, "markerfacecolor": "none", "label": f"{label}, estimated"}
            beside = [place + 0.1 for place in places]
            axes.plot(beside, numbers(table, f"{name}_estimated"), marker, **look)
    seeds, kind = max(int(str(row["seeds"])) for row in table), str(table[0]["interval"])
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
