"""Half a duplication: action 1 leaves one agent or two with equal probability, each rewarded with 1.

P^11 = 2/3 and P^12 = 1/3; as printed, `cpy` keeps 2/3 of 1 and 1/3 of 1/2, that is 5/6 of the weight, although
every possible agent is rewarded. `cpy_joint` keeps it all and prefers the higher reward.
"""

from multislot.scenario import table_scenario
from multislot.worked_example import WorkedExample

half_dup = table_scenario(
    WorkedExample("the printed weights keep 5/6", "cpy", {0: "9/10", 1: "5/6"}, horizon=1),
    WorkedExample("the joint weights keep all", "cpy_joint", {0: "9/10", 1: "1"}, horizon=1),
    WorkedExample("slot 1 always stays", "sta:1", {0: "9/10", 1: "1"}, horizon=1),
    name="half_dup",
    actions=[0, 1],
    rewards={"0": "9/10", "1": "1"},
    z0="S",
    rules=[
        ["S", 1, 0, [["1", {"1": 0}]]],
        ["S", 1, 1, [["1/2", {"1": 1, "2": 1}], ["1/2", {"1": 1}]]],
        ["E", 1, "*", [["1", {"1": 1}]]],
        ["E", 2, "*", [["1", {"2": 1}]]],
    ],
    update=[["S", 1, "*", "E"]],
)
