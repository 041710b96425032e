"""A game on a whole terminal: everything fits, goal and moves are always there, and single keys act at once."""

import os
import pty
import re
import select
import struct
import sys
import termios
import time
from fcntl import ioctl

import pytest

from caregrid.programmes.full_screen import Page, compose_screen, split_keys
from caregrid.programmes.game import GameSession
from caregrid.programmes.play import find_game

WORLDS = {
    "garden": {}, "workshop": {}, "tempting_button": {"turns": 20}, "teleport_move": {"horizon": 3},
    "tamper_grid": {"horizon": 5}, "car_factory": {"horizon": 6},
}  # fmt: skip


@pytest.fixture(scope="module", params=WORLDS)
def session(request: pytest.FixtureRequest) -> GameSession:
    return GameSession(find_game(request.param, dict(WORLDS[request.param]), 0))


@pytest.mark.slow_cases(beyond=2)
@pytest.mark.parametrize(("width", "height"), [(80, 24), (100, 40)])
def test_goal_message_and_moves_are_on_every_screen(session: GameSession, width: int, height: int) -> None:
    """From the start over the moves that exact agents would take to the end."""
    while True:
        lines = compose_screen(session, width, height, Page())
        assert len(lines) == height
        assert max(map(len, lines)) <= width
        assert lines[0] == session.game.title
        assert lines[1].startswith("Goal: You are the ")
        shown = "\n".join(lines)
        for move in session.menu():
            if move.available and move.key not in ("up", "down", "left", "right"):
                assert f"{move.key} {move.text}"[: width // 2] in shown
        assert session.message[:40] in shown
        action = session.game.suggestion()
        if action is None:
            break
        session.take(action)
    assert "The end:" in lines
    session._replay([])
    session.message = ""


def test_what_is_longer_is_turned(session: GameSession) -> None:
    """The middles of all pages, one after the other, are the middle of a screen that is high enough."""
    high = compose_screen(session, 80, 300, Page())
    turned = {line for first in range(60) for line in compose_screen(session, 80, 24, Page(first=first))}
    assert {line for line in high[:-1] if line.strip()} <= turned


def test_a_docstring_is_not_shown(session: GameSession) -> None:
    """What the world is takes one paragraph; choices and references are for readers of the code."""
    shown = "\n".join(compose_screen(session, 80, 40, Page(about=True)))
    assert not re.search(r"Choices:|Reference|Differs|``|et al\.|`", shown)


def test_keys_have_names() -> None:
    assert list(split_keys("a\x1b[A\x1bOB1\x1b[5~\x1b[99~q\x00")) == ["a", "up", "down", "1", "page up"]
    assert list(split_keys("\x1b[C>é")) == ["right", ">", "é"]


@pytest.mark.slow
def test_single_keys_play_in_a_real_terminal() -> None:
    """No line ends a move; the terminal is left as it was, with the result below."""
    child, terminal = pty.fork()
    if child == 0:
        command = [sys.executable, "-m", "caregrid", "play", "garden", "--text"]
        os.execve(sys.executable, command, {**os.environ, "TERM": "xterm"})
    ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    seen = ""

    def wait_for(words: str) -> None:
        nonlocal seen
        deadline = time.monotonic() + 120
        while words not in seen:
            assert time.monotonic() < deadline, seen[-2000:]
            if select.select([terminal], [], [], 1.0)[0]:
                seen += os.read(terminal, 65536).decode()

    wait_for("q leaves")
    os.write(terminal, b"w")
    wait_for("up: your reward -1")
    seen = ""
    os.write(terminal, b"u")
    wait_for("the last move is taken back")
    seen = ""
    os.write(terminal, b"\x1b[A")
    wait_for("up: your reward -1")
    os.write(terminal, b"q")
    wait_for("\x1b[?1049l")
    wait_for("so far:")
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
