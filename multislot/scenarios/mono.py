"""No copies: with the copy set {1} at every step all values are the value of the ordinary agent.

Nothing distinguishes the three agents while there is one slot; AIMU of Eq. 1 is the value of each.
"""

from multislot.scenario import table_scenario
from multislot.worked_example import WorkedExample
from multislot.worlds.environment import Label

AIMU: dict[Label, str] = {0: "145/216", 1: "601/648"}

mono = table_scenario(
    *(WorkedExample(f"{value} is AIMU", value, AIMU, horizon=4) for value in ("cpy", "cpy_joint", "sta:1", "dyn")),
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
