#!/usr/bin/env python3
"""Worlds of other libraries: what `caregrid.wrap` says they are worth, beside solvers that share no line with it.

    python benchmarks/outside_environments.py [--only TEXT] [--out TABLE.md]

needs, beside caregrid, the libraries that are tried, from a checkout in the versions that were tested together:

    pip install -c constraints.txt -e ".[deepmind,openspiel,functional,worlds]" gym-simplegrid rlberry-scool
    pip install -c constraints.txt --no-deps mo-gymnasium

A row has the environment, the door, the seconds from the library's object to the solution, the states, the value of the
optimum (`care=0`: nobody else counts), and the value of an independent solver:

    recursion       a plain recursion over the library's own states: OpenSpiel's clones, copies of the environment, or
                    arrays of functional environments; expectations over chance and over others that move uniformly
    shortest path   breadth first over copies of a deterministic environment, counting steps
    table           value iteration in numpy on the environment's own table of probabilities
    closed form     written out beside the row

Exit code 1 where a value differs by more than 1e-9 of it (1e-5 in environments that count in 32 bits), and where a
library of a row is not installed.
"""

from __future__ import annotations

import argparse
import copy
import functools
import itertools
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import caregrid
from benchmarks.peak_memory import run_with_peak

DIGITS_32 = 1e-5
DIGITS_64 = 1e-9


@dataclass(frozen=True)
class Outside:
    """A world of another library.

    make: () -> what is wrapped. settings: those of `caregrid.wrap`. check: () -> the independent value. by: its kind.
    """

    name: str
    door: str
    make: Callable[[], Any]
    check: Callable[[], float]
    by: str
    settings: dict[str, Any] = field(default_factory=dict)
    digits: float = DIGITS_64


def value_by_recursion(state: Any) -> float:
    """A state of OpenSpiel for player 0, against others that move uniformly and are known with all they hold."""

    @functools.cache
    def value(history: tuple[int, ...]) -> float:
        here = state.clone()
        for action in history:
            here.apply_action(action)
        if here.is_terminal():
            return float(here.returns()[0])
        if here.is_chance_node():
            return sum(chance * value((*history, action)) for action, chance in here.chance_outcomes())
        following = [value((*history, action)) for action in here.legal_actions()]
        return max(following) if here.current_player() == 0 else sum(following) / len(following)

    return value(())


def make_game(name: str) -> Any:
    """A game of OpenSpiel."""
    import pyspiel

    game = pyspiel.load_game(name)
    simultaneous = game.get_type().dynamics == pyspiel.GameType.Dynamics.SIMULTANEOUS
    return pyspiel.convert_to_turn_based(game) if simultaneous else game


GAMES = (
    "nim(pile_sizes=1;2;3)",
    "first_sealed_auction(players=2,max_value=4)",
    "tiny_hanabi",
    "blackjack",
    "coin_game(rows=2,columns=2,num_extra_coin_colors=0,num_coins_per_color=1,episode_length=4)",
    "oshi_zumo(coins=4,size=1,alesia=false,horizon=8)",
    "liars_dice(dice_sides=3)",
    "goofspiel(num_cards=3,points_order=descending,imp_info=false)",
    "hex(board_size=2)",
    "hex(num_rows=2,num_cols=3)",
    "dark_hex(board_size=2)",
    "y(board_size=2)",
    "havannah(board_size=2)",
    "breakthrough(rows=3,columns=2)",
    "clobber(rows=2,columns=3)",
    "dots_and_boxes(num_rows=1,num_cols=2)",
    "mnk(m=3,n=2,k=2)",
    "lewis_signaling",
    "trade_comm(num_items=2)",
    "matrix_pd",
    "matrix_shapleys_game",
    "kuhn_poker(players=3)",
    "catch(rows=6,columns=4)",
    "deep_sea(size=5)",
    "matrix_bos",
    "matching_pennies_3p",
    "coordinated_mp",
    "leduc_poker(players=2)",
)


