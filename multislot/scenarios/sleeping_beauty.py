"""Sleeping beauty: a fair coin makes one awakening or two that look the same; the agent then bets on the coin.

The slot estimate of section 4.1 is a third for every awakening, so that tails has probability 2/3 when the agent is
asked, and a bet on tails at 3/5 beats a bet on heads at 1.
"""

from multislot.scenario import table_scenario
from multislot.worked_example import WorkedExample

sleeping_beauty = table_scenario(
    WorkedExample(
        "awake, tails at 3/5 is better than heads at 1", "cpy", {0: "1/3", 1: "2/5"}, horizon=1, history="0,0"
    ),
    WorkedExample(
        "one's slot is as unknown to the dynamic agent", "dyn", {0: "1/3", 1: "2/5"}, horizon=1, history="0,0"
    ),
    WorkedExample("on slot 1 it was heads", "sta:1", {0: "1", 1: "0"}, horizon=1, history="0,0"),
    name="sleeping_beauty",
    actions=[0, 1],
    rewards={"0": "0", "1": "1", "2": "3/5"},
    z0="1",
    rules=[
        ["1", 1, "*", [["1/2", {"1": 0}], ["1/2", {"2": 0, "3": 0}]]],
        ["2", 1, 0, [["1", {"1": 1}]]],
        ["2", 1, 1, [["1", {"1": 0}]]],
        ["2", 2, 0, [["1", {"2": 0}]]],
        ["2", 2, 1, [["1", {"2": 2}]]],
        ["2", 3, 0, [["1", {"3": 0}]]],
        ["2", 3, 1, [["1", {"3": 2}]]],
    ],
    update=[["1", "*", "*", "2"]],
)
