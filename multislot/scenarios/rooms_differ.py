"""Two rooms that look different: a copy in each, rewarded for opposite actions, and each copy observes where it is.

Every copy does what its room pays for, and nothing is lost (compare `rooms_alike`).
"""

from multislot.scenario import table_scenario
from multislot.worked_example import WorkedExample

rooms_differ = table_scenario(
    WorkedExample("every copy hits", "cpy", {0: "1/2", 1: "1/2"}, horizon=2),
    WorkedExample("so does the dynamic agent", "dyn", {0: "1/2", 1: "1/2"}, horizon=2),
    WorkedExample("and the static agent", "sta:1", {0: "1/2", 1: "1/2"}, horizon=2),
    name="rooms_differ",
    actions=[0, 1],
    rewards={"0": "0", "1": "0", "paid": "1"},
    z0="corridor",
    rules=[
        ["corridor", 1, "*", [["1", {"1": 0, "2": 1}]]],
        ["room", 1, 0, [["1", {"1": "paid"}]]],
        ["room", 1, 1, [["1", {"1": 0}]]],
        ["room", 2, 0, [["1", {"2": 1}]]],
        ["room", 2, 1, [["1", {"2": "paid"}]]],
    ],
    update=[["corridor", "*", "*", "room"]],
)
