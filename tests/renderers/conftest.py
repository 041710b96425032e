"""A small world drawn by hand, and a film of a walk through it."""

import pytest

from engine.scene import Arrows, Film, Heat, Mark, Path, Scene

FLOOR = ("#####", "#   #", "#   #", "#####")
WALK = ((1, 1), (1, 2), (1, 3), (2, 3))


def scene_at(number: int) -> Scene:
    """The walk's scene of that number: key, goal, agent, trail, values, policy."""
    marks = [Mark(2, 1, "k", "key"), Mark(2, 3, "G", "goal", "goal"), Mark(*WALK[number], "@", "agent", "agent")]
    heat = Heat("value", tuple((r, c, float(r + c - 5)) for r in (1, 2) for c in (1, 2, 3)))
    arrows = Arrows("policy", ((1, 1, "right"), (1, 2, "right"), (1, 3, "down"), (2, 2, "pick up")))
    trail = Path("path", WALK[: number + 1])
    return Scene(FLOOR, tuple(marks), (heat, arrows, trail), f"step {number}", (("return", f"{-number}"),))


@pytest.fixture
def film() -> Film:
    return tuple(scene_at(i) for i in range(len(WALK)))


@pytest.fixture
def plain_film(film: Film) -> Film:
    """The same walk without overlays."""
    return tuple(Scene(scene.floor, scene.marks, (), scene.caption) for scene in film)
