"""The page of lessons: its logic without a browser, then pictures, slider and play button in a real one."""

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import quickjs

from caregrid.lessons import LESSONS, list_lessons
from caregrid.lessons.page import html_page

FILMS = [replace(LESSONS[name], make_live=None) for name in ("self_reflection", "teleport")]
SCRIPT = (Path(html_page.__file__).parent / "scripts" / "film.js").read_text(encoding="utf-8")
LESSON = {
    "name": "x", "width": 10, "height": 7,
    "variants": [{"frames": 3, "columns": 2}, {"frames": 5, "columns": 2}],
}  # fmt: skip


def logic(*calls: str) -> dict:
    """The state after some calls, as the page's own script computes it."""
    context = quickjs.Context()
    context.eval(SCRIPT)
    context.eval(f"var state = caregrid.start({json.dumps(LESSON)});")
    for call in calls:
        context.eval(f"state = caregrid.{call};")
    return json.loads(context.eval("JSON.stringify({...state, lesson: undefined, place: caregrid.place(state)})"))


def test_playing_stops_at_the_end_and_starts_over() -> None:
    assert logic("tick(state)")["frame"] == 0
    assert logic("toggle(state)", "tick(state)") | {"place": 0} == {
        "variant": 0,
        "frame": 1,
        "playing": True,
        "place": 0,
    }
    ended = logic("toggle(state)", *["tick(state)"] * 5)
    assert (ended["frame"], ended["playing"]) == (2, False)
    again = logic("toggle(state)", *["tick(state)"] * 5, "toggle(state)")
    assert (again["frame"], again["playing"]) == (0, True)
    assert not logic("toggle(state)", "toggle(state)")["playing"]


@pytest.mark.parametrize(("asked", "chosen"), [("1", 1), ("'1'", 1), ("7", 1), ("-3", 0), ("'x'", 0)])
def test_the_parameter_starts_its_film_over(asked: str, chosen: int) -> None:
    state = logic("seek(state, 2)", f"choose(state, {asked})")
    assert (state["variant"], state["frame"]) == (chosen, 0)


@pytest.mark.parametrize(("asked", "frame"), [("1", 1), ("'2'", 2), ("99", 2), ("-1", 0), ("undefined", 0)])
def test_scrubbing_stays_inside(asked: str, frame: int) -> None:
    assert logic(f"seek(state, {asked})")["frame"] == frame


def test_frames_lie_on_the_sheet_in_reading_order() -> None:
    places = [logic("choose(state, 1)", f"seek(state, {i})")["place"] for i in range(5)]
    assert [(place["x"], place["y"]) for place in places] == [(0, 0), (10, 0), (0, 7), (10, 7), (0, 14)]


def test_the_page_fetches_nothing(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert not re.search(r"(src|href)=\"(?!data:|#)", text)
    assert not re.search(r"fetch\(|XMLHttpRequest|import\(|@import|url\((?!#)", text)
    text = text.replace("http://www.w3.org/2000/svg", "")  # the name of SVG, not an address
    assert "http" not in re.sub(r"data:image/png;base64,[A-Za-z0-9+/=]+", "", text)
    assert len(text) < 8_000_000


def test_the_page_holds_every_lesson(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    data = re.search(r'<script type="application/json" id="lessons">(.*?)</script>', text, re.DOTALL)
    assert data is not None
    assert [lesson["name"] for lesson in json.loads(data[1])] == [lesson.name for lesson in list_lessons()]
    assert text.count("<section") == text.count('class="picture"') == len(list_lessons())


IN_THE_BROWSER = """
<script>
addEventListener("load", async () => {
  const wait = (ms) => new Promise((done) => setTimeout(done, ms));
  const pixels = (canvas) => {
    const data = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
    let sum = 0, colours = new Set();
    for (let i = 0; i < data.length; i += 4) {
      const colour = data[i] * 65536 + data[i + 1] * 256 + data[i + 2];
      sum = (sum * 31 + colour) % 4294967291;
      if (i % 64 === 0) colours.add(colour);
    }
    return { sum, colours: colours.size };
  };
  const found = [];
  await wait(500);
  for (const section of document.querySelectorAll("section:has(canvas)")) {
    section.querySelector(".after-prediction").hidden = false;
    const find = (name) => section.querySelector("." + name), canvas = find("film"), sums = [];
    for (const value of [0, 1]) {
      find("parameter").value = value;
      find("parameter").dispatchEvent(new Event("input"));
      find("scrub").value = find("scrub").max;
      find("scrub").dispatchEvent(new Event("input"));
      sums.push(pixels(canvas));
    }
    const said = find("summary").textContent, last = Number(section.dataset.frame);
    find("scrub").value = 0;
    find("scrub").dispatchEvent(new Event("input"));
    const first = pixels(canvas);
    find("play").click();
    const playing = find("play").textContent;
    await wait(1100);
    const moved = Number(section.dataset.frame);
    if (find("play").textContent === "Pause") find("play").click();
    const paused = Number(section.dataset.frame);
    await wait(600);
    section.querySelector("details").open = true;
    const picture = find("picture");
    found.push({
      name: section.id, sums, said, last, first, playing, moved, stopped: paused === Number(section.dataset.frame),
      picture: picture.complete ? picture.naturalWidth : 0,
    });
  }
  document.body.innerHTML = "<pre id='found'></pre>";
  document.getElementById("found").textContent = JSON.stringify(found);
});
</script>
"""


@pytest.mark.slow
def test_pictures_slider_and_play_button_work_in_a_browser(found_in_page: Callable[..., Any]) -> None:
    lessons = found_in_page(html_page.write_page(FILMS), IN_THE_BROWSER, seconds=60)
    assert [lesson["name"] for lesson in lessons] == [lesson.name for lesson in FILMS]
    for lesson in lessons:
        shown = [*lesson["sums"], lesson["first"]]
        assert all(picture["colours"] > 5 for picture in shown), lesson["name"]
        assert lesson["first"]["sum"] != lesson["sums"][1]["sum"], "scrubbing changes the picture"
        assert lesson["said"], lesson["name"]
        assert lesson["last"] > 0
        assert lesson["playing"] == "Pause"
        assert lesson["moved"] > 0
        assert lesson["stopped"]
        assert lesson["picture"] > 100
    assert sum(lesson["sums"][0]["sum"] != lesson["sums"][1]["sum"] for lesson in lessons) == len(FILMS)