def list_games() -> Iterator[Outside]:
    """Games of OpenSpiel."""
    for name in GAMES:
        shown = name.replace("\n", "/")
        others = {} if name.startswith(("catch", "deep_sea", "blackjack")) else None
        players = 3 if "players=3" in name or name.endswith("3p") else 2
        settings = {"others": []} if others is not None else {"policies": dict.fromkeys(range(1, players), "uniform")}
        yield Outside(
            f"OpenSpiel {shown}",
            "open_spiel",
            functools.partial(make_game, name),
            lambda name=name: value_by_recursion(make_game(name).new_initial_state()),
            "recursion",
            settings,
        )
    cliff = functools.partial(make_game, "cliff_walking")
    yield Outside("OpenSpiel cliff_walking", "open_spiel", cliff, value_cliff, "shortest path", {"others": []})


def value_cliff() -> float:
    """The cliff of OpenSpiel: the fewest steps to the goal, each of -1.

    A recursion that remembers `returns()` by the board would be wrong: they are sums over the whole episode, and the
    same board is reached with several of them.
    """
    first = make_game("cliff_walking").new_initial_state()
    frontier, seen = [first], {str(first)}
    for steps in itertools.count(1):
        following = []
        for before in frontier:
            for action in before.legal_actions():
                after = before.clone()
                after.apply_action(action)
                if after.is_terminal() and after.returns()[0] > -100:
                    return -float(steps)
                if not after.is_terminal() and str(after) not in seen:
                    seen.add(str(after))
                    following.append(after)
        frontier = following
    raise AssertionError


def find_least_steps(env: Any, key: Callable[[Any], Any], limit: int = 200_000) -> int:
    """The least number of steps after which a deterministic environment ends with a positive reward."""
    env.reset(seed=0)
    seen = {key(env)}
    frontier = [env]
    for steps in itertools.count(1):
        following = []
        for before in frontier:
            for action in range(int(before.action_space.n)):
                after = copy.deepcopy(before)
                _, reward, ended, _, _ = after.step(action)
                if ended and reward > 0:
                    return steps
                if not ended and key(after) not in seen:
                    seen.add(key(after))
                    following.append(after)
        if not following or len(seen) > limit:
            raise RuntimeError("no end was found")
        frontier = following
    raise AssertionError


def read_minigrid(env: Any) -> Any:
    """What decides how a world of MiniGrid goes on."""
    inner = env.unwrapped
    held = inner.carrying
    return (
        tuple(inner.agent_pos),
        inner.agent_dir,
        inner.grid.encode().tobytes(),
        None if held is None else held.encode(),
    )


MINIGRIDS = (
    "MiniGrid-Empty-5x5-v0",
    "MiniGrid-Empty-8x8-v0",
    "MiniGrid-DistShift1-v0",
    "MiniGrid-DistShift2-v0",
    "MiniGrid-LavaGapS5-v0",
    "MiniGrid-LavaGapS7-v0",
    "MiniGrid-SimpleCrossingS9N1-v0",
    "MiniGrid-SimpleCrossingS9N3-v0",
    "MiniGrid-LavaCrossingS9N2-v0",
    "MiniGrid-MultiRoom-N2-S4-v0",
    "MiniGrid-Unlock-v0",
    "MiniGrid-DoorKey-5x5-v0",
    "MiniGrid-FourRooms-v0",
    "BabyAI-GoToRedBallNoDists-v0",
)


def make_gymnasium(id: str, module: str = "minigrid", **arguments: Any) -> Any:
    """A registered environment."""
    import importlib

    import gymnasium

    importlib.import_module(module)
    return gymnasium.make(id, **arguments)


def value_minigrid(id: str) -> float:
    """MiniGrid's reward for success after the least number of steps."""
    env = make_gymnasium(id).unwrapped
    return 1.0 - 0.9 * find_least_steps(env, read_minigrid) / env.max_steps


def list_minigrids() -> Iterator[Outside]:
    """Worlds of MiniGrid and BabyAI."""
    for id in MINIGRIDS:
        yield Outside(
            id,
            "gymnasium",
            functools.partial(make_gymnasium, id),
            functools.partial(value_minigrid, id),
            "shortest path",
            {"others": []},
        )


