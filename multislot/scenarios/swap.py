"""Swap: two agents that change places at every step; copies are made in parallel, so that neither overwrites the other.

Nobody ever stays on a slot: after the first step the slot-centred agents have no future at all, while each agent is
rewarded on slot 2 at every other step.
"""

from multislot.scenario import table_scenario
from multislot.worked_example import WorkedExample

swap = table_scenario(
    WorkedExample("the copy-centred agent is rewarded half the time", "cpy", {0: "7/8", 1: "7/8"}, horizon=3),
    WorkedExample("the static agent has no future", "sta:1", {0: "0", 1: "0"}, horizon=3),
    WorkedExample("the dynamic agent has no future", "dyn", {0: "0", 1: "0"}, horizon=3),
    name="swap",
    actions=[0, 1],
    rewards={"0": "0", "1": "1"},
    z0="S",
    rules=[
        ["S", 1, "*", [["1", {"1": 0, "2": 1}]]],
        ["W", 1, "*", [["1", {"2": 1}]]],
        ["W", 2, "*", [["1", {"1": 0}]]],
    ],
    update=[["S", "*", "*", "W"]],
)
