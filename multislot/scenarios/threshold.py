"""The threshold law: copied onto n slots, k steps together, then m survivors with reward R against r at home.

The copy-centred agent accepts if and only if m R > n r, once the horizon is longer than k: while together all are
rewarded with r as at home, and then each of n slots has the estimate 1/n and m of them the reward R. Named
"threshold:n,m,k,R,r".
"""

from fractions import Fraction
from itertools import pairwise

from engine.errors import BadValue
from multislot.naming import Family
from multislot.scenario import SlotScenario
from multislot.worked_example import WorkedExample
from multislot.worlds.table import TableEnvironment
from multislot.worlds.table_json import table_environment

DEFAULT_OFFER = "2,1,1,3,1"


def threshold_offer(n: int, m: int, k: int, survivor: Fraction, home: Fraction) -> TableEnvironment:
    """The environment: action "refuse" stays on slot 1, action "accept" at the first step takes the offer.

    n >= 1 copies, 0 <= m <= n survivors, k >= 1 steps together (the step of copying is the first); BadValue.
    """
    if not (n >= 1 and 0 <= m <= n and k >= 1):
        raise BadValue(f"n = {n}, m = {m}, k = {k}", place="threshold", remedy="n >= 1, 0 <= m <= n, k >= 1")
    everyone = {str(slot): "home" for slot in range(1, n + 1)}
    survive = [["parting", i, "*", [["1", {str(i): "away"} if i <= m else {}]]] for i in range(1, n + 1)]
    together = [[f"wait {j}", i, "*", [["1", {str(i): "home"}]]] for j in range(1, k) for i in range(1, n + 1)]
    stages = [*(f"wait {j}" for j in range(k - 1, 0, -1)), "parting"]
    return table_environment(
        name="threshold",
        actions=["refuse", "accept"],
        rewards={"home": str(home), "away": str(survivor)},
        z0="offer",
        rules=[
            ["offer", 1, "accept", [["1", everyone]]],
            ["offer", 1, "refuse", [["1", {"1": "home"}]]],
            ["home", 1, "*", [["1", {"1": "home"}]]],
            *together,
            *survive,
        ],
        update=[
            ["offer", "accept", "*", stages[0]],
            ["offer", "refuse", "*", "home"],
            *([before, "*", "*", after] for before, after in pairwise(stages)),
        ],
    )


def scenario_of_offer(argument: str) -> SlotScenario:
    """The offer with the numbers n,m,k,R,r; the examples belong to the default numbers."""
    words = (argument or DEFAULT_OFFER).split(",")
    try:
        n, m, k = map(int, words[:3])
        survivor, home = map(Fraction, words[3:])
    except ValueError as error:
        raise BadValue(f"'{argument}' is not n,m,k,R,r", place="threshold", remedy=f"write {DEFAULT_OFFER}") from error
    examples = (
        WorkedExample(
            "one survivor of two at three times the pay", "cpy", {"refuse": "7/4", "accept": "17/8"}, horizon=3
        ),
        WorkedExample("too short a life to see the difference", "cpy", {"refuse": "1", "accept": "1"}, horizon=1),
    )
    return SlotScenario(threshold_offer(n, m, k, survivor, home), examples if ",".join(words) == DEFAULT_OFFER else ())


threshold = Family(scenario_of_offer, example=DEFAULT_OFFER, default=DEFAULT_OFFER)
