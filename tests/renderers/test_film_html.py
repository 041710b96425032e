"""A film as a page: its patches put together are the pictures, and a browser plays them."""

import base64
import io
import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from engine.errors import BadValue
from engine.scene import Film, Scene
from renderers.drawing.picture import frames
from renderers.film_format import render
from renderers.formats.html import MOST_HTML_SCENES, html

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
    for patches, picture in zip(data["scenes"], frames(film, 16), strict=True):
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


def test_a_browser_plays_it(film: Film, tmp_path: Path, program: Callable[..., str]) -> None:
    browser = program("chromium", "chromium-browser", "google-chrome", "chrome")
    page = html.encode(render(film, 16)).decode()
    driven = tmp_path / "film.html"
    driven.write_text(page.replace("</body>", IN_THE_BROWSER + "</body>"), encoding="utf-8")
    command = [
        browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
        "--host-resolver-rules=MAP * ~NOTFOUND", f"--user-data-dir={tmp_path / 'profile'}",
        "--virtual-time-budget=20000", "--dump-dom", driven.as_uri(),
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, timeout=180, check=True)
    written = re.search(r'<pre id="found">(.*?)</pre>', done.stdout, re.DOTALL)
    assert written is not None, done.stdout[-2000:]
    found = json.loads(written[1])
    last = len(film)
    assert [count for count, _ in found["found"]] == [f"{n} of {last}" for n in (1, 2, last, 1)]
    sums = [pixels for _, pixels in found["found"]]
    assert sums[0] == sums[3]
    assert sums[0] != sums[1]
    assert found["label"] == "Pause"
