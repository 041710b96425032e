"""Letters: all there, all different, and words kept inside their widths."""

import string
from itertools import combinations

import numpy as np
import pytest

from renderers.drawing.palette import PAPER, WHITE
from renderers.drawing.shapes import blank
from renderers.drawing.stroke_font import LETTERS, line_height, paragraph, shorten, text_width, wrap, write

PRINTABLE = [letter for letter in string.printable if letter.isprintable()]


def drawn(letter: str, size: float) -> bytes:
    image = blank(line_height(size), 40, WHITE)
    write(image, letter, 4, 0, size)
    return image.tobytes()


def test_every_printable_letter_is_drawn() -> None:
    assert set(PRINTABLE) <= set(LETTERS)


@pytest.mark.parametrize("size", [7.0, 12.0])
def test_no_two_letters_look_alike(size: float) -> None:
    appearances = {letter: drawn(letter, size) for letter in LETTERS if letter != "–"}
    alike = [(a, b) for a, b in combinations(appearances, 2) if appearances[a] == appearances[b]]
    assert not alike


def test_unknown_letters_are_boxes() -> None:
    assert drawn("漢", 12) != drawn(" ", 12)


def test_wrapped_lines_fit() -> None:
    text = "the agent walks to the toolshed and takes an extra hammer for whoever comes next"
    lines = wrap(text, 150, 10)
    assert len(lines) > 2
    assert all(text_width(line, 10) <= 150 for line in lines)
    assert " ".join(lines) == text


def test_a_word_too_wide_is_cut_with_an_ellipsis() -> None:
    cut = shorten("incomprehensibilities", 60, 10)
    assert cut.endswith("…")
    assert text_width(cut, 10) <= 60
    assert shorten("fits", 200, 10) == "fits"


def test_writing_outside_an_image_is_cut_off() -> None:
    image = blank(10, 10, PAPER)
    for left, top in ((-30, -30), (8, 8), (50, 50), (-3, 2)):
        write(image, "Ag", left, top, 12)
    assert image.shape == (10, 10, 3)


def test_a_paragraph_is_as_high_as_its_lines() -> None:
    assert paragraph("a\nb", 100, 10).shape == (2 * line_height(10), 100, 3)
    assert np.array_equal(paragraph("", 100, 10), blank(line_height(10), 100, PAPER))
