"""Copy, then delete the copy: action 1 makes a copy, and one step later the copy is deleted.

For the slot-centred agents nothing happens. The copy-centred agent could be the copy and counts that as half a loss.
"""

from multislot.scenario import table_scenario
from multislot.worked_example import WorkedExample

copy_delete_copy = table_scenario(
    WorkedExample("the copy-centred agent may be the copy itself", "cpy", {0: "7/4", 1: "11/8"}, horizon=3),
    WorkedExample("the static agent is indifferent", "sta:1", {0: "7/4", 1: "7/4"}, horizon=3),
    WorkedExample("the dynamic agent is indifferent", "dyn", {0: "7/4", 1: "7/4"}, horizon=3),
    name="copy_delete_copy",
    actions=[0, 1],
    rewards={"0": "1"},
    z0="home",
    rules=[
        ["home", 1, 0, [["1", {"1": 0}]]],
        ["home", 1, 1, [["1", {"1": 0, "2": 0}]]],
        ["copied", 1, "*", [["1", {"1": 0}]]],
        ["copied", 2, "*", [["1", {}]]],
    ],
    update=[["home", 1, "*", "copied"]],
)
