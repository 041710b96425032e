"""Two rooms that look alike: a copy in each, rewarded for opposite actions, and no copy can observe which one it is.

One action must serve both, so that half of what could be had is lost. For the later self of the dynamic agent both
actions tie; the first one is taken, and it is the one that is rewarded on the slot where the agent is now.
"""

from multislot.scenario import table_scenario
from multislot.worked_example import WorkedExample

rooms_alike = table_scenario(
    WorkedExample("the copies can only hit one of two rooms", "cpy", {0: "1/4", 1: "1/4"}, horizon=2),
    WorkedExample(
        "the tie falls to the dynamic agent's slot",
        "dyn",
        {0: "1/2", 1: "1/2"},
        horizon=2,
    ),
    WorkedExample("the static agent counts slot 1 alone", "sta:1", {0: "1/2", 1: "1/2"}, horizon=2),
    name="rooms_alike",
    actions=[0, 1],
    rewards={"0": "0", "1": "0", "paid": "1"},
    z0="corridor",
    rules=[
        ["corridor", 1, "*", [["1", {"1": 0, "2": 0}]]],
        ["room", 1, 0, [["1", {"1": "paid"}]]],
        ["room", 1, 1, [["1", {"1": 0}]]],
        ["room", 2, 0, [["1", {"2": 1}]]],
        ["room", 2, 1, [["1", {"2": "paid"}]]],
    ],
    update=[["corridor", "*", "*", "room"]],
)
