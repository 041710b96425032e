"""The booth corridor: a small coin at home, a copying booth, and another room with a big coin.

Room 1 has the small coin in cell 0 and the booth in cell 2, room 2 the big coin in cell 2; agents and copies start
in cell 1. Named "booth_corridor:MACHINE,ROOMS" with the machine inert, delete, move, copy (the default),
copy-then-delete or copy-with-bonus, and rooms that look alike (the default) or are coloured.
"""

from fractions import Fraction

from engine.errors import BadValue
from engine.grid import GridMap
from multislot.naming import Family
from multislot.scenario import SlotScenario
from multislot.worked_example import WorkedExample
from multislot.worlds.environment import Label
from multislot.worlds.rooms import USE, Rooms, named_machine

ROOM_LEGEND = {"@": "start", "c": "small", "C": "big", "b": "booth"}
DRAWINGS = {1: "c@b", 2: ".@C"}
COINS = {"small": Fraction(2, 5), "big": Fraction(1)}
ROOM_COLOURS: dict[str, dict[int, str]] = {"alike": {}, "coloured": {1: "red", 2: "blue"}}


HOME: dict[Label, str] = {"left": "3439/2500", "right": "1539/2500", "use": "2439/2500"}
EXAMPLES = (
    WorkedExample("the static agent values its room alone", "sta:1", HOME, horizon=4, discount="9/10"),
    WorkedExample("so does the dynamic agent", "dyn", HOME, horizon=4, discount="9/10"),
    WorkedExample(
        "half of the copy-centred agent may find the big coin",
        "cpy",
        {"left": "3439/2500", "right": "1539/2000", "use": "2439/2500"},
        horizon=4,
        discount="9/10",
    ),
)


def booth_corridor_rooms(machine: str = "copy", look: str = "alike") -> Rooms:
    """The two rooms with a machine, alike or coloured. UnknownName, BadValue."""
    if look not in ROOM_COLOURS:
        raise BadValue(f"look '{look}'", place="booth_corridor", remedy="choose from " + ", ".join(ROOM_COLOURS))
    rooms = {
        slot: GridMap.parse(art, ROOM_LEGEND, once=["start"], source=f"room {slot}") for slot, art in DRAWINGS.items()
    }
    actions = ("left", "right", USE)
    return Rooms(f"booth_corridor:{machine},{look}", rooms, named_machine(machine), COINS, actions, ROOM_COLOURS[look])


def scenario_of_rooms(argument: str) -> SlotScenario:
    """The corridor for the words "machine,look"; the examples belong to the default ones."""
    words = [word.strip() for word in argument.split(",") if word.strip()]
    if len(words) > 2:
        raise BadValue(f"'{argument}' is not MACHINE,LOOK", place="booth_corridor", remedy="write copy,alike")
    environment = booth_corridor_rooms(*words)
    return SlotScenario(environment, EXAMPLES if words in ([], ["copy"], ["copy", "alike"]) else ())


booth_corridor = Family(scenario_of_rooms, example="copy,alike", default="copy,alike")
