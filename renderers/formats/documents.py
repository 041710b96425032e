"""Films as documents: plain text, and one HTML page with a player."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from html import escape
from string import Template

import numpy as np
from numpy.typing import NDArray

from engine.errors import BadValue
from renderers.drawing import palette
from renderers.drawing.shapes import Image
from renderers.film import FilmFormat, RenderedFilm
from renderers.formats.pictures import encode_image
from renderers.text import draw

__all__ = ["html", "txt"]


def encode_txt(film: RenderedFilm) -> bytes:
    """UTF-8 text; the glyphs are explained once."""
    count = len(film.scenes)
    drawn = [f"[{i + 1}/{count}]\n{draw(scene, legend=i == 0)}" for i, scene in enumerate(film.scenes)]
    return ("\n\n".join(drawn) + "\n").encode()


txt = FilmFormat(encode_txt)
"""A film as text: its scenes one below the other, each under its number."""

MOST_HTML_SCENES = 2000
GAP = 8  # pixels between two patches
PAGE = Template("""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>$title</title>
<style>
body { margin: 8px; font: 14px sans-serif; color-scheme: $scheme; background: $paper; color: $ink }
canvas { display: block; max-width: 100% }
input { width: 50%; vertical-align: middle }
</style>
</head>
<body>
<canvas id="scene" width="$width" height="$height" role="img" aria-label="$title"></canvas>
<button id="play" type="button">Play</button>
<input id="number" type="range" min="0" max="$last" value="0" aria-label="scene">
<output id="count"></output>
<script type="application/json" id="film">$data</script>
<script>
"use strict";
const film = JSON.parse(document.getElementById("film").textContent);
const [canvas, play, number, count] = ["scene", "play", "number", "count"].map((id) => document.getElementById(id));
const context = canvas.getContext("2d");
let now = 0, drawn = -1, playing = false;
const scenes = film.scenes.map((patches) => patches.map(([x, y, png]) => {
  const image = new Image();
  image.src = "data:image/png;base64," + png;
  return { x, y, image };
}));
function draw(next) {
  for (let scene = next <= drawn ? 0 : drawn + 1; scene <= next; scene += 1) {
    for (const patch of scenes[scene]) context.drawImage(patch.image, patch.x, patch.y);
  }
  drawn = next;
}
function show(next) {
  now = Math.max(0, Math.min(scenes.length - 1, next));
  draw(now);
  number.value = now;
  count.textContent = (now + 1) + " of " + scenes.length;
  if (now === scenes.length - 1) playing = false;
  play.textContent = playing ? "Pause" : "Play";
}
function toggle() {
  playing = !playing;
  show(playing && now === scenes.length - 1 ? 0 : now);
}
play.addEventListener("click", toggle);
number.addEventListener("input", () => { playing = false; show(Number(number.value)); });
document.addEventListener("keydown", (event) => {
  if (event.target === play || event.target === number) return;
  if (event.key === " ") { event.preventDefault(); toggle(); }
  if (event.key === "ArrowRight" || event.key === "ArrowLeft") {
    playing = false;
    show(now + (event.key === "ArrowRight" ? 1 : -1));
  }
});
Promise.all(scenes.flat().map((patch) => patch.image.decode())).then(() => {
  show(0);
  setInterval(() => { if (playing) show(now + 1); }, film.milliseconds);
});
</script>
</body>
</html>
""")


def encode_html(film: RenderedFilm) -> bytes:
    """UTF-8 HTML; BadValue for more scenes than a browser plays well."""
    count = len(film.scenes)
    if count > MOST_HTML_SCENES:
        remedy = f"at most {MOST_HTML_SCENES}; write .mp4 or .json"
        raise BadValue(f"a page of {count} scenes", place="film", remedy=remedy)
    scenes: list[list[tuple[int, int, str]]] = []
    before: Image | None = None
    for picture in film.images(range(count)):
        scenes.append(
            [(x, y, base64.b64encode(encode_image(patch)).decode()) for x, y, patch in _find_patches(before, picture)]
        )
        before = picture
    assert before is not None  # a film has a scene
    data = json.dumps({"milliseconds": film.milliseconds, "scenes": scenes}, separators=(",", ":"))
    height, width = before.shape[:2]
    title = escape(film.scenes[0].caption or "film")
    dark = palette.is_dark()
    colours = {"paper": palette.PAPER, "ink": palette.INK}
    codes = {name: palette.write_code(palette.darken_colour(one) if dark else one) for name, one in colours.items()}
    look = {"scheme": "dark" if dark else "light", **codes}
    return PAGE.substitute(title=title, width=width, height=height, last=count - 1, data=data, **look).encode()


def _find_patches(before: Image | None, picture: Image) -> Iterator[tuple[int, int, Image]]:
    """(x, y, patch) of what a picture changes; the whole picture where there was none before."""
    if before is None:
        yield 0, 0, picture
        return
    changed = (before != picture).any(axis=2)
    for left, right in _find_runs(changed.any(axis=0)):
        for top, bottom in _find_runs(changed[:, left:right].any(axis=1)):
            yield left, top, picture[top:bottom, left:right]


def _find_runs(marked: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """(first, end) of the runs of marks, those that lie close together as one."""
    positions = np.flatnonzero(marked)
    if not len(positions):
        return []
    breaks = np.flatnonzero(np.diff(positions) > GAP)
    firsts, ends = positions[np.concatenate([[0], breaks + 1])], positions[np.concatenate([breaks, [-1]])] + 1
    return list(zip(firsts.tolist(), ends.tolist(), strict=True))


html = FilmFormat(encode_html)
"""A film as one HTML page with a player: pictures and script are inside it, nothing is fetched.

Play or pause with the button or space, step with the slider or the arrow keys. Of each scene only the patches that
changed are stored, as PNG; the page draws them over what was there, and starts over to go back.
"""
