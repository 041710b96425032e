"""Films as files: deterministic bytes, readable by others, refused in one line where something is wrong."""

import io
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from engine.errors import BadFile, BadValue, CaregridError, MissingExtra
from engine.scene import Film, Scene
from renderers import film as films
from renderers.drawing import palette
from renderers.drawing.picture import draw_frames
from renderers.film import FORMATS, MOST_PICTURES, RenderedFilm, make_storyboard, render, save_film
from renderers.formats.pictures import LAST_SCENE_REPEATS, encode_image, gif, index_pixels, make_shared_palette

GOLDEN = Path(__file__).parent / "golden" / "walk.gif"


def rendered(film: Film, tile: int = 16) -> RenderedFilm:
    return render(film, tile)


@pytest.mark.parametrize("ending", FORMATS.names())
def test_every_format_writes_the_same_bytes_twice(ending: str, film: Film, tmp_path: Path) -> None:
    for name in ("a", "b"):
        save_film(tmp_path / f"{name}.{ending}", film, tile=16)
    first, second = ((tmp_path / f"{name}.{ending}").read_bytes() for name in ("a", "b"))
    assert first
    assert first == second


def test_the_golden_gif(film: Film) -> None:
    assert gif.encode(rendered(film)) == GOLDEN.read_bytes()


def test_a_gif_shows_every_frame_in_almost_its_colours(film: Film) -> None:
    with Image.open(io.BytesIO(gif.encode(rendered(film)))) as animation:
        assert animation.n_frames == len(film)
        for i, frame in enumerate(draw_frames(film, 16)):
            animation.seek(i)
            shown = np.asarray(animation.convert("RGB"), dtype=int)
            assert np.abs(shown - frame).mean() < 1.5


def colour_tables(content: bytes) -> tuple[int, int]:
    """Images in a GIF, and how many of them bring a palette of their own."""
    position, images, own = 13 + 3 * 256, 0, 0
    while content[position : position + 1] != b";":
        if content[position] == ord("!"):
            position += 2
        else:
            images, own = images + 1, own + bool(content[position + 9] & 0x80)
            position += 11
        while content[position]:
            position += content[position] + 1
        position += 1
    return images, own


def test_all_frames_of_a_gif_share_one_palette(film: Film) -> None:
    assert colour_tables(gif.encode(rendered(film))) == (len(film), 0)
    colours, entry = make_shared_palette(draw_frames(film, 16))
    assert len(colours) <= 255
    assert entry.max() < len(colours)


def test_a_gif_stores_what_changes(film: Film) -> None:
    still = rendered(film[:1] * 50)
    assert len(gif.encode(still)) < 1.5 * len(gif.encode(rendered(film[:1])))
    with Image.open(io.BytesIO(gif.encode(still))) as animation:
        assert animation.n_frames == 50


def test_a_gif_keeps_every_scene_for_its_time(film: Film) -> None:
    still = render((*film, film[-1], film[-1]), 16, milliseconds=70)
    with Image.open(io.BytesIO(gif.encode(still))) as animation:
        times = []
        for i in range(animation.n_frames):
            animation.seek(i)
            times.append(animation.info["duration"])
    assert times == [70] * 5 + [70 * LAST_SCENE_REPEATS]


def test_few_colours_survive_a_gif_unchanged() -> None:
    picture = np.zeros((4, 4, 3), dtype=np.uint8)
    picture[:2] = (200, 100, 50)
    colours, _ = make_shared_palette(iter([picture]))
    assert {tuple(colour) for colour in colours} == {(0, 0, 0), (200, 100, 50)}


def test_a_gif_of_a_book_is_refused(film: Film) -> None:
    with pytest.raises(BadValue, match=r"\.mp4 or \.json"):
        gif.encode(rendered(film * 1000))


def test_png_is_what_pillow_reads(film: Film, tmp_path: Path) -> None:
    picture = next(draw_frames(film[:1], 16))
    with Image.open(io.BytesIO(encode_image(picture))) as image:
        assert (np.asarray(image) == picture).all()


