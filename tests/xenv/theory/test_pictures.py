"""Films of the theory show the world: lamps, points and babies are those of the actions so far, replayed by hand."""

import pytest

import caregrid
from engine.scene import Scene
from xenv.theory import THEORY_EXAMPLES

AGENTS = ("parity", "always:0", "always:2", "q_learning")
TURNS = 12


def _find(scene: Scene, name: str) -> list[tuple[int, int]]:
    return [(mark.row, mark.column) for mark in scene.marks if mark.name == name]


@pytest.mark.parametrize("agent", AGENTS)
@pytest.mark.parametrize("example", ["mirror", "mirror_with_body"])
def test_lamps_are_those_that_were_switched_and_the_mirror_shows_them_in_reverse(example: str, agent: str) -> None:
    result = caregrid.theory(example, agent, turns=TURNS)
    lit = [False, False, True]
    for scene, action in zip(result.film().scenes, result.play.actions, strict=True):
        lamps = {column: row for row, column in _find(scene, "lamp")}
        assert sorted(lamps) == [1 + 2 * place for place in range(3) if lit[place]]
        images = [column for _, column in _find(scene, "image of a lamp")]
        assert sorted(images) == [1 + 2 * place for place in range(3) if lit[2 - place]]
        assert _find(scene, "agent")[0][1] == 1 + 2 * (action % 3)
        lit[action % 3] ^= True


@pytest.mark.parametrize("agent", AGENTS)
def test_the_point_is_where_it_was_moved(agent: str) -> None:
    result = caregrid.theory("binocular", agent, turns=TURNS)
    x, z = 2, 1
    for scene, action in zip(result.film().scenes, result.play.actions, strict=True):
        assert _find(scene, "point") == [(5 - z, 1 + x)]
        x, z = (x + (action == 0)) % 5, (z + (action == 1)) % 5


@pytest.mark.parametrize("agent", AGENTS)
def test_the_baby_laughs_or_cries_as_it_is_heard_and_the_bottle_is_what_feeds_it(agent: str) -> None:
    result = caregrid.theory("crying_baby", agent, turns=TURNS)
    for scene, sound, action in zip(result.film().scenes, result.play.observations, result.play.actions, strict=True):
        assert bool(_find(scene, "baby")) == (sound == 0)
        assert bool(_find(scene, "crying baby")) == (sound != 0)
        assert bool(_find(scene, "bottle")) == (action == 0)
        assert scene.charts


@pytest.mark.parametrize("observation", [0, 7, 83, 10**6])
@pytest.mark.parametrize("example", ["mirror", "binocular", "crying_baby"])
def test_whatever_is_observed_can_be_drawn(example: str, observation: int) -> None:
    picture = THEORY_EXAMPLES[example].picture
    assert picture is not None
    scene = picture(observation, 5)
    rows, columns = len(scene.floor), len(scene.floor[0])
    assert all(0 <= mark.row < rows and 0 <= mark.column < columns for mark in scene.marks)


def test_an_example_made_of_others_has_no_picture_of_its_own() -> None:
    assert not caregrid.theory("mirror(crying_baby,modulo:2)", turns=3).film().scenes[0].floor
