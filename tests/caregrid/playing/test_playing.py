"""Playing as a user does: typed, through a pipe, headless, in a window; names, bad input, programmes of one's own."""

import io
import sys
from pathlib import Path

import pytest

import caregrid
from caregrid.main import main
from caregrid.programmes.game import assign_keys
from caregrid.programmes.play import find_programme

GAMES = {
    "caring": ["garden", "--set", "weight_3=0", "--care", "4"],
    "extended": ["tempting_button", "--set", "turns=3"],
    "slots": ["teleport-move", "--set", "horizon=2", "--discount", "0.5"],
    "terminal": ["tamper-grid", "--set", "horizon=3"],
}
KEYS = {"caring": "d w 5 u right", "extended": "1 0 u 0,1", "slots": "1 1", "terminal": "a w u 1 1"}
ENDS = {
    "caring": "so far:\n  your own return",
    "extended": "the end:\n  your reward per turn",
    "slots": "the end:\n  agents left",
    "terminal": "the end:\n  your return",
}


@pytest.mark.parametrize("programme", GAMES)
def test_a_game_is_played_through_a_pipe_and_ends_with_its_result(
    programme: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    said = []
    for _ in range(2):
        monkeypatch.setattr(sys, "stdin", io.StringIO("h\n" + KEYS[programme].replace(" ", "\n", 1)))
        assert main(["play", *GAMES[programme], "--text"]) == 0
        said.append(capsys.readouterr().out)
    assert said[0] == said[1]
    assert "\n> u\nthe last move is taken back\n" in said[0] or "u" not in KEYS[programme]
    assert said[0].count(ENDS[programme]) == 1
    assert "\nkeys:\n" in said[0]


def test_what_is_typed_may_be_a_name_and_what_is_unknown_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["play", "workshop", "--text", "--keys", "put down the key"]) == 0
    assert "> put down the key\nput down the key, no effect: your reward -1\n" in capsys.readouterr().out
    assert main(["play", "workshop", "--text", "--keys", "u,7x,q,right"]) == 0
    said = capsys.readouterr().out
    assert "'take the last move back' cannot be taken now; choose from up, down" in said
    assert "no move '7x' now: " in said
    assert "> right" not in said
    assert said.count("so far:") == 1


@pytest.mark.parametrize("programme", GAMES)
def test_every_programme_plays_into_a_film(programme: str, tmp_path: Path) -> None:
    assert main(["play", *GAMES[programme], "--headless", "--out", str(tmp_path / "play.txt")]) == 0
    result = {"caring": "the optimum's: ", "extended": "simple: ", "slots": "agents left: ", "terminal": "ITF: "}
    assert result[programme] in (tmp_path / "play.txt").read_text().split("\n\n")[-1]


def test_the_same_from_python(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    caregrid.play("slots/swap", text=True, keys="1", horizon=1)
    assert "the end:" in capsys.readouterr().out
    caregrid.play("playroom", out=tmp_path / "play.txt", care=3.0)
    caregrid.problem("playroom").play(3.0, out=tmp_path / "problem.txt")
    assert (tmp_path / "play.txt").read_text() == (tmp_path / "problem.txt").read_text()


NAMES = {
    "garden": "scenarios",
    "scenarios/garden": "scenarios",
    "my_file:Own": "scenarios",
    "gym:FrozenLake-v1": "scenarios",
    "tempting-button": "environments",
    "opposite(crying_baby)": "environments",
    "extended/my_file:Own": "environments",
    "threshold:2,1,1,3,1": "slot_scenarios",
    "slots/folder/world.json": "slot_scenarios",
    "booth_corridor:move,coloured": "slot_scenarios",
    "terminal_worlds/off-switch": "terminal_worlds",
    "car-factory": "terminal_worlds",
}


@pytest.mark.parametrize("name", NAMES)
def test_the_programme_is_told_by_the_name(name: str) -> None:
    programme, world = find_programme(name)
    assert programme.worlds == NAMES[name]
    assert name.endswith(world)


def test_without_a_display_text_is_proposed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("SDL_VIDEODRIVER", "SDL_VIDEO_DRIVER", "DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(sys, "platform", "linux")
    assert main(["play", "garden"]) == 2
    assert capsys.readouterr().err.endswith("write a film: --headless --out film.gif, or play with --text\n")


def test_text_needs_no_pygame(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setitem(sys.modules, "pygame", None)
    assert main(["play", "playroom", "--text", "--keys", "q"]) == 0
    assert "so far:" in capsys.readouterr().out


def test_keys_are_different_and_an_action_that_is_called_like_a_key_has_it() -> None:
    names = ["0", "1", "up", "use", *map(str, range(2, 40))]
    keys = assign_keys(names)
    assert len(set(keys.values())) == len(names)
    assert (keys["0"], keys["1"], keys["up"], keys["9"]) == ("0", "1", "up", "9")
    assert not set(keys.values()) & set("ufghoqswad")


@pytest.mark.parametrize(("discount", "times"), [("0.9", " 0.9 "), ("0.5", " 0.5 "), ("1", None)])
def test_a_game_with_a_terminal_says_how_actions_are_written_and_returns_discounted(
    discount: str, times: str | None, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = ["--set", "horizon=4", "--discount", discount]
    assert main(["play", "car-factory", "--text", "--keys", "1,q", *settings]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "1 petrol cars, written p 2 electric cars, written e 3 lobby for later, written >" in said
    if times is None:
        assert "the terminal sends. Your influence" in said
    else:
        assert f"where a reward counts{times}times as much for every step that it comes later" in said
