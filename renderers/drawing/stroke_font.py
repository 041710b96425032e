"""Text on pixels: letters are strokes of round pens, smooth at every size, and cached by size.

The alphabet was drawn for caregrid. A letter is strokes separated by spaces; a stroke is points "xy", both one
hexadecimal digit, joined by the pen; "~" before a stroke rounds its corners. y is 0 at the top of capitals, 3 at
the top of small letters, 9 on the base line. A stroke of one point is a dot.

Rounded strokes follow Chaikin's corner cutting: every corner is replaced by points at 1/4 and 3/4 of its sides.
Reference: G. Chaikin, "An algorithm for high-speed curve generation", Computer Graphics and Image Processing 3,
1974.
"""

from __future__ import annotations

from functools import cache, lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from renderers.drawing.palette import INK, PAPER, Colour
from renderers.drawing.shapes import Image, PixelPoint, Words, blank, fill, polyline

CAPITAL_HEIGHT = 9
DEPTH = 12
LETTERS: dict[str, str] = {
    " ": "",
    "A": "093069 1656", "B": "0009 ~003050543404 ~043464693909", "C": "~626000096967", "D": "0009 ~002060692909",
    "E": "60000969 0454", "F": "600009 0454", "G": "~62600009696765 6535", "H": "0009 6069 0464", "I": "0009",
    "J": "~4045490907", "K": "0009 6005 2369", "L": "000959", "M": "0900367079", "N": "09006960",
    "O": "~0060690900", "P": "0900 ~003060653505", "Q": "~0060690900 4669", "R": "0900 ~003060653505 3569",
    "S": "~62600004656909 0907", "T": "0060 3039", "U": "~000509696560", "V": "003960", "W": "0029426980",
    "X": "0069 6009", "Y": "003460 3439", "Z": "00600969",
    "a": "5359 ~0353590903", "b": "0009 ~0353590903", "c": "~545303095958", "d": "5059 ~0353590903",
    "e": "0656 ~565303095958", "f": "~4010131619 0333", "g": "~0353590903 ~53595c0c0b", "h": "0009 ~0603535659",
    "i": "0309 00", "j": "~23292c0c 20", "k": "0009 5306 2559", "l": "~00070929", "m": "0309 ~0603434649 ~4643838689",
    "n": "0309 ~0603535659", "o": "~0353590903", "p": "030c ~0353590903", "q": "535c ~0353590903",
    "r": "0309 ~060333", "s": "~54530306565909 0908", "t": "~11161949 0343", "u": "~030609595653 5359",
    "v": "032943", "w": "0329446983", "x": "0359 5309", "y": "0329 531c", "z": "03530959",
    "0": "~0050590900", "1": "023039", "2": "~0200505409 0959", "3": "~0200505424 ~2454590907", "4": "49400656",
    "5": "500004 ~0454590907", "6": "~0454590904 ~40000306", "7": "005029", "8": "~0050540400 ~0454590904",
    "9": "~0050550500 ~53565919",
    ".": "09", ",": "190b", ":": "04 09", ";": "14 190b", "!": "0006 09", "?": "~010050542426 29", "'": "0002",
    '"': "0002 2022", "(": "~20030629", ")": "~00232609", "[": "20000929", "]": "00202909", "{": "~30101404 ~04141939",
    "}": "~00202434 ~34242909", "+": "0565 3238", "-": "0545", "=": "0464 0767", "*": "2327 0446 0644", "/": "0a50",
    "\\": "005a", "|": "000b", "_": "0a6a", "<": "520558", ">": "025508", "^": "043164", "~": "~060434376764",
    "#": "2019 5049 0363 0666", "%": "6009 ~0020230300 ~4666694946", "&": "~6659090643401013 1369",
    "@": "~5636336356576765600009595a", "$": "~62610104656808 0806 303a", "`": "0012",
    "→": "0575 437547", "←": "0575 230527", "↑": "3930 133053", "↓": "3039 163956", "×": "1357 5317", "·": "05",
    "…": "09 29 49", "–": "0555", "—": "0575", "≤": "510457 0959", "≥": "015407 0959", "≠": "0464 0767 5219",
    "∞": "~0308838803", "α": "~634909034369", "γ": "03285c 5328", "²": "~01002024 0424", "∅": "~0363690903 6209",
    "✓": "063960", "█": "0009 2029 4049",
}  # fmt: skip
UNKNOWN = "0050590900"


def read_strokes(letter: str) -> tuple[tuple[bool, tuple[tuple[int, int], ...]], ...]:
    """The strokes of a letter: whether a stroke is rounded, and its points (x, y); an unknown letter is a box."""
    drawn = LETTERS.get(letter, UNKNOWN)
    return tuple((stroke.startswith("~"), _read_points(stroke.removeprefix("~"))) for stroke in drawn.split())


def _read_points(stroke: str) -> tuple[tuple[int, int], ...]:
    return tuple((int(stroke[i], 16), int(stroke[i + 1], 16)) for i in range(0, len(stroke), 2))