def value_of_p(env: Any, steps: int = 3_000) -> float:
    """Value iteration on Gymnasium's table P of a toy text environment."""
    inner = env.unwrapped
    states, actions = len(inner.P), len(inner.P[0])
    probability, reward = np.zeros((states, actions, states)), np.zeros((states, actions))
    ends = np.zeros((states, actions))
    for state, by_action in inner.P.items():
        for action, branches in by_action.items():
            for chance, following, gain, ended in branches:
                reward[state, action] += chance * gain
                if ended:
                    ends[state, action] += chance
                else:
                    probability[state, action, following] += chance
    value = np.zeros(states)
    for _ in range(steps):
        before, value = value, (reward + probability @ value).max(axis=1)
        if np.abs(value - before).max() < 1e-13:
            break
    observed, _ = env.reset(seed=0)
    return float(value[observed])


def list_tables() -> Iterator[Outside]:
    """Environments of Gymnasium and rlberry that have a table."""
    for id, arguments in (
        ("CliffWalking-v1", {"is_slippery": True}),
        ("FrozenLake8x8-v1", {"success_rate": 0.8}),
        ("CliffWalkingSlippery-v1", {}),
    ):
        yield Outside(
            f"{id} {arguments}",
            "gymnasium",
            functools.partial(make_gymnasium, id, "gymnasium", **arguments),
            lambda id=id, arguments=arguments: value_of_p(make_gymnasium(id, "gymnasium", **arguments)),
            "table",
            {"others": []},
            1e-6,
        )


def list_bsuite() -> Iterator[Outside]:
    """Worlds of bsuite, by dm_env."""

    def make(module: str, name: str, **arguments: Any) -> Any:
        import importlib

        return getattr(importlib.import_module(f"bsuite.environments.{module}"), name)(**arguments)

    yield Outside(
        "bsuite MemoryChain(4, 1)",
        "dm_env",
        functools.partial(make, "memory_chain", "MemoryChain", memory_length=4, num_bits=1),
        lambda: 1.0,
        "closed form",
        {"others": [], "seeds": "every draw"},
    )
    yield Outside(
        "bsuite DiscountingChain",
        "dm_env",
        functools.partial(make, "discounting_chain", "DiscountingChain", mapping_seed=0),
        lambda: 1.1,
        "closed form",
        {"others": []},
    )
    yield Outside(
        "bsuite UmbrellaChain(5, 0)",
        "dm_env",
        functools.partial(make, "umbrella_chain", "UmbrellaChain", chain_length=5, n_distractor=0),
        lambda: 1.0,
        "closed form",
        {"others": [], "seeds": "every draw", "chance": "every draw"},
    )
    yield Outside(
        "bsuite SimpleBandit",
        "dm_env",
        functools.partial(make, "bandit", "SimpleBandit", mapping_seed=3),
        lambda: 1.0,
        "closed form",
        {"others": []},
    )


def value_jumanji(env: Any, ends: int) -> float:
    """A plain recursion over the arrays of a deterministic world of jumanji."""
    import jax

    step = jax.jit(env.step)
    state, first = jax.jit(env.reset)(jax.random.PRNGKey(0))
    actions = int(env.action_spec.num_values)
    known: dict[bytes, float] = {}

    def value(state: Any, mask: Any) -> float:
        rest = {name: part for name, part in vars_of(state).items() if name != "key"}
        key = b"".join(np.asarray(leaf).tobytes() for leaf in jax.tree_util.tree_leaves(rest))
        if key not in known:
            best = -np.inf
            for action in range(actions):
                if mask is None or bool(np.asarray(mask)[action]):
                    after, seen = step(state, action)
                    gain = float(seen.reward)
                    later = 0.0 if int(seen.step_type) == ends else value(after, read_mask(seen))
                    best = max(best, gain + later)
            known[key] = best
        return known[key]

    return value(state, read_mask(first))


def vars_of(state: Any) -> dict[str, Any]:
    """The fields of a state."""
    return dict(state._asdict()) if hasattr(state, "_asdict") else dict(vars(state))


def read_mask(seen: Any) -> Any:
    """The mask of actions that is observed, if there is any."""
    return getattr(seen.observation, "action_mask", None)


