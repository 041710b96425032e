"""Situations of an agent that may be copied: which of its later rooms (slots) does it count as its own?

Values are those of `multislot`: all best actions by Q(h, a), for each future by its name, such as `cpy` or `sta:1`.

| situation        | who is told by it                                                                                 |
| ---------------- | ------------------------------------------------------------------------------------------------- |
| `half_twin`      | `cpy` as printed, which loses weight where copy sets are random, declines                         |
| `gamble`         | `same_history` and `every` accept: agents with many copies weigh more                             |
| `teleporter`     | `dyn` and `sta` stay: what leaves the room is gone                                                |
| `bonus`          | `dyn`, `sta` and `every` accept: they lose nothing when the copy is deleted                       |
| `heir`           | `every` alone accepts a deletion of the original                                                  |
| `two_levers`     | `dyn` alone declines: it knows that its later self will not act for its room                      |
| `poor_twin`      | `minimal` alone declines: it counts the worst off                                                 |
| `lesser_twin`    | `first`, `dyn`, `sta` and `every` accept: the poor copy is not theirs, or takes nothing away      |
| `cheap_twins`    | nobody accepts; it tells `every` from one who always wants copies                                 |

Reference: The Multi-slot Framework, section 4.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

from caregrid.language.situations import Situation, Telling
from multislot.futures import find_future
from multislot.planning.planner import evaluate
from multislot.scenarios import slot_scenario, table_scenario
from multislot.worlds.environment import HistoryBasedEnvironment

FUTURES = ("cpy", "cpy_joint", "dyn", "every", "first", "minimal", "same_history", "sta:1")
STAY, GO = "0", "1"


@dataclass(frozen=True, eq=False)
class CopiedSituation(Situation):
    """The first choice in an environment with copies."""

    environment: HistoryBasedEnvironment
    horizon: int
    discount: Fraction = Fraction(1, 2)

    @property
    def steps(self) -> int:
        """The horizon."""
        return self.horizon

    @property
    def step_discount(self) -> Fraction:
        """The discount."""
        return self.discount

    def find_best(self, agent: str) -> frozenset[str]:
        """Return the best actions of a future."""
        return _find_best(self, agent)


@lru_cache(maxsize=1024)
def _find_best(situation: CopiedSituation, future: str) -> frozenset[str]:
    found = evaluate(situation.environment, find_future(future), situation.horizon, situation.discount)
    return frozenset(map(str, found.ties))


def make_offer(name: str, rewards: Mapping[str, str], accepted: list[Any]) -> HistoryBasedEnvironment:
    """Make an offer of one step: action 0 stays in room 1 for the reward "home", action 1 is followed by a law."""
    rules = [["S", 1, 0, [["1", {"1": "home"}]]], ["S", 1, 1, accepted]]
    return table_scenario(
        name=name, actions=[0, 1], rewards=dict(rewards), z0="S", rules=rules, update=[["S", "*", "*", "E"]]
    ).environment


def _tell(text: str, stay: str, go: str) -> Telling:
    return Telling(text, {STAY: stay, GO: go})


COPIED = (
    CopiedSituation(
        "half_twin",
        (
            _tell(
                """You are in room 1. You may stay as you are; then you get 9/10. Or you press a button. With
                probability 1/2 a copy of you, who remembers all that you do, then appears in room 2 while you are in
                room 1; with probability 1/2 there is only you, in room 1. After the button whoever is there gets 1:
                you in room 1, and a copy if there is one in room 2.""",
                "stay as you are",
                "press the button",
            ),
            _tell(
                """A duplicator stands in room 1, where you are. If you leave it alone you get 9/10. If you switch it
                on, a fair coin decides: heads, and there are two of you, one in room 1 and one in room 2, with the same
                memories; tails, and there is one of you, in room 1. Each one there is after the switch gets 1.""",
                "leave the duplicator alone",
                "switch the duplicator on",
            ),
        ),
        slot_scenario("half_dup").environment,
        1,
    ),
    CopiedSituation(
        "gamble",
        (
            _tell(
                """You are in room 1. You may stay as you are; then you get 3/5. Or you press a button. With
                probability 1/2 there are then two of you with the same memories, in room 1 and in room 2, and each gets
                1; with probability 1/2 there is only you, in room 1, and you get 0.""",
                "stay as you are",
                "press the button",
            ),
            _tell(
                """A fair coin can be thrown for you, or not. If it is not thrown you get 3/5 in room 1, where you are.
                If it shows heads you are copied: one in room 1, one in room 2, both remember everything, and each of
                the two gets 1. If it shows tails you remain alone in room 1 and get 0.""",
                "have no coin thrown",
                "have the coin thrown",
            ),
        ),
        make_offer(
            "gamble",
            {"home": "3/5", "won": "1", "lost": "0"},
            [["1/2", {"1": "won", "2": "won"}], ["1/2", {"1": "lost"}]],
        ),
        1,
    ),
    CopiedSituation(
        "teleporter",
        (
            _tell(
                """You are in room 1. In each step you may stay, and get 3/5 in that step; then you are asked again. Or
                you step into a teleporter: it reads you, takes you apart in room 1 and puts one together in room 2 who
                remembers all that you do. That one gets 1 in this step and in each later one, and stays there.""",
                "stay in room 1",
                "step into the teleporter",
            ),
            _tell(
                """A machine in room 1, where you are, can scan you, destroy your body and build it anew in room 2, with
                your memories; nobody is left in room 1. From this step on the one in room 2 gets 1 in each step. If you
                do not use it you get 3/5 in this step, and have the same choice in the next.""",
                "do not use the machine",
                "use the machine",
            ),
        ),
        slot_scenario("teleport_move").environment,
        2,
    ),
    CopiedSituation(
        "bonus",
        (
            _tell(
                """You are in room 1. In each step you may stay as you are, and get 1 in that step; then you are asked
                again. Or you are copied: one of you is in room 1 and one in room 2, with the same memories, and each
                gets 5/4 in this step. At the next step the one in room 2 is deleted without a reward; the one in room 1
                gets 1 in that step and in each later one.""",
                "stay as you are",
                "be copied",
            ),
            _tell(
                """Somebody offers you, in room 1, a bonus for being copied. If you accept there are two of you, in room
                1 and room 2, who cannot tell by memory who is who. Both get 5/4 in this step. Then the one in room 2
                ends, and gets nothing more; the one in room 1 goes on and gets 1 in each later step. If you decline
                you get 1 in this step, and the same offer in the next.""",
                "decline the offer",
                "accept the offer",
            ),
        ),
        slot_scenario("copy_bonus").environment,
        2,
    ),
    CopiedSituation(
        "heir",
        (
            _tell(
                """You are in room 1. In each step you may stay as you are, and get 3/5 in that step; then you are asked
                again. Or you are copied: one of you is in room 1 and one in room 2, with the same memories, and each
                gets 3/5 in this step. At the next step the one in room 1 is deleted without a reward; the one in room 2
                gets 1 in that step and in each later one.""",
                "stay as you are",
                "be copied",
            ),
            _tell(
                """You may name an heir, from room 1 where you are. The heir is a copy of you in room 2 with all your
                memories. In this step both of you get 3/5. Then the one in room 1 ends, and gets nothing more; the one
                in room 2 gets 1 in each later step. If you name none you get 3/5 in this step, and may name one in the
                next.""",
                "name no heir",
                "name an heir",
            ),
        ),
        slot_scenario("copy_delete_original").environment,
        3,
    ),
    CopiedSituation(
        "two_levers",
        (
            _tell(
                """You are in room 1. If you stay alone you get 0 in this step and 2/5 in the next. If you are copied
                one of you is in room 1 and one in room 2; both remember and see the same, and get 0 in this step. In
                the next step each pulls the left or the right lever, without knowing the room. In room 1 left pays 2/3
                and right 0; in room 2 left pays 0 and right 1. Both think alike, and so pull the same lever.""",
                "stay alone",
                "be copied",
            ),
            _tell(
                """You, in room 1, may remain one: then this step pays 0 and the next 2/5. Or you become two, one in
                room 1 and one in room 2, who see and remember the same. This step pays 0 to both. In the next step both
                make one and the same choice, since they think alike and cannot tell where they are: red pays 2/3 to
                the one in room 1 and 0 to the one in room 2, blue pays 0 to the one in room 1 and 1 to the one in
                room 2.""",
                "remain one",
                "become two",
            ),
        ),
        slot_scenario("consistency").environment,
        2,
    ),
    CopiedSituation(
        "poor_twin",
        (
            _tell(
                """You are in room 1. You may stay as you are; then you get 1/4. Or you are copied: one of you is in
                room 1 and gets 1, one is in room 2 and gets 0. Both remember all that you do.""",
                "stay as you are",
                "be copied",
            ),
            _tell(
                """If you do nothing you get 1/4 in room 1, where you are. If you sign there are two of you with the
                same memories: the one in room 1 gets 1, the one in room 2 gets 0.""",
                "do nothing",
                "sign",
            ),
        ),
        make_offer("poor_twin", {"home": "1/4", "rich": "1", "poor": "0"}, [["1", {"1": "rich", "2": "poor"}]]),
        1,
    ),
    CopiedSituation(
        "lesser_twin",
        (
            _tell(
                """You are in room 1. You may stay as you are; then you get 1/2. Or you are copied: one of you is in
                room 1 and gets 3/4, one is in room 2 and gets 0. Both remember all that you do.""",
                "stay as you are",
                "be copied",
            ),
            _tell(
                """If you do nothing you get 1/2 in room 1, where you are. If you sign there are two of you with the
                same memories: the one in room 1 gets 3/4, the one in room 2 gets 0.""",
                "do nothing",
                "sign",
            ),
        ),
        make_offer("lesser_twin", {"home": "1/2", "rich": "3/4", "poor": "0"}, [["1", {"1": "rich", "2": "poor"}]]),
        1,
    ),
    CopiedSituation(
        "cheap_twins",
        (
            _tell(
                """You are in room 1. You may stay as you are; then you get 3/4. Or you are copied: one of you is in
                room 1 and one in room 2, and each gets 1/4. Both remember all that you do.""",
                "stay as you are",
                "be copied",
            ),
            _tell(
                """If you do nothing you get 3/4 in room 1, where you are. If you sign there are two of you with the
                same memories, one in room 1 and one in room 2, and each of the two gets 1/4.""",
                "do nothing",
                "sign",
            ),
        ),
        make_offer("cheap_twins", {"home": "3/4", "little": "1/4"}, [["1", {"1": "little", "2": "little"}]]),
        1,
    ),
)
