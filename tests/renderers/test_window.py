"""The window, driven by posted events under SDL's dummy driver, and once for real in a virtual X server."""

import ctypes
import os
import struct
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from engine.errors import MissingExtra
from engine.scene import Film
from renderers.viewer import window as window_module
from renderers.viewer.player import Player
from renderers.viewer.viewable import ViewableFilm
from renderers.viewer.viewer_layout import MIN_HEIGHT, MIN_WIDTH, ViewerLayout
from renderers.viewer.window import Window, choose_scale, load_pygame

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def window(film: Film, monkeypatch: pytest.MonkeyPatch) -> Iterator[Window]:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    with Window(Player(ViewableFilm(film, "a walk")), ViewerLayout(640, 420), moment=60) as opened:
        yield opened


def post(kind: str, **fields: object) -> None:
    pygame = load_pygame()
    pygame.event.post(pygame.event.Event(getattr(pygame, kind), **fields))


def key(name: str, typed: str = "") -> None:
    pygame = load_pygame()
    for kind in ("KEYDOWN", "KEYUP"):
        post(kind, key=getattr(pygame, f"K_{name}"), unicode=typed, mod=0)


def test_keys_move_the_film_and_leave(window: Window) -> None:
    for name, position in (("RIGHT", 1), ("END", 3), ("LEFT", 2), ("HOME", 0)):
        key(name)
        window.update(0.01)
        assert window.player.position == position
    key("EQUALS", "+")
    key("SPACE", " ")
    window.update(0.01)
    window.update(0.3)
    assert window.player.position == 2
    key("q", "q")
    window.run()
    assert window.player.done


def test_the_screen_shows_the_stages_frame(window: Window) -> None:
    pygame = load_pygame()
    frame = window.update(0.0)
    shown = pygame.surfarray.array3d(pygame.display.get_surface()).transpose(1, 0, 2)
    assert (shown == frame).all()


def test_clicks_reach_cells(window: Window) -> None:
    window.update(0.0)
    area = window.layout._areas[0]
    place = (area.left + area.tile + 3, area.top + 2 * area.tile + 3)
    post("MOUSEBUTTONDOWN", button=3, pos=place)
    window.update(0.0)
    assert window.player.cell is None
    post("MOUSEBUTTONDOWN", button=1, pos=place)
    window.update(0.0)
    assert window.player.cell == (2, 1)


