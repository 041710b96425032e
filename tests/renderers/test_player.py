"""The player: keys in, scenes out."""

from dataclasses import replace

import pytest

from engine.errors import BadFile
from engine.scene import Film, Scene
from renderers.viewer.player import ALIASES, PLAYER_KEYS, Player
from renderers.viewer.viewable import AS_RECORDED, NOTHING, ViewableFilm
from renderers.viewer.viewer_layout import ViewerLayout


@pytest.fixture
def player(film: Film) -> Player:
    return Player(ViewableFilm(film, "a walk"))


def press(player: Player, *keys: str) -> Player:
    for key in keys:
        player.press(key)
    return player


@pytest.mark.parametrize(
    ("keys", "position"),
    [
        ("right", 1), ("right right", 2), ("right left", 0), ("left", 0), ("end", 3), ("end right", 3),
        ("end home", 0), ("end left", 2), ("nonsense", 0),
    ],
)  # fmt: skip
def test_steps_and_jumps(player: Player, keys: str, position: int) -> None:
    assert press(player, *keys.split()).position == position


def test_playing_takes_time_and_stops_at_the_end(player: Player) -> None:
    player.advance(10)
    assert player.position == 0
    press(player, "space").advance(0.2)
    assert player.position == 0
    player.advance(0.2)
    assert player.position == 1
    player.advance(100)
    assert (player.position, player.playing) == (3, False)
    press(player, "space")
    assert (player.position, player.playing) == (0, True)
    press(player, "space").advance(10)
    assert player.position == 0


def test_speed_has_bounds(player: Player) -> None:
    slow = press(player, *["-"] * 20).speed
    fast = press(player, *["+"] * 40).speed
    assert 0 < slow < 4 < fast < 1000
    press(player, "space").advance(1)
    assert player.position == 3


def test_overlays_come_round(player: Player, film: Film) -> None:
    names = [AS_RECORDED, "value", "policy", "path", NOTHING]
    for name in [*names, AS_RECORDED]:
        assert player.overlay == name
        shown = [overlay.name for overlay in player.scene().overlays]
        assert shown == ([overlay.name for overlay in film[0].overlays] if name == AS_RECORDED else
                         [] if name == NOTHING else [name])  # fmt: skip
        press(player, "o")


def test_a_cell_under_the_glass(player: Player) -> None:
    player.select((1, 1))
    readings = dict(player.scene().readings)
    assert readings["cell"] == "row 1, column 1"
    assert readings["there"] == "agent"
    assert readings["value"] == "-3"
    assert readings["policy"] == "right"
    player.select((1, 1))
    assert "cell" not in dict(player.scene().readings)


def test_help_leaving_and_saving(player: Player) -> None:
    assert press(player, "h").help
    assert not press(player, "?").help
    assert press(player, "s").message == "nowhere to save"
    player.save = lambda what: f"{what}.png"
    assert press(player, "s").message == "saved screenshot.png"
    assert press(player, "g").message == "saved gif.png"
    assert press(player, "right").message == ""
    assert press(player, "escape").done


def test_what_cannot_be_done_is_said(player: Player) -> None:
    def full(what: str) -> str:
        raise BadFile("no space left", place=what)

    player.save = full
    assert "no space left" in press(player, "s").message
    assert not player.done


def test_every_alias_leads_to_a_key() -> None:
    assert set(ALIASES.values()) <= set(PLAYER_KEYS)


class Counter:
    """A show that obeys: it can be made longer."""

    title = "counter"

    def __init__(self) -> None:
        self.keys = {"m": ("more", "one scene more"), "o": ("less", "one scene less")}
        self.length = 2

    def __len__(self) -> int:
        return self.length

    def overlays(self) -> tuple[str, ...]:
        return ("none",)

    def scene(self, number: int, overlay: str) -> Scene:
        return Scene(caption=str(number))

    def inspect(self, number: int, cell: tuple[int, int]) -> tuple[tuple[str, str], ...]:
        return ()

    def execute(self, command: str, number: int) -> int:
        self.length += {"more": 1, "less": -1}[command]
        return number + 1


def test_a_shows_own_words() -> None:
    player = Player(Counter())
    assert press(player, "m", "m").position == 2
    assert player.scene().caption == "2"
    assert press(player, "o", "o").position == 1
    assert replace(player.scene(), readings=()) == Scene(caption="1")


def test_letters_and_sprites_are_one_key(film: Film) -> None:
    """The same window with the other signs, and with the first ones again."""
    player = Player(ViewableFilm(film, "a walk"))
    layout = ViewerLayout(640, 420)
    drawn = []
    for _ in range(3):
        drawn.append(layout.draw(player).copy())
        player.press("f9")
    assert (drawn[0] != drawn[1]).any()
    assert (drawn[0] == drawn[2]).all()
