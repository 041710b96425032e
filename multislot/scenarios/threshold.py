"""The threshold law: copied onto n slots, k steps together, then m survivors with reward R against r at home.

The copy-centred agent accepts if and only if m R > n r, once the horizon is longer than k: while together all are
rewarded with r as at home, and then each of n slots has the estimate 1/n and m of them the reward R. Named
"threshold:n,m,k,R,r".
"""

from fractions import Fraction
from typing import NamedTuple

from engine.errors import BadValue
from engine.plain_values import parse_rational
from multislot.naming import Family
from multislot.scenarios import SlotScenario, WorkedExample
from multislot.worlds.environment import HistoryBasedEnvironment, HistoryState, Label, Law, Slot, make_deterministic_law

DEFAULT_OFFER = "2,1,1,3,1"


class OfferState(NamedTuple):
    """What the agent knows: the offer is open, refused or accepted; for how many steps all are still together."""

    answer: str
    together: int = 0


class ThresholdOffer(HistoryBasedEnvironment):
    """Action "refuse" stays on slot 1 for good, action "accept" at the first step takes the offer.

    n >= 1 copies, 0 <= m <= n survivors, on the lowest slots, k >= 1 steps together (the step of copying is the first);
    survivor, home: the rewards R and r. Raises BadValue.
    """

    def __init__(self, n: int, m: int, k: int, survivor: Fraction, home: Fraction) -> None:
        if not (n >= 1 and 0 <= m <= n and k >= 1):
            raise BadValue(f"n = {n}, m = {m}, k = {k}", place="threshold", remedy="choose n >= 1, 0 <= m <= n, k >= 1")
        self.n = n
        self.m = m
        self.k = k
        self.name = "threshold"
        self.initial = (1,)
        self.actions: tuple[Label, ...] = ("refuse", "accept")
        self.rewards: dict[Label, Fraction] = {"home": home, "away": survivor}

    def start(self) -> OfferState:
        """The offer is open."""
        return OfferState("open")

    def update(self, state: HistoryState, action: Label, observation: Label) -> OfferState:
        """Return the answer after the first step, and one step less together."""
        before = _require_offer(state)
        if before.answer == "open":
            return OfferState("accepted", self.k - 1) if action == "accept" else OfferState("refused")
        return before._replace(together=max(before.together - 1, 0))

    def law(self, state: HistoryState, slot: Slot, action: Label) -> Law:
        """Everyone is at home while together; then the survivors are away and the others deleted."""
        now = _require_offer(state)
        if now.answer == "open" and action == "accept":
            return make_deterministic_law(dict.fromkeys(range(1, self.n + 1), "home"))
        if now.answer != "accepted" or now.together:
            return make_deterministic_law({slot: "home"})
        return make_deterministic_law({slot: "away"} if slot <= self.m else {})

    def representative(self, state: HistoryState, slot: Slot) -> Slot:
        """Survivors are alike, and so are the others; where the offer is open or refused there is slot 1 alone."""
        return 1 if slot <= self.m or _require_offer(state).answer != "accepted" else self.m + 1


def _require_offer(state: HistoryState) -> OfferState:
    assert isinstance(state, OfferState)
    return state


def make_threshold_offer(n: int, m: int, k: int, survivor: Fraction, home: Fraction) -> ThresholdOffer:
    """Return the environment of an offer; BadValue."""
    return ThresholdOffer(n, m, k, survivor, home)


def make_offer_scenario(argument: str) -> SlotScenario:
    """Return the offer with the numbers n,m,k,R,r; the examples belong to the default numbers."""
    words = (argument or DEFAULT_OFFER).split(",")
    if len(words) != 5 or not all(word.strip().isdecimal() for word in words[:3]):
        raise BadValue(f"'{argument}' is not n,m,k,R,r", place="threshold", remedy=f"write {DEFAULT_OFFER}")
    n, m, k = (int(parse_rational(word, name, "threshold")) for word, name in zip(words, "nmk", strict=False))
    survivor, home = (parse_rational(word, name, "threshold") for word, name in zip(words[3:], "Rr", strict=True))
    examples = (
        WorkedExample(
            "one survivor of two at three times the pay", "cpy", {"refuse": "7/4", "accept": "17/8"}, horizon=3
        ),
        WorkedExample("too short a life to see the difference", "cpy", {"refuse": "1", "accept": "1"}, horizon=1),
    )
    return SlotScenario(
        make_threshold_offer(n, m, k, survivor, home), examples if ",".join(words) == DEFAULT_OFFER else ()
    )


def count_copies_of_offer(argument: str) -> int:
    """n: how many copies the offer makes; 0 where the argument has no such number."""
    first = argument.partition(",")[0].strip()
    return int(parse_rational(first, "n", "threshold")) if first.isdecimal() else 0


threshold = Family(make_offer_scenario, example=DEFAULT_OFFER, default=DEFAULT_OFFER, size=count_copies_of_offer)
