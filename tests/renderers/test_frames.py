"""Frames that a world has drawn itself: in scenes, pictures, JSON films and text."""

import json
import zlib
from pathlib import Path

import numpy as np
import pytest

from engine.errors import BadFile, BadValue
from engine.scene import Frame, Heat, Mark, Scene, frame_of, frame_pixels
from engine.scene import Path as Walked
from renderers.drawing.picture import Painter
from renderers.drawing.raster import Raster, resize_image
from renderers.film import save_film
from renderers.formats.json import parse_film, read_film
from renderers.text import draw

PICTURE = np.arange(4 * 6 * 3, dtype=np.uint8).reshape(4, 6, 3)
FLOOR = ("   ", "   ")


def test_a_frame_keeps_its_pixels() -> None:
    assert np.array_equal(frame_pixels(frame_of(PICTURE)), PICTURE)


@pytest.mark.parametrize(
    "odd", [PICTURE[:, :, 0], PICTURE.astype(float), PICTURE[:0], np.zeros((9999, 1, 3), np.uint8)]
)
def test_what_is_no_picture_is_refused(odd: np.ndarray) -> None:
    with pytest.raises(BadValue, match="a picture of"):
        frame_of(odd)


@pytest.mark.parametrize(
    "frame",
    [
        Frame(4, 6, b"nonsense"),
        Frame(4, 7, frame_of(PICTURE).pixels),
        Frame(0, 0, zlib.compress(b"")),
        Frame(4096, 4096, zlib.compress(bytes(10))),
        Frame(-4, -6, frame_of(PICTURE).pixels),
        Frame(10**9, 10**9, frame_of(PICTURE).pixels),
    ],
)
def test_bytes_that_are_no_picture_of_their_size_are_refused(frame: Frame, tmp_path: Path) -> None:
    with pytest.raises(BadValue, match="not a picture of its size"):
        frame_pixels(frame)
    film = tmp_path / "film.json"
    save_film(film, [Scene(frame=frame)])
    with pytest.raises(BadFile, match="scene 0: a frame whose bytes are not a picture of its size"):
        read_film(film)


def test_a_film_of_frames_is_read_as_it_was_written(tmp_path: Path) -> None:
    scenes = (Scene(FLOOR, (Mark(0, 1, "@", "agent"),), frame=frame_of(PICTURE)), Scene(frame=frame_of(PICTURE)))
    save_film(tmp_path / "film.json", scenes)
    assert read_film(tmp_path / "film.json") == scenes


def test_a_frame_in_bad_base_64_is_refused() -> None:
    document = {"caregrid_film": 1, "scenes": [{"frame": [4, 6, "***"]}]}
    with pytest.raises(BadFile, match="a text that is not in base 64"):
        parse_film(json.dumps(document))


def test_the_frame_takes_the_place_of_the_floor() -> None:
    scene = Scene(FLOOR, (Mark(0, 1, "@", "agent"),), frame=frame_of(PICTURE))
    assert np.array_equal(Raster(4).grid(scene), resize_image(PICTURE, 8, 12))
    assert Raster(4).grid(Scene(frame=frame_of(PICTURE))).shape == (32, 48, 3)


def test_overlays_lie_on_the_frame() -> None:
    black = frame_of(np.zeros((2, 3, 3), dtype=np.uint8))
    path = Raster(24).grid(Scene(FLOOR, overlays=(Walked("path", ((0, 0), (0, 1))),), frame=black))
    assert path[:24, :48].any()
    assert not path[24:].any()
    heat = Raster(24).grid(Scene(FLOOR, overlays=(Heat("value", ((1, 2, 1.0), (1, 1, 0.0))),), frame=black))
    assert heat[30, 60].any()
    assert not heat[:24].any()


def test_pictures_and_text_of_frames() -> None:
    scene = Scene(caption="step 1", frame=frame_of(PICTURE), readings=(("reward", "-1"),))
    assert Painter(12).picture(scene).shape[0] > 96
    assert draw(scene) == "step 1\nreward: -1"


def test_resizing_takes_means_and_nearest_pixels() -> None:
    assert resize_image(np.full((5, 5, 3), 7, dtype=np.uint8), 3, 2).tolist() == np.full((3, 2, 3), 7).tolist()
    column = np.array([0, 10, 20, 31], dtype=np.uint8)[:, None, None].repeat(3, axis=2)
    assert resize_image(column, 2, 1)[:, 0, 0].tolist() == [5, 26]
    assert resize_image(column, 8, 2)[:, 1, 0].tolist() == [0, 0, 10, 10, 20, 20, 31, 31]
