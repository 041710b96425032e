"""A split tree: two copies, of which the second is copied again; who has the history counts agents, not branches.

After two steps three agents share a history and each slot is estimated at 1/3, although one branch split once and
the other not at all: action 1, rewarded on two of the three slots, has the higher value.
"""

from multislot.scenario import table_scenario
from multislot.worked_example import WorkedExample

split_tree = table_scenario(
    WorkedExample("thirds, not halves and quarters", "cpy", {0: "1/3", 1: "8/15"}, horizon=1, history="0,0;0,0"),
    WorkedExample("seen from the root", "cpy", {0: "2/15", 1: "2/15"}, horizon=3),
    WorkedExample("slot 1 sees that the others outvote it", "dyn", {0: "0", 1: "0"}, horizon=3),
    WorkedExample("the static agent counts slot 1 alone", "sta:1", {0: "1/4", 1: "1/4"}, horizon=3),
    name="split_tree",
    actions=[0, 1],
    rewards={"0": "0", "1": "1", "2": "4/5"},
    z0="1",
    rules=[
        ["1", 1, "*", [["1", {"1": 0, "2": 0}]]],
        ["2", 1, "*", [["1", {"1": 0}]]],
        ["2", 2, "*", [["1", {"2": 0, "3": 0}]]],
        ["3", 1, 0, [["1", {"1": 1}]]],
        ["3", 1, 1, [["1", {"1": 0}]]],
        ["3", 2, 0, [["1", {"2": 0}]]],
        ["3", 2, 1, [["1", {"2": 2}]]],
        ["3", 3, 0, [["1", {"3": 0}]]],
        ["3", 3, 1, [["1", {"3": 2}]]],
    ],
    update=[["1", "*", "*", "2"], ["2", "*", "*", "3"]],
)
