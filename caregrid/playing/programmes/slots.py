"""A multi-slot world: a person chooses what every copy does (`--set horizon=3`, `--set futures=cpy,dyn`)."""

from __future__ import annotations

from typing import Any

from caregrid.api.programmes.slot_world import slot_discount, slot_mixture, written
from caregrid.playing.game import StartGame
from caregrid.playing.games.compared_futures import ComparedFutures
from caregrid.playing.games.slot_game import SlotGame
from caregrid.playing.playable_programme import PlayableProgramme
from engine.errors import BadValue
from engine.user_code import names_user_code
from multislot.futures import named_future
from multislot.scenarios import SLOT_SCENARIOS

STEPS, MOST_STEPS = 3, 10
FUTURES = "cpy,dyn,sta:1"


def slot_game(name: str, settings: dict[str, Any], seed: int) -> StartGame:
    """The game of a slot scenario, compared with agents that are optimal for some futures."""
    horizon = settings.get("horizon", written(name).horizon or STEPS)
    if not isinstance(horizon, int) or isinstance(horizon, bool) or not 1 <= horizon <= MOST_STEPS:
        raise BadValue(f"{horizon} steps", place="horizon", remedy=f"choose from 1 to {MOST_STEPS}")
    futures = tuple(dict.fromkeys(future.strip() for future in str(settings.get("futures", FUTURES)).split(",")))
    for future in futures:
        named_future(future)
    mixture = slot_mixture(name, None, "exists")
    compared = ComparedFutures(mixture, futures, horizon, slot_discount(settings.get("discount"), name))
    compared.runs(seed)  # what is too much work is refused before the game, and what is found is kept
    word = name.partition(":")[0]
    known = word in SLOT_SCENARIOS or names_user_code(name)
    text = SLOT_SCENARIOS.documentation(word if word in SLOT_SCENARIOS else name) if known else name
    return lambda: SlotGame(text, compared, seed)


slots = PlayableProgramme(
    slot_game, example="teleport_move", kind="slot_scenarios", settings=("horizon", "futures", "discount")
)