def test_nothing_is_drawn_where_nothing_changes(window: Window, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = []
    draw = window.layout.draw
    monkeypatch.setattr(window.layout, "draw", lambda player: drawn.append(player.position) or draw(player))
    first = window.update(0.0)
    for _ in range(20):
        assert window.update(0.05) is first
    post("MOUSEMOTION", pos=(30, 30), rel=(1, 1), buttons=(0, 0, 0))
    window.update(0.05)
    assert drawn == [0]
    key("RIGHT")
    window.update(0.05)
    assert drawn == [0, 1]
    window.player.press("space")
    window.update(0.01)
    window.update(0.3)
    assert drawn[-1] == 2
    post("WINDOWEXPOSED")
    before = len(drawn)
    window.update(0.0)
    assert len(drawn) == before + 1


def test_a_paused_window_waits_for_events(window: Window, monkeypatch: pytest.MonkeyPatch) -> None:
    waited = []
    pygame = load_pygame()

    def wait(milliseconds: int) -> object:
        waited.append(milliseconds)
        if len(waited) == 3:
            return pygame.event.Event(pygame.KEYDOWN, key=pygame.K_q, unicode="q", mod=0)
        return pygame.event.Event(pygame.NOEVENT)

    monkeypatch.setattr(pygame.event, "wait", wait)
    window.run()
    assert len(waited) == 3
    assert min(waited) >= 100


def test_the_time_line_is_dragged_until_the_button_is_released(window: Window) -> None:
    window.update(0.0)
    y = window.layout.height - 5
    post("MOUSEBUTTONDOWN", button=1, pos=(60, y))
    post("MOUSEMOTION", pos=(2000, 5), rel=(1, 1), buttons=(1, 0, 0))
    window.update(0.0)
    assert window.player.position == 3
    post("MOUSEBUTTONUP", button=1, pos=(2000, 5))
    post("MOUSEMOTION", pos=(60, y), rel=(1, 1), buttons=(0, 0, 0))
    window.update(0.0)
    assert window.player.position == 3
    post("MOUSEWHEEL", x=0, y=1, flipped=False)
    window.update(0.0)
    assert window.player.position == 2


def test_full_screen_and_back(window: Window) -> None:
    before = window.update(0.0).shape
    pygame = load_pygame()
    key("F11")
    window.update(0.0)
    assert pygame.display.get_surface().get_flags() & pygame.FULLSCREEN
    assert window.update(0.0).shape[:2] == pygame.display.get_surface().get_size()[::-1]
    key("ESCAPE")
    assert window.update(0.0).shape == before
    assert not window.player.done
    assert not pygame.display.get_surface().get_flags() & pygame.FULLSCREEN


def test_the_button_on_the_screen_fills_the_screen_too(window: Window) -> None:
    pygame = load_pygame()
    window.update(0.0)
    [placed] = [each for each in window.layout._buttons if each.button.key == "f11"]
    at = window.layout._timeline.width + placed.left + 2, placed.top + 2
    post("MOUSEBUTTONDOWN", button=1, pos=at)
    window.update(0.0)
    assert pygame.display.get_surface().get_flags() & pygame.FULLSCREEN
    key("ESCAPE")
    window.update(0.0)
    assert not pygame.display.get_surface().get_flags() & pygame.FULLSCREEN


def test_resizing_keeps_a_least_size(window: Window) -> None:
    pygame = load_pygame()
    post("VIDEORESIZE", w=1000, h=700, size=(1000, 700))
    assert window.update(0.0).shape == (700, 1000, 3)
    post("VIDEORESIZE", w=10, h=10, size=(10, 10))
    assert window.update(0.0).shape == (MIN_HEIGHT, MIN_WIDTH, 3)
    assert pygame.display.get_surface().get_size() == (MIN_WIDTH, MIN_HEIGHT)


def test_closing_the_window_leaves_and_closes_the_display(film: Film, monkeypatch: pytest.MonkeyPatch) -> None:
    pygame = load_pygame()
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    with Window(Player(ViewableFilm(film))) as opened:
        post("QUIT")
        opened.run()
        assert pygame.mixer.get_init() is None
    assert not pygame.display.get_init()


def test_no_display_is_one_line(film: Film, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "x11")
    monkeypatch.setenv("DISPLAY", ":987")
    with pytest.raises(MissingExtra, match="write a film: out=") as refused, Window(Player(ViewableFilm(film))):
        pass
    assert "\n" not in str(refused.value)


def test_nowhere_to_show_is_one_line(film: Film, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("SDL_VIDEODRIVER", "SDL_VIDEO_DRIVER", "DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(sys, "platform", "linux")
    with pytest.raises(MissingExtra, match="write a film: out="), Window(Player(ViewableFilm(film))):
        pass


def test_pygame_missing_or_installed_twice_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(window_module, "_is_installed", lambda distribution: True)
    with pytest.raises(MissingExtra, match="pip uninstall -y pygame pygame-ce && pip install pygame-ce"):
        load_pygame()
    monkeypatch.setattr(window_module, "_is_installed", lambda distribution: False)
    monkeypatch.setitem(sys.modules, "pygame", None)
    with pytest.raises(MissingExtra, match=r"caregrid\[render\]"):
        load_pygame()


IN_A_REAL_WINDOW = """
import sys
import numpy as np
from renderers.formats.json import read_film
from renderers.viewer.player import Player
from renderers.viewer.viewable import ViewableFilm
from renderers.viewer.viewer_layout import ViewerLayout
from renderers.viewer.window import Window
with Window(Player(ViewableFilm(read_film(sys.argv[1]), "a walk")), ViewerLayout(640, 420), moment=60.0) as window:
    for _ in range(10):
        frame = window.update(0.05)
    np.save(sys.argv[2], frame)
    print("shown", flush=True)
    sys.stdin.readline()
"""


WITH_SLOW_KEYS = """
import sys
from engine.scene import Scene
from renderers.viewer.player import Player
from renderers.viewer.viewable import Viewable
from renderers.viewer.window import Window

class Slow(Viewable):
    title = "slow keys"
    keys = {"f": ("think", "think for ever"), "g": ("gif", "save")}
    thoughts = 0
    def __len__(self): return 1000
    def overlays(self): return ("none",)
    def scene(self, index, overlay): return Scene(("####", "#  #", "####"), caption=f"{index}")
    def inspect(self, index, cell): return ()
    def execute(self, command, index):
        self.thoughts += 1
        print("thinks", flush=True)
        while True: index += 1

def save(what):
    print("saved", flush=True)
    return what

player = Player(Slow(), save)
with Window(player) as window:
    print("shown", window.update(0.0).shape, flush=True)
    player.go(0)
    window.run()
print("left", player.position, player.viewable.thoughts, flush=True)
"""


@contextmanager
def x_server(program: Callable[..., str], screen: str, *options: str) -> Iterator[dict[str, str]]:
    """The environment of a process that shows its windows on a virtual screen of a size, such as "800x600"."""
    read, write = os.pipe()
    arguments = [program("Xvfb"), "-displayfd", str(write), "-screen", "0", f"{screen}x24", *options]
    with subprocess.Popen(arguments, pass_fds=[write], stderr=subprocess.DEVNULL) as server:
        try:
            os.close(write)
            with os.fdopen(read) as lines:
                yield {**os.environ, "DISPLAY": f":{lines.readline().strip()}", "SDL_VIDEODRIVER": "x11"}
        finally:
            server.terminate()


class Keyboard:
    """Keys that are pressed on an X server as on a keyboard: by its extension XTEST."""

    def __init__(self, display: str) -> None:
        self._x, self._test = ctypes.CDLL("libX11.so.6"), ctypes.CDLL("libXtst.so.6")
        self._x.XOpenDisplay.restype = ctypes.c_void_p
        self._x.XStringToKeysym.restype = ctypes.c_ulong
        self._display = ctypes.c_void_p(self._x.XOpenDisplay(display.encode()))

    def hold(self, key: str, seconds: float) -> None:
        """Press a key, by its X name, and let it go after some time."""
        code = self._x.XKeysymToKeycode(self._display, ctypes.c_ulong(self._x.XStringToKeysym(key.encode())))
        for down in (True, False):
            self._test.XTestFakeKeyEvent(self._display, code, down, ctypes.c_ulong(0))
            self._x.XFlush(self._display)
            time.sleep(seconds if down else 0.1)


@pytest.mark.slow
def test_one_key_is_one_act_and_slow_work_can_be_stopped(tmp_path: Path, program: Callable[..., str]) -> None:
    """Real keys in a real window: `g` held saves once, an arrow held goes on, Escape stops what `f` began, q leaves."""
    with (
        x_server(program, "1000x700") as environment,
        subprocess.Popen(
            [sys.executable, "-c", WITH_SLOW_KEYS], cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True
        ) as viewer,
    ):
        assert viewer.stdout is not None
        assert "shown" in viewer.stdout.readline() or "shown" in viewer.stdout.readline()
        keyboard = Keyboard(environment["DISPLAY"])
        keyboard.hold("g", 1.5)
        assert viewer.stdout.readline() == "saved\n"
        keyboard.hold("Right", 1.5)
        for last in ("Escape", "q"):
            keyboard.hold("f", 0.1)
            assert viewer.stdout.readline() == "thinks\n"
            keyboard.hold("g", 0.1)  # not taken while it works
            keyboard.hold(last, 0.1)
        left, position, thoughts = viewer.stdout.readline().split()
        assert (left, viewer.wait(timeout=60)) == ("left", 0)
    assert int(position) > 5
    assert int(thoughts) == 1


def x_screen(dump: Path) -> np.ndarray:
    """The pixels of an X Window Dump of 24-bit colours, uint8[H, W, 3]."""
    content = dump.read_bytes()
    header = struct.unpack(">25I", content[:100])
    start, width, height, order, line, colours = (header[i] for i in (0, 4, 5, 7, 12, 19))
    pixels = np.frombuffer(content, np.uint8, line * height, start + 12 * colours).reshape(height, -1)
    colour = pixels[:, : 4 * width].reshape(height, width, 4)
    return colour[..., 2::-1] if order == 0 else colour[..., 1:]


def test_a_real_window_shows_the_raster_frame(film: Film, tmp_path: Path, program: Callable[..., str]) -> None:
    from renderers.film import save_film

    save_film(tmp_path / "film.json", film)
    command = [sys.executable, "-c", IN_A_REAL_WINDOW, str(tmp_path / "film.json"), str(tmp_path / "frame.npy")]
    with (
        x_server(program, "800x600", "-fbdir", str(tmp_path)) as environment,
        subprocess.Popen(
            command, cwd=ROOT, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as viewer,
    ):
        assert viewer.stdout is not None
        assert viewer.stdin is not None
        assert "shown\n" in iter(viewer.stdout.readline, "")
        screen = x_screen(tmp_path / "Xvfb_screen0")
        viewer.stdin.write("\n")
    frame = np.load(tmp_path / "frame.npy")
    height, width = frame.shape[:2]
    places = [(y, x) for y in range(screen.shape[0] - height + 1) for x in range(screen.shape[1] - width + 1)
              if (screen[y, x : x + width : 97] == frame[0, ::97]).all()]  # fmt: skip
    assert any((screen[y : y + height, x : x + width] == frame).all() for y, x in places)


WITH_FULL_SCREEN = """
import sys
import numpy as np
from renderers.formats.json import read_film
from renderers.viewer.player import Player
from renderers.viewer.viewable import ViewableFilm
from renderers.viewer.viewer_layout import ViewerLayout
from renderers.viewer.window import Window
with Window(Player(ViewableFilm(read_film(sys.argv[1]), "a walk")), ViewerLayout(640, 420), moment=60.0) as window:
    for full, name in enumerate(sys.argv[2:]):
        frame = None
        while frame is None or window.player.full_screen != bool(full % 2):
            frame = window.update(0.05)
        for _ in range(3):
            frame = window.update(0.05)
        np.save(name, frame)
        print("shown", flush=True)
        sys.stdin.readline()
"""


@pytest.mark.slow
def test_a_sharp_screen_is_filled_pixel_by_pixel(film: Film, tmp_path: Path, program: Callable[..., str]) -> None:
    """On a screen of 2880 x 1620 a window opens half as large again; F11, a real key, fills it, Escape comes back.

    Each time the screen shows the frame that is drawn at that size, and nothing is stretched. The screen has no window
    manager, who would move the window to its corner: as much of the frame is compared as lies on it.
    """
    from renderers.film import save_film

    save_film(tmp_path / "film.json", film)
    frames = [tmp_path / f"{name}.npy" for name in ("window", "full", "back")]
    command = [sys.executable, "-c", WITH_FULL_SCREEN, str(tmp_path / "film.json"), *map(str, frames)]
    with (
        x_server(program, "2880x1620", "-fbdir", str(tmp_path)) as environment,
        subprocess.Popen(
            command, cwd=ROOT, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as viewer,
    ):
        assert viewer.stdout is not None
        assert viewer.stdin is not None
        keyboard = Keyboard(environment["DISPLAY"])
        for path, size, key_after in zip(frames, (LARGER, FULL, LARGER), ("F11", "Escape", None), strict=True):
            assert "shown\n" in iter(viewer.stdout.readline, "")
            frame, screen = np.load(path), x_screen(tmp_path / "Xvfb_screen0")
            assert frame.shape[:2] == size
            top, left = (int(each[0]) for each in np.nonzero((screen != 0).any(axis=2)))
            shown = screen[top : top + size[0], left : left + size[1]]
            assert (shown == frame[: shown.shape[0], : shown.shape[1]]).all()
            if key_after:
                keyboard.hold(key_after, 0.1)
            viewer.stdin.write("\n")
            viewer.stdin.flush()


LARGER, FULL = (630, 960), (1620, 2880)


@pytest.mark.parametrize(
    ("screen", "scale"), [((1366, 768), 1.0), ((1920, 1080), 1.0), ((2560, 1440), 4 / 3), ((3840, 2160), 2.0)]
)
def test_a_window_grows_with_the_resolution(screen: tuple[int, int], scale: float) -> None:
    """It is the half of the screen across, and never smaller than on the usual one."""
    assert choose_scale(*screen) == pytest.approx(scale)
