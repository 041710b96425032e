"""A film as a page: its patches put together are the pictures, and a browser plays them."""

import base64
import io
import json
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from PIL import Image

from engine.errors import BadValue
from engine.scene import Film, Scene
from renderers.drawing.picture import draw_frames
from renderers.film import render
from renderers.formats.documents import MOST_HTML_SCENES, html

IN_THE_BROWSER = """
<script>
window.addEventListener("load", () => setTimeout(() => {
  const pixels = () => Array.from(context.getImageData(0, 0, canvas.width, canvas.height).data)
    .reduce((sum, value, place) => (sum * 31 + value * (place % 97 + 1)) % 1000003, 7);
  const found = [];
  for (const next of [0, 1, scenes.length - 1, 0]) { show(next); found.push([count.textContent, pixels()]); }
  toggle();
  const label = play.textContent;
  document.body.innerHTML = "<pre id='found'></pre>";
  document.getElementById("found").textContent = JSON.stringify({ found, label });
}, 500));
</script>
"""


def test_the_patches_are_the_pictures(film: Film) -> None:
    page = html.encode(render(film, 16)).decode()
    data = json.loads(re.findall(r'<script type="application/json" id="film">(.*?)</script>', page)[0])
    assert len(data["scenes"]) == len(film)
    canvas: np.ndarray | None = None
    for patches, picture in zip(data["scenes"], draw_frames(film, 16), strict=True):
        for x, y, content in patches:
            with Image.open(io.BytesIO(base64.b64decode(content))) as opened:
                patch = np.asarray(opened.convert("RGB"))
            if canvas is None:
                canvas = np.zeros_like(picture)
            canvas[y : y + patch.shape[0], x : x + patch.shape[1]] = patch
        np.testing.assert_array_equal(canvas, picture)
    assert "://" not in page


def test_words_of_a_caption_are_no_markup(film: Film) -> None:
    page = html.encode(render([Scene(caption="<script>&"), *film], 16)).decode()
    assert "&lt;script&gt;&amp;" in page
    assert page.count("<script") == 2


def test_a_film_that_is_too_long_is_refused() -> None:
    many = render([Scene()] * (MOST_HTML_SCENES + 1))
    with pytest.raises(BadValue, match="write \\.mp4 or \\.json"):
        html.encode(many)


def test_a_browser_plays_it(film: Film, found_in_page: Callable[..., Any]) -> None:
    found = found_in_page(html.encode(render(film, 16)).decode(), IN_THE_BROWSER, seconds=20)
    last = len(film)
    assert [count for count, _ in found["found"]] == [f"{n} of {last}" for n in (1, 2, last, 1)]
    sums = [pixels for _, pixels in found["found"]]
    assert sums[0] == sums[3]
    assert sums[0] != sums[1]
    assert found["label"] == "Pause"