GAP = 2.6
SPACE = 4.0
DIGITS = frozenset("0123456789")


def _cut_corners(points: list[PixelPoint], closed: bool) -> list[PixelPoint]:
    cut: list[PixelPoint] = []
    for (ax, ay), (bx, by) in pairwise(points):
        cut += [(0.75 * ax + 0.25 * bx, 0.75 * ay + 0.25 * by), (0.25 * ax + 0.75 * bx, 0.25 * ay + 0.75 * by)]
    return [*cut, cut[0]] if closed else [points[0], *cut[1:-1], points[-1]]


@cache
def _rightmost(letter: str) -> int:
    """Return how far right a letter's strokes reach; of all digits the same."""
    return 5 if letter in DIGITS else max((x for _, points in read_strokes(letter) for x, _ in points), default=0)


@lru_cache(maxsize=4096)
def _letter_width(letter: str, size: float) -> int:
    """Pixels from one letter to the next."""
    advance = _rightmost(letter) + GAP if read_strokes(letter) else SPACE
    return max(1, round(advance * (size / CAPITAL_HEIGHT)))


@lru_cache(maxsize=4096)
def _letter(letter: str, size: float, bold: bool) -> NDArray[np.float64]:
    """float64[H, W]: how much of each pixel a letter covers; size: the height of a capital in pixels."""
    unit = size / CAPITAL_HEIGHT
    pen = max(1.05, size * (0.19 if bold else 0.125))
    drawn = read_strokes(letter)
    height, width = line_height(size), _letter_width(letter, size)
    margin_x, margin_y = (width - _rightmost(letter) * unit) / 2, size * 0.3
    cover = np.full((height, width), np.inf)
    for rounded, points in drawn:
        path: list[PixelPoint] = [(x, y) for x, y in points]
        for _ in range(3 if rounded and len(path) > 2 else 0):
            path = _cut_corners(path, closed=points[0] == points[-1])
        placed = [(margin_x + x * unit, margin_y + y * unit) for x, y in path]
        cover = np.minimum(cover, polyline(height, width, placed, pen))
    return cover


def line_height(size: float) -> int:
    """Pixels from one line of text to the next, for capitals `size` pixels high."""
    return round(size * (0.5 + (DEPTH + 0.5) / CAPITAL_HEIGHT))


@lru_cache(maxsize=4096)
def text_width(text: str, size: float) -> int:
    """Return how many pixels wide a line of text is, bold or not; nothing is drawn."""
    return sum(_letter_width(letter, size) for letter in text)


def write(
    image: Image, text: str, left: float, top: float, size: float, colour: Colour = INK, bold: bool = False
) -> None:
    """Write one line onto an image in place; (left, top) is the corner of the line's box; the image cuts it off."""
    if not text:
        return
    cover = np.concatenate([_letter(letter, size, bold) for letter in text], axis=1)
    (height, width), column, row = cover.shape, round(left), round(top)
    rows = slice(max(0, -row), min(height, image.shape[0] - row))
    columns = slice(max(0, -column), min(width, image.shape[1] - column))
    if rows.stop > rows.start and columns.stop > columns.start:
        target = image[row + rows.start : row + rows.stop, column + columns.start : column + columns.stop]
        whole = target.shape[:2] == cover.shape  # what is cut off is no text any more
        unit = size / CAPITAL_HEIGHT
        words = Words(text, GAP * unit / 2, size * 1.3, size, width - GAP * unit, bold) if whole else None
        fill(target, cover[rows, columns], colour, words=words)


def write_centred(
    image: Image, text: str, centre: PixelPoint, size: float, colour: Colour = INK, bold: bool = False
) -> None:
    """Write one line with the middle of its capitals at a point (x, y)."""
    left = centre[0] - text_width(text, size) / 2
    write(image, text, left, centre[1] - size * 0.8, size, colour, bold)


def wrap(text: str, width: int, size: float) -> list[str]:
    """Break a text into lines of at most `width` pixels; words wider than that are cut."""
    lines: list[str] = []
    for paragraph in text.split("\n"):
        line = ""
        for word in paragraph.split(" "):
            longer = f"{line} {word}" if line else word
            if text_width(longer, size) <= width or not line:
                line = longer
            else:
                lines.append(line)
                line = word
        lines.append(line)
    return [shorten(line, width, size) for line in lines]


def shorten(text: str, width: int, size: float) -> str:
    """Cut a text that is too wide, with an ellipsis."""
    if text_width(text, size) <= width:
        return text
    while text and text_width(text + "…", size) > width:
        text = text[:-1]
    return text + "…"


def paragraph(text: str, width: int, size: float, colour: Colour = INK, bold: bool = False) -> Image:
    """Return an image of a wrapped text, `width` pixels wide."""
    lines = wrap(text, width, size)
    image = blank(line_height(size) * len(lines), width, PAPER)
    for i, line in enumerate(lines):
        write(image, line, 0, i * line_height(size), size, colour, bold)
    return image