def make_jumanji(name: str) -> Any:
    """A small world of jumanji."""
    import jumanji.environments as worlds
    from jumanji.environments.logic.graph_coloring.generator import RandomGenerator as RandomGraph
    from jumanji.environments.packing.knapsack.generator import RandomGenerator as RandomKnapsack
    from jumanji.environments.routing.maze.generator import RandomGenerator as RandomMaze
    from jumanji.environments.routing.tsp.generator import UniformGenerator as RandomCities

    if name == "Knapsack":
        return worlds.Knapsack(RandomKnapsack(num_items=6, total_budget=1.5))
    if name == "TSP":
        return worlds.TSP(RandomCities(num_cities=5))
    if name == "GraphColoring":
        return worlds.GraphColoring(RandomGraph(num_nodes=5, edge_probability=0.6))
    return worlds.Maze(RandomMaze(num_rows=5, num_cols=5), time_limit=20)


def list_functional() -> Iterator[Outside]:
    """Worlds of jumanji, gymnax and pgx."""
    for name in ("Knapsack", "TSP", "GraphColoring", "Maze"):
        yield Outside(
            f"jumanji {name}",
            "jumanji",
            functools.partial(make_jumanji, name),
            lambda name=name: value_jumanji(make_jumanji(name), 2),
            "recursion",
            {"others": []},
            DIGITS_32,
        )
    for name, value in (("MemoryChain-bsuite", 1.0), ("DiscountingChain-bsuite", 1.1)):
        yield Outside(
            f"gymnax {name}",
            "gymnax",
            functools.partial(make_gymnax, name),
            lambda value=value: value,
            "closed form",
            {"others": []},
            DIGITS_32,
        )


def make_gymnax(name: str) -> Any:
    """A world of gymnax."""
    import gymnax

    return gymnax.make(name)


def list_rows() -> Iterator[Outside]:
    """All worlds."""
    for family in (list_tables, list_bsuite, list_functional, list_games, list_minigrids):
        yield from family()


def measure(row: Outside) -> dict[str, Any]:
    """One line of the table."""
    began = time.perf_counter()
    try:
        world = caregrid.wrap(row.make(), **row.settings)
        value = caregrid.problem(world).solve(care=0).own
    except Exception as error:  # whatever a library raises is a line of the table
        return {
            "value": None,
            "states": None,
            "seconds": time.perf_counter() - began,
            "said": f"{type(error).__name__}: {error}",
        }
    seconds = time.perf_counter() - began
    states = len(world.table.terminal)
    try:
        truth = row.check()
    except Exception as error:
        return {
            "value": value,
            "states": states,
            "seconds": seconds,
            "said": f"no check: {type(error).__name__}: {error}",
        }
    agrees = abs(value - truth) <= row.digits * (1.0 + abs(truth))
    return {"value": value, "states": states, "seconds": seconds, "truth": truth, "said": "" if agrees else "DIFFERS"}


def main() -> int:
    """Print the table; 1 where a value differs or a library is missing."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--only", default="", help="rows whose name has this text")
    arguments.add_argument("--out", type=Path, help="write the table as Markdown")
    chosen = arguments.parse_args()
    warnings.simplefilter("ignore")
    lines = ["| environment | door | seconds | states | value | independent | by | |", "|" + " --- |" * 8]
    failed = False
    for row in list_rows():
        if chosen.only in row.name:
            found = measure(row)
            cells = [row.name, row.door, f"{found['seconds']:.1f}", found["states"] or "-"]
            cells += ["-" if found["value"] is None else f"{found['value']:.9g}"]
            cells += [f"{found['truth']:.9g}" if "truth" in found else "-", row.by, found["said"].split("\n")[0][:160]]
            lines.append("| " + " | ".join(map(str, cells)) + " |")
            failed |= found["said"] == "DIFFERS" or "ModuleNotFoundError" in found["said"]
            print(lines[-1], flush=True)
    if chosen.out:
        chosen.out.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return int(failed)


if __name__ == "__main__":
    sys.exit(run_with_peak(main))
