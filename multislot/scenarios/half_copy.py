"""Half a copy: action 1 copies to slot 2 with probability 1/2 and to nowhere otherwise (the remark of section 4.2).

The share of the one copy is 1 and its probability stays in the law, so that the step is worth half of the reward on
slot 2, and later rewards there are counted at half as well.
"""

from multislot.scenario import table_scenario
from multislot.worked_example import WorkedExample

half_copy = table_scenario(
    WorkedExample("half a chance of 1 beats 2/5", "cpy", {0: "31/40", 1: "7/8"}, horizon=3),
    WorkedExample("nothing is lost by the printed weights here", "cpy_joint", {0: "31/40", 1: "7/8"}, horizon=3),
    WorkedExample("slot 2 is nothing to the static agent", "sta:1", {0: "7/10", 1: "0"}, horizon=3),
    WorkedExample("nor to the dynamic one", "dyn", {0: "7/10", 1: "0"}, horizon=3),
    name="half_copy",
    actions=[0, 1],
    rewards={"0": "2/5", "1": "1"},
    z0="S",
    rules=[
        ["S", 1, 0, [["1", {"1": 0}]]],
        ["S", 1, 1, [["1/2", {"2": 1}], ["1/2", {}]]],
        ["S", 2, "*", [["1", {"2": 1}]]],
    ],
)
