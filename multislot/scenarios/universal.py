"""The universal environment: everyone is copied onto two slots, the copies observe 0 and 1, whatever they do.

Every observation sequence is observed by exactly one agent, so that the environment explains every history with
certainty and predicts nothing: all actions tie for every agent (section 5, Theorem 1). Slot 1 always observes 0.
"""

from multislot.scenario import SlotScenario
from multislot.worked_example import WorkedExample
from multislot.worlds.universal import universal_environment

universal = SlotScenario(
    universal_environment(),
    (
        WorkedExample("half of the copies are rewarded at every step", "cpy", {0: "7/8", 1: "7/8"}, horizon=3),
        WorkedExample("slot 1 is never rewarded", "sta:1", {0: "0", 1: "0"}, horizon=3),
        WorkedExample(
            "whoever observed 1 is on slot 2 and will stay", "dyn", {0: "0", 1: "0"}, horizon=3, history="0,1"
        ),
    ),
)