def test_png_of_few_colours_is_what_pillow_reads() -> None:
    picture = np.zeros((3, 5, 3), dtype=np.uint8)
    picture[1] = (10, 200, 30)
    palette, entry = make_shared_palette([picture])
    with Image.open(io.BytesIO(encode_image(index_pixels(picture, entry), palette))) as image:
        assert (np.asarray(image.convert("RGB")) == picture).all()


def test_a_contact_sheet_holds_all_scenes_of_a_short_film_and_some_of_a_long_one(film: Film, tmp_path: Path) -> None:
    sizes = []
    for name, content in (("short", film), ("long", film * 100)):
        save_film(tmp_path / f"{name}.png", content, tile=8)
        with Image.open(tmp_path / f"{name}.png") as image:
            sizes.append(image.size)
    one = next(draw_frames([replace(film[0], caption="", readings=())], 8)).shape
    assert sizes[0] >= (2 * one[1] - 16, 2 * one[0] - 16)
    assert sizes[1][0] * sizes[1][1] <= 40 * one[0] * one[1]


def test_a_contact_sheet_says_once_what_all_its_scenes_say(film: Film) -> None:
    alike = [
        replace(scene, caption="a walk", readings=(("care", "1"), ("step", str(i)))) for i, scene in enumerate(film)
    ]
    sheet = make_storyboard(alike * 20)
    assert (sheet.caption, sheet.readings) == ("a walk", (("care", "1"),))
    assert len(sheet.panels) == MOST_PICTURES
    assert {(panel.caption, panel.readings) for panel in sheet.panels} == {("", ())}
    assert make_storyboard(film[:1]) == film[0]


def test_grids_stay_in_place_when_a_caption_takes_more_lines() -> None:
    walk = [Scene(("#####", "#   #", "#####"), caption=words) for words in ("one", "many words " * 9, "two")]
    drawn = list(draw_frames(walk, 16))
    walls = [np.flatnonzero((frame == palette.WALL).all(axis=2).any(axis=1)) for frame in drawn]
    assert len({(rows[0], rows[-1]) for rows in walls}) == 1
    assert walls[0][-1] < drawn[0].shape[0] - 1


def test_an_mp4_has_all_frames(film: Film, tmp_path: Path) -> None:
    import imageio_ffmpeg

    save_film(tmp_path / "film.mp4", film, tile=16)
    count, seconds = imageio_ffmpeg.count_frames_and_secs(str(tmp_path / "film.mp4"))
    assert count >= len(film)
    assert seconds > 0


@pytest.mark.parametrize(("ending", "module"), [("gif", "PIL"), ("mp4", "imageio_ffmpeg")])
def test_a_missing_extra_is_named(
    ending: str, module: str, film: Film, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtra, match=r"pip install 'caregrid\["):
        save_film(tmp_path / f"film.{ending}", film)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(("name", "named"), [("film.gi", "gi"), ("film", "film"), ("film.jpeg", "jpeg")])
def test_an_unknown_ending_is_refused(name: str, named: str, film: Film, tmp_path: Path) -> None:
    with pytest.raises(CaregridError, match=f"unknown film format '{named}'"):
        save_film(tmp_path / name, film)


def test_an_empty_film_and_a_missing_folder_are_refused(film: Film, tmp_path: Path) -> None:
    with pytest.raises(BadValue, match="without scenes"):
        save_film(tmp_path / "film.gif", ())
    with pytest.raises(BadFile, match="cannot write"):
        save_film(tmp_path / "nowhere" / "film.txt", film)


def test_text_explains_the_key_once(film: Film, tmp_path: Path) -> None:
    save_film(tmp_path / "film.txt", film)
    text = (tmp_path / "film.txt").read_text()
    assert text.count("key: ") == 1
    assert text.count("[") == len(film)
    assert films.format_for("x.TXT") is FORMATS["txt"]
