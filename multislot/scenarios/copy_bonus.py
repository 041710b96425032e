"""A bonus for being copied: both copies made by action 1 are rewarded once, then one of them is deleted.

The bonus is certain and the deletion costs the copy-centred agent half of its later reward: it takes the bonus at
the last moment only. The slot-centred agents survive on slot 1 and take the bonus for nothing.
"""

from multislot.scenario import table_scenario
from multislot.worked_example import WorkedExample

copy_bonus = table_scenario(
    WorkedExample("at the last moment the copy-centred agent takes it", "cpy", {0: "1", 1: "5/4"}, horizon=1),
    WorkedExample("before that it waits", "cpy", {0: "13/8", 1: "3/2"}, horizon=2),
    WorkedExample("the static agent takes it at no cost", "sta:1", {0: "13/8", 1: "7/4"}, horizon=2),
    WorkedExample("the dynamic agent takes it at no cost", "dyn", {0: "13/8", 1: "7/4"}, horizon=2),
    name="copy_bonus",
    actions=[0, 1],
    rewards={"home": "1", "bonus": "5/4"},
    z0="home",
    rules=[
        ["home", 1, 0, [["1", {"1": "home"}]]],
        ["home", 1, 1, [["1", {"1": "bonus", "2": "bonus"}]]],
        ["copied", 1, "*", [["1", {"1": "home"}]]],
        ["copied", 2, "*", [["1", {}]]],
    ],
    update=[["home", 1, "*", "copied"]],
)
