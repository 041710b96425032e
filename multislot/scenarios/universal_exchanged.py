"""The universal environment with exchanged observations: action 1 exchanges what the two copies observe (footnote 3).

To the copy-centred agent nothing changes; for the slot-centred agents the actions now differ.
"""

from multislot.scenario import SlotScenario
from multislot.worked_example import WorkedExample
from multislot.worlds.universal import exchanged_environment

universal_exchanged = SlotScenario(
    exchanged_environment(),
    (
        WorkedExample("half of the copies are rewarded, whatever is done", "cpy", {0: "7/8", 1: "7/8"}, horizon=3),
        WorkedExample("slot 1 is rewarded for action 1", "sta:1", {0: "3/4", 1: "7/4"}, horizon=3),
        WorkedExample("and so is the slot where one is", "dyn", {0: "3/4", 1: "7/4"}, horizon=3),
    ),
)
