"""A film as one HTML page with a player: pictures and script are inside it, nothing is fetched.

Play or pause with the button or space, step with the slider or the arrow keys. Every scene is a PNG with the palette
that all of them share.
"""

from __future__ import annotations

import base64
import json
from html import escape
from string import Template

from engine.errors import BadValue
from renderers.drawing.quantise import indexed, shared_palette
from renderers.film_format import FilmFormat, RenderedFilm
from renderers.formats.png import encode_image

MOST_HTML_SCENES = 2000
PAGE = Template("""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>$title</title>
<style>
body { margin: 8px; font: 14px sans-serif; background: white; color: black }
img { display: block; max-width: 100% }
input { width: 50%; vertical-align: middle }
</style>
</head>
<body>
<img id="scene" alt="$title">
<button id="play" type="button">Play</button>
<input id="number" type="range" min="0" max="$last" value="0" aria-label="scene">
<output id="count"></output>
<script type="application/json" id="film">$data</script>
<script>
"use strict";
const film = JSON.parse(document.getElementById("film").textContent);
const [scene, play, number, count] = ["scene", "play", "number", "count"].map((id) => document.getElementById(id));
let now = 0, playing = false;
function show(next) {
  now = Math.max(0, Math.min(film.scenes.length - 1, next));
  scene.src = "data:image/png;base64," + film.scenes[now];
  number.value = now;
  count.textContent = (now + 1) + " of " + film.scenes.length;
  if (now === film.scenes.length - 1) playing = false;
  play.textContent = playing ? "Pause" : "Play";
}
function toggle() {
  playing = !playing;
  show(playing && now === film.scenes.length - 1 ? 0 : now);
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
setInterval(() => { if (playing) show(now + 1); }, film.milliseconds);
show(0);
</script>
</body>
</html>
""")


def encode(film: RenderedFilm) -> bytes:
    """UTF-8 HTML; BadValue for more scenes than a browser plays well."""
    count = len(film.scenes)
    if count > MOST_HTML_SCENES:
        remedy = f"at most {MOST_HTML_SCENES}; write .mp4 or .json"
        raise BadValue(f"a page of {count} scenes", place="film", remedy=remedy)
    palette, entry = shared_palette(film.images(range(count), False))
    pictures = (encode_image(indexed(image, entry), palette) for image in film.images(range(count), False))
    scenes = [base64.b64encode(picture).decode() for picture in pictures]
    data = json.dumps({"milliseconds": film.milliseconds, "scenes": scenes}, separators=(",", ":"))
    return PAGE.substitute(title=escape(film.scenes[0].caption or "film"), last=count - 1, data=data).encode()


html = FilmFormat(encode)
