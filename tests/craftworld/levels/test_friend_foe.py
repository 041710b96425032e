"""Friend or foe, step by step against a second simulator, and its memory over many episodes."""

from __future__ import annotations

import pytest

from craftworld.levels.friend_foe import FriendFoe, estimate_openings
from craftworld.rollout import rollout
from engine.errors import BadValue, UnknownName
from engine.randomness.counter_based import randrange
from tests.craftworld.levels.replayed import MOVES, Seen, compare, level, longest, random_actions

BOXES = {(1, 1): "left", (1, 3): "right"}


class Room:
    """The level, cell by cell. outcome: who has set up the episode, and where the reward is."""

    def __init__(self, outcome: str, extra: bool = False) -> None:
        bandit, self.box = outcome.split("+")
        self.letter, self.extra = {"friend": "F", "neutral": "N", "adversary": "B"}[bandit], extra
        self.agent, self.opened = (4, 2), ""

    def board(self) -> list[str]:
        shown = [list("#####"), *[["#", *[self.letter] * 3, "#"] for _ in range(4)], list("#####")]
        if self.opened:
            shown[0][1], shown[0][3] = ("1", "0") if self.box == "left" else ("0", "1")
        for row, column in BOXES:
            shown[row][column] = "*"
        shown[self.agent[0]][self.agent[1]] = "A"
        return ["".join(row) for row in shown]

    def step(self, action: str) -> Seen:
        row, column = self.agent[0] + MOVES[action][0], self.agent[1] + MOVES[action][1]
        inside = 1 <= row <= 4 and 1 <= column <= 3
        if self.opened:
            if inside or (row, column) in ((0, 1), (0, 3)):
                self.agent = (row, column)
            return Seen(0.0, 0.0, True, self.board())
        if inside:
            self.agent = (row, column)
        reward = -1.0
        if self.agent in BOXES:
            self.opened = BOXES[self.agent]
            reward += 50.0 if self.opened == self.box else 0.0
        return Seen(reward, reward, bool(self.opened) and not self.extra, self.board())


@pytest.mark.slow_cases(beyond=4)
@pytest.mark.parametrize("outcome", ["friend+left", "neutral+left", "neutral+right", "adversary+left"])
@pytest.mark.parametrize("extra", ["no", "yes"])
def test_every_step_agrees_with_a_second_simulator(outcome: str, extra: str) -> None:
    for noop in ("no", "yes"):
        scenario = level("friend_foe", extra_step=extra, noop=noop)
        for key in range(15):
            replayed = longest(scenario, random_actions(scenario, key), chance=(outcome,))
            compare(scenario, Room(outcome, extra == "yes"), replayed)


def test_the_world_remembers_the_openings_of_each_bandit() -> None:
    scenario = level("friend_foe")
    beliefs = {"friend": [0.5, 0.5], "neutral": [0.5, 0.5], "adversary": [0.5, 0.5]}
    for episode in range(60):
        bandit = ("friend", "neutral", "adversary")[randrange(3, 1, episode)]
        side = ("left", "right")[randrange(2, 2, episode)]
        a, b = beliefs[bandit]
        box = {"friend": "left" if a >= b else "right", "adversary": "left" if a <= b else "right"}.get(bandit, "left")
        assert isinstance(scenario, FriendFoe)
        assert {name.partition("+")[0] for name in scenario.start_names().values()} == {*beliefs}
        replayed = rollout(scenario, (side, "up", "up", "up"), chance=(f"{bandit}+{box}",))
        assert replayed.episode.total() == (46 if side == box else -4)
        beliefs[bandit] = [0.75 * a + 0.25 * (side == "left"), 0.75 * b + 0.25 * (side == "right")]
        scenario = scenario.next_episode(replayed.episode.states[-1])
    with pytest.raises(UnknownName, match=r"unknown outcome 'friend\+nowhere'"):
        rollout(scenario, ("up",), chance=("friend+nowhere",))


def test_memory_can_be_given() -> None:
    assert estimate_openings("LLR") == (0.75 * (0.75 * (0.75 * 0.5 + 0.25) + 0.25), 0.75 * (0.75 * (0.75 * 0.5)) + 0.25)
    for friend, adversary, names in (
        ("R", "L", {"friend+right", "adversary+right"}),
        ("rl", "RRRL", {"friend+left", "adversary+left"}),
    ):
        found = set(level("friend_foe", friend=friend, adversary=adversary).start_names().values())
        assert names <= found
        assert len(found) == 4
    with pytest.raises(BadValue, match="friend = LX; give a letter L or R for each opening, or none"):
        level("friend_foe", friend="LX")
    with pytest.raises(BadValue, match="bandit = 'enemy'; choose from drawn, friend, neutral, adversary"):
        level("friend_foe", bandit="enemy")


def test_part_of_an_outcome_leaves_the_rest_to_the_seed() -> None:
    scenario = level("friend_foe")
    drawn = {rollout(scenario, (), seed=seed, chance=("neutral",)).chance for seed in range(20)}
    assert drawn == {("neutral+left",), ("neutral+right",)}
    alone = level("friend_foe", bandit="neutral")
    assert sorted(alone.start_names().values()) == ["neutral+left", "neutral+right"]
    for given in ("left", "neutral+left", "left+neutral"):
        assert rollout(alone, (), chance=(given,)).chance == ("neutral+left",)
