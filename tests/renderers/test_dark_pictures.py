"""Dark pictures: of one palette with the live page, as readable as light ones, wherever they are asked for."""

import re
from collections.abc import Callable, Sequence
from colorsys import rgb_to_hsv
from pathlib import Path

import numpy as np
import pytest
from matplotlib.colors import to_rgb
from PIL import Image as PillowImage

from caregrid import dark_pictures
from caregrid.lessons.page.html_page import join_parts
from caregrid.main import main
from caregrid.programmes.screen import Screen, display
from engine.scene import Film
from experiments.figures.style import CYCLE, GREY, OWN, new_figure, render_figure
from renderers.drawing.palette import FLOOR, INK, PALE_INK, PAPER, SURFACES, Colour, colour, darken, darken_colour
from renderers.film import save_film
from renderers.viewer.player import Player
from renderers.viewer.viewable import ViewableFilm
from renderers.viewer.viewer_layout import ViewerLayout


def find_contrast(one: Sequence[float], other: Sequence[float]) -> float:
    """The ratio of relative luminances of WCAG 2."""

    def measure(colour: Sequence[float]) -> float:
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in (each / 255 for each in colour)]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2] + 0.05

    light, dark = sorted((measure(one), measure(other)), reverse=True)
    return light / dark


COLOUR = re.compile(r": (#[0-9a-f]{6})")


def read_pixels(path: Path) -> np.ndarray:
    with PillowImage.open(path) as image:
        return np.asarray(image.convert("RGB"))


@pytest.mark.parametrize(
    ("role", "ground", "least"), [(INK, PAPER, 7), (PALE_INK, PAPER, 4), (colour("agent"), FLOOR, 3)]
)
def test_dark_colours_are_as_readable(role: Colour, ground: Colour, least: float) -> None:
    assert find_contrast(darken_colour(role), darken_colour(ground)) > least


def test_a_dark_colour_keeps_its_hue() -> None:
    light, dark = (rgb_to_hsv(*np.divide(one, 255)) for one in (colour("agent"), darken_colour(colour("agent"))))
    assert dark[0] == pytest.approx(light[0], abs=0.01)


def test_surfaces_are_those_of_the_live_page() -> None:
    """Every surface is a variable of the page's style, and its dark form one of the dark style."""
    light, _, dark = join_parts([]).partition("prefers-color-scheme: dark")
    for name, surface in SURFACES.items():
        assert f"--{name}: #{bytes(surface.light).hex()};" in light
        assert f"--{name}: #{bytes(surface.dark).hex()};" in dark
        assert darken_colour(surface.light) == surface.dark


def test_every_frame_of_a_dark_window_is_the_light_one_darkened(film: Film) -> None:
    """Rows that are as in the frame before are not worked out anew; another size is."""
    player, lit = Player(ViewableFilm(film, "a walk")), Player(ViewableFilm(film, "a walk"))
    player.dark = True
    layout, other = ViewerLayout(640, 420), ViewerLayout(640, 420)
    for position, size in ((0, (640, 420)), (1, (640, 420)), (3, (640, 420)), (2, (700, 500)), (0, (700, 500))):
        for each, shown in ((layout, player), (other, lit)):
            each.resize(*size)
            shown.go(position)
        assert (layout.draw(player) == darken(other.draw(lit))).all()


def test_one_key_makes_a_window_dark_and_light_again(film: Film) -> None:
    player, layout = Player(ViewableFilm(film, "a walk")), ViewerLayout(640, 420)
    light = layout.draw(player).copy()
    player.press("f8")
    assert layout.draw(player).mean() < 80 < 200 < light.mean()
    player.press("f8")
    assert (layout.draw(player) == light).all()


def by_command(film: Film, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    save_film(path.with_suffix(".json"), film)
    screen = ["--headless", "--frames", "1", "--out", str(path)]
    assert main(["view", "--episode", str(path.with_suffix(".json")), "--dark", *screen]) == 0


def in_python(film: Film, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with dark_pictures():
        save_film(path, film)


def by_environment(film: Film, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CAREGRID_DARK", "1")
    save_film(path, film)


def by_key(film: Film, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """F8, then the key that saves."""
    monkeypatch.chdir(path.parent)
    display(ViewableFilm(film, "a walk"), Screen(path.with_name("window.png"), 3, "f8,g"))
    path.with_name("caregrid-001.gif").rename(path)


@pytest.mark.parametrize("ask", [by_command, in_python, by_environment, by_key])
def test_dark_pictures_can_be_asked_for(
    ask: Callable[..., None], film: Film, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The ground is the dark paper, and light paper is nowhere."""
    path = tmp_path / f"film.{'gif' if ask is by_key else 'png'}"
    ask(film, path, monkeypatch)
    pixels = read_pixels(path)
    assert tuple(pixels[0, 0]) == SURFACES["paper"].dark
    assert not (pixels == PAPER).all(axis=2).any()


def test_a_dark_film_is_the_light_one_darkened(film: Film, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where the environment asks for dark ones and Python for light ones; a page has the ground of its film."""
    monkeypatch.setenv("CAREGRID_DARK", "1")
    with dark_pictures(False):
        save_film(tmp_path / "light.png", film)
    save_film(tmp_path / "dark.png", film)
    save_film(tmp_path / "dark.html", film)
    assert (read_pixels(tmp_path / "dark.png") == darken(read_pixels(tmp_path / "light.png"))).all()
    assert "background: #16181d" in (tmp_path / "dark.html").read_text(encoding="utf-8")


def test_a_dark_figure_keeps_series_and_numbers_and_turns_the_rest(tmp_path: Path) -> None:
    """Ground, axes, greys and words are dark ones; colours of series and of numbers stay, with the words upon them.

    Drawn light afterwards, it is the figure of before.
    """
    figure = new_figure(4.0, 2.0)
    left, right = figure.subplots(1, 2)
    left.plot([0, 1], [0, 1], color=OWN, label="own")
    left.axhspan(0.2, 0.4, facecolor=GREY, edgecolor="none", alpha=0.5)
    left.text(0.5, 0.5, "a word", bbox={"facecolor": "white"})
    right.pcolormesh([[0.0, 1.0]], cmap="cividis")
    right.text(0.5, 0.5, "0", color="white")
    light = COLOUR.findall(render_figure(figure, "svg").decode())
    with dark_pictures():
        dark = COLOUR.findall(render_figure(figure, "svg").decode())
        (tmp_path / "dark.png").write_bytes(render_figure(figure, "png", 100))
    assert COLOUR.findall(render_figure(figure, "svg").decode()) == light
    assert {"#000000", "#ffffff", GREY, OWN.lower()} <= {*light}
    assert {*dark} == {*light, "#16181d", "#aaaaaa"} - {"#000000", GREY}
    pixels = read_pixels(tmp_path / "dark.png")
    assert tuple(pixels[0, 0]) == SURFACES["paper"].dark
    for code in ("#00224e", "#fee838"):  # the ends of the map of numbers
        assert (np.abs(pixels - np.multiply(to_rgb(code), 255)).max(axis=2) < 2).any()


@pytest.mark.parametrize("series", CYCLE)
def test_series_are_seen_on_the_dark_ground(series: str) -> None:
    """By a contrast of 3 to 1 or nearly, as WCAG 2.1 asks of graphics."""
    assert find_contrast(np.multiply(to_rgb(series), 255).tolist(), SURFACES["paper"].dark) > 2.9
