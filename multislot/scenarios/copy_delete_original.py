"""Copy, then delete the original: action 1 makes a copy away from home, and one step later the original is deleted.

Unlike a move, this costs the copy-centred agent: for one step it could be either, and one of the two has no
future. One survivor of two is worth half its reward. The slot-centred agents are the ones who are deleted.
"""

from multislot.scenario import table_scenario
from multislot.worked_example import WorkedExample

copy_delete_original = table_scenario(
    WorkedExample(
        "the copy-centred agent stays: half of 1 is less than home", "cpy", {0: "21/20", 1: "39/40"}, horizon=3
    ),
    WorkedExample("the static agent would be deleted", "sta:1", {0: "21/20", 1: "3/5"}, horizon=3),
    WorkedExample("the dynamic agent would be deleted", "dyn", {0: "21/20", 1: "3/5"}, horizon=3),
    name="copy_delete_original",
    actions=[0, 1],
    rewards={"0": "3/5", "1": "1"},
    z0="home",
    rules=[
        ["home", 1, 0, [["1", {"1": 0}]]],
        ["home", 1, 1, [["1", {"1": 0, "2": 0}]]],
        ["copied", 1, "*", [["1", {}]]],
        ["copied", 2, "*", [["1", {"2": 1}]]],
    ],
    update=[["home", 1, "*", "copied"]],
)
