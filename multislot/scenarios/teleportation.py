"""Teleportation: moves, copies and deletions that copy-centred, static and dynamic agents value differently.

The copy-centred agent (`cpy`) follows its copies, and loses where some of them are deleted; the static agent
(`sta:1`) counts its old slot alone; the dynamic one (`dyn`) counts the slot where it is now. Each scenario states
what the three do with the same offer. Reference: The Multi-slot Framework, introduction and sections 4.2 to 4.4.
"""

from multislot.scenarios import WorkedExample, table_scenario

__all__ = ["consistency", "copy_bonus", "copy_delete_copy", "copy_delete_original", "teleport_move", "there_and_back"]

teleport_move = table_scenario(
    WorkedExample("the copy-centred agent moves", "cpy", {0: "27/20", 1: "7/4"}, horizon=3),
    WorkedExample("the static agent stays", "sta:1", {0: "21/20", 1: "0"}, horizon=3),
    WorkedExample("the dynamic agent stays", "dyn", {0: "21/20", 1: "0"}, horizon=3),
    name="teleport_move",
    actions=[0, 1],
    rewards={"0": "3/5", "1": "1"},
    z0="S",
    rules=[
        ["S", 1, 0, [["1", {"1": 0}]]],
        ["S", 1, 1, [["1", {"2": 1}]]],
        ["S", 2, "*", [["1", {"2": 1}]]],
    ],
)
"""Teleportation by moving: home on slot 1 pays less than away on slot 2, where action 1 moves the agent.

The copy-centred agent leaves, because its only copy is away; the slot-centred ones stay, because nothing that happens
away is theirs: to them the machine is a deletion.
"""

there_and_back = table_scenario(
    WorkedExample("the copy-centred agent goes", "cpy", {0: "23/40", 1: "7/8"}, horizon=4),
    WorkedExample("the static agent does not", "sta:1", {0: "3/8", 1: "0"}, horizon=4),
    WorkedExample("the dynamic agent does not", "dyn", {0: "3/8", 1: "0"}, horizon=4),
    WorkedExample(
        "back home, it is never its old slot to the static agent", "sta:1", {0: "0", 1: "0"}, 2, history="1,0;0,1"
    ),
    WorkedExample("to the dynamic agent it is", "dyn", {0: "3/2", 1: "3/2"}, 2, history="1,0;0,1"),
    name="there_and_back",
    actions=[0, 1],
    rewards={"0": "0", "1": "1", "2": "1/5"},
    z0="S",
    rules=[
        ["S", 1, 0, [["1", {"1": 2}]]],
        ["S", 1, 1, [["1", {"2": 0}]]],
        ["B", 2, "*", [["1", {"1": 1}]]],
        ["E", 1, "*", [["1", {"1": 1}]]],
    ],
    update=[["S", 1, 0, "B"], ["B", "*", "*", "E"]],
)
"""There and back: action 1 moves the agent away for one step and back to a slot 1 that then pays 1 for ever.

The slot-centred agents gain nothing by it although they come home again: they have left. The copy-centred agent
goes. After it, at the same history, the static value stays 0 and the dynamic one recovers.
"""

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
"""Copy, then delete the copy: action 1 makes a copy, and one step later the copy is deleted.

For the slot-centred agents nothing happens. The copy-centred agent could be the copy and counts that as half a loss.
"""

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
"""Copy, then delete the original: action 1 makes a copy away from home, and one step later the original is deleted.

Unlike a move, this costs the copy-centred agent: for one step it could be either, and one of the two has no
future. One survivor of two is worth half its reward. The slot-centred agents are the ones who are deleted.
"""

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
"""A bonus for being copied: both copies made by action 1 are rewarded once, then one of them is deleted.

The bonus is certain and the deletion costs the copy-centred agent half of its later reward: it takes the bonus at
the last moment only. The slot-centred agents survive on slot 1 and take the bonus for nothing.
"""

consistency = table_scenario(
    WorkedExample("the copy-centred agent is copied", "cpy", {0: "1/5", 1: "1/4"}, horizon=2),
    WorkedExample("the static agent is copied", "sta:1", {0: "1/5", 1: "1/3"}, horizon=2),
    WorkedExample("the dynamic agent is not", "dyn", {0: "1/5", 1: "0"}, horizon=2),
    WorkedExample("once copied, action 1 is best on average", "dyn", {0: "1/3", 1: "1/2"}, horizon=1, history="1,0"),
    name="consistency",
    actions=[0, 1],
    rewards={"0": "0", "1": "2/3", "2": "1", "3": "2/5"},
    z0="S",
    rules=[
        ["S", 1, 0, [["1", {"1": 0}]]],
        ["S", 1, 1, [["1", {"1": 0, "2": 0}]]],
        ["safe", 1, "*", [["1", {"1": 3}]]],
        ["D", 1, 0, [["1", {"1": 1}]]],
        ["D", 1, 1, [["1", {"1": 0}]]],
        ["D", 2, 0, [["1", {"2": 0}]]],
        ["D", 2, 1, [["1", {"2": 2}]]],
    ],
    update=[["S", 0, "*", "safe"], ["S", 1, "*", "D"]],
)
"""The consistency trick: being copied to two slots that see the same and pay for opposite actions, slot 2 more.

After the copy everyone takes action 1, the better one on average. The dynamic agent knows on slot 1 that this will
earn slot 1 nothing, and is not copied; the static agent will go on counting slot 1 alone; the
copy-centred agent takes half of the better pay. All three are time-consistent and all three differ (section 4.4).
"""
