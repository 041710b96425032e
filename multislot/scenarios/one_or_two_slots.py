"""The elementary cases: no copies, deletion, two agents that change places, a copy that changes nothing.

Without copies every value is AIMU, the value of the ordinary agent (Eq. 1); a deleted agent has no later reward;
copies are made in parallel; a second agent with the rewards of the first changes no value of section 4. Reference:
The Multi-slot Framework, Definitions 2 to 4, Eq. 1 and section 4.
"""

from multislot.scenarios import WorkedExample, table_scenario
from multislot.worlds.environment import Label

__all__ = ["deletion", "harmless_duplication", "mono", "swap"]

AIMU_VALUES: dict[Label, str] = {0: "145/216", 1: "601/648"}

mono = table_scenario(
    *(
        WorkedExample(f"{value} is AIMU", value, AIMU_VALUES, horizon=4)
        for value in ("cpy", "cpy_joint", "sta:1", "dyn")
    ),
    WorkedExample("nobody is ever on slot 2", "sta:2", {0: "0", 1: "0"}, horizon=4),
    name="mono",
    actions=[0, 1],
    rewards={"0": "0", "1": "1/4", "2": "1"},
    z0="A",
    rules=[
        ["A", 1, 0, [["1", {"1": 1}]]],
        ["A", 1, 1, [["1/3", {"1": 2}], ["2/3", {"1": 0}]]],
        ["B", 1, 0, [["1", {"1": 1}]]],
        ["B", 1, 1, [["1", {"1": 2}]]],
    ],
    update=[["A", 1, 0, "B"], ["B", "*", "*", "A"]],
)
"""No copies: with the copy set {1} at every step all values are the value of the ordinary agent.

Nothing distinguishes the three agents while there is one slot; AIMU of Eq. 1 is the value of each.
"""

deletion = table_scenario(
    *(
        WorkedExample(f"{value}: 0 is better than negative rewards", value, {0: "-1", 1: "0"}, horizon=3)
        for value in ("cpy", "sta:1", "dyn")
    ),
    name="deletion",
    actions=[0, 1],
    rewards={"0": "-1"},
    z0="S",
    rules=[["S", 1, 0, [["1", {"1": 0}]]], ["S", 1, 1, [["1", {}]]]],
)
"""Deletion is worth 0: an agent with negative rewards deletes itself, whatever its future is."""

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
"""Swap: two agents that change places at every step; copies are made in parallel, so that neither overwrites the other.

Nobody ever stays on a slot: after the first step the slot-centred agents have no future at all, while each agent is
rewarded on slot 2 at every other step.
"""

harmless_duplication = table_scenario(
    WorkedExample("the copy-centred agent is indifferent", "cpy", {0: "7/4", 1: "7/4"}, horizon=3),
    WorkedExample("the static agent is indifferent", "sta:1", {0: "7/4", 1: "7/4"}, horizon=3),
    WorkedExample("the dynamic agent is indifferent", "dyn", {0: "7/4", 1: "7/4"}, horizon=3),
    WorkedExample("summing over copies counts twice", "every", {0: "5/2", 1: "7/2"}, horizon=3),
    name="harmless_duplication",
    actions=[0, 1],
    rewards={"0": "1"},
    z0="one",
    rules=[
        ["one", 1, 0, [["1", {"1": 0}]]],
        ["one", 1, 1, [["1", {"1": 0, "2": 0}]]],
        ["two", 1, "*", [["1", {"1": 0}]]],
        ["two", 2, "*", [["1", {"2": 0}]]],
    ],
    update=[["one", 1, "*", "two"]],
)
"""Harmless duplication: two copies with the observations and rewards of the one; no value of section 4 changes.

Only the sum over all copies prefers to be more, and only because it counts the same twice.
"""
