"""The live page in a headless browser, at the width of a phone and of a laptop: what a person sees and can do."""

import itertools
import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from caregrid.lessons import list_lessons
from caregrid.lessons.lesson import Lesson
from caregrid.lessons.live_world import write_live_world
from craftworld.scenarios import SCENARIOS
from craftworld.solution.problem import make_problem

WIDTHS = 390, 1280  # pixels
AXE = Path(__file__).resolve().parents[2] / "data" / "axe-core" / "axe.min.js"
SWEEPS = ("self_reflection", "teleport", "input_terminal", "as_if", "how_much_care")
LIVE = [lesson for lesson in list_lessons() if lesson.name not in SWEEPS]
OPEN = 'for (const each of document.querySelectorAll(".skip")) each.click();'
READ = """(() => { const s = document.getElementById("NAME"); return {
  care: Number(s.dataset.care), segment: Number(s.dataset.segment),
  path: s.querySelector(".path.now")?.getAttribute("points") ?? "",
  badges: [...s.querySelectorAll(".badge")].map((each) => each.textContent).join(";"),
  before: !!s.querySelector(".path.before"),
  spoken: s.querySelector("input.quantity").getAttribute("aria-valuetext"),
  changed: s.querySelector(".changed h3").textContent, dots: s.querySelectorAll(".curves .dot").length,
  summary: s.querySelector(".live .summary").textContent,
  dot: s.querySelector(".curves .dot").getAttribute("cx") }; })()"""

POINT = """(() => { const board = document.querySelector("#NAME .board"), [x, y] = SHARE;
  board.scrollIntoView({ block: "center" });
  const box = board.getBoundingClientRect();
  return [box.left + box.width * x, box.top + box.height * y]; })()"""


def reading(browser, lesson: Lesson) -> dict:
    """What a live lesson shows."""
    return browser.do(READ.replace("NAME", lesson.name))


def click(browser, lesson: Lesson, selector: str) -> None:
    """Click what a selector finds in a lesson's section."""
    browser.do(f'document.querySelector("#{lesson.name} {selector}").click()')


def open_editor(browser, page: Path, lesson: Lesson, width: int) -> None:
    """Open the page in a window of this width, and the editor of a lesson's map."""
    browser.open(page, width)
    browser.do(OPEN)
    click(browser, lesson, ".editor summary")
    browser.wait(f'document.querySelector("#{lesson.name} .tools input") !== null')


@pytest.mark.slow_cases(beyond=1)
@pytest.mark.parametrize("lesson", LIVE, ids=lambda lesson: lesson.name)
def test_the_slider_passes_every_break_point(browser, live_pages: dict[str, Path], lesson: Lesson) -> None:
    browser.open(live_pages[f"live/{lesson.name}.html"], WIDTHS[0])
    browser.do(OPEN)
    first = lesson.live()[0]
    segments = write_live_world(first.problem)["segments"]
    shown = [reading(browser, lesson)]
    for _ in segments[1:]:
        click(browser, lesson, ".next-point")
        shown.append(reading(browser, lesson))
    assert [each["segment"] for each in shown] == list(range(len(segments)))
    assert [each["care"] for each in shown] == [segment["from"] for segment in segments]
    for before, after in itertools.pairwise(shown):
        assert (after["path"], after["badges"]) != (before["path"], before["badges"])
        assert after["before"]
        assert after["dot"] != before["dot"]
    assert all("break" in each["changed"] or "What changed" in each["changed"] for each in shown)
    assert all(each["spoken"].startswith("care ") for each in shown)
    sliders = f"[...document.querySelectorAll('#{lesson.name} input[type=range]')]"
    for width in WIDTHS:
        browser.resize(width)
        assert browser.do("document.documentElement.scrollWidth") <= width
        assert browser.do(f"Math.min(...{sliders}.map((x) => x.clientWidth))") > 90
    assert not browser.errors
    assert {url.split(":")[0] for url in browser.requests} <= {"file", "data"}


@pytest.mark.slow
def test_the_slider_answers_to_the_keyboard(browser, page: Path) -> None:
    browser.open(page, 1280)
    browser.do(OPEN)
    lesson = LIVE[0]
    browser.do(f'document.querySelector("#{lesson.name} input.quantity").focus()')
    browser.press("PageDown")
    assert reading(browser, lesson)["care"] == 0
    browser.press("PageUp")
    assert reading(browser, lesson)["segment"] == 1
    browser.press("End")
    assert reading(browser, lesson)["segment"] == len(write_live_world(lesson.live()[0].problem)["segments"]) - 1


@pytest.mark.slow_cases(beyond=1)
@pytest.mark.parametrize("width", WIDTHS)
def test_a_prediction_opens_the_lesson_and_is_answered(browser, page: Path, width: int) -> None:
    browser.open(page, width)
    for lesson in list_lessons():
        if not lesson.choices:
            continue
        hidden = f'document.querySelector("#{lesson.name} .after-prediction").hidden'
        assert browser.do(hidden), lesson.name
        click(browser, lesson, "form.predict button[type=submit]")
        assert browser.do(hidden), "nothing was chosen"
        for number, choice in enumerate(lesson.choices):
            browser.do(f'document.querySelectorAll("#{lesson.name} .choice input")[{number}].click()')
            click(browser, lesson, "form.predict button[type=submit]")
            said = browser.do(f'document.querySelector("#{lesson.name} .feedback").textContent')
            assert said == choice.feedback
        assert not browser.do(hidden)
    assert not browser.errors


def edited(rows: Sequence[str]) -> tuple[str, ...]:
    """The workshop with a wall in the second row and its exit elsewhere."""
    drawn = [list(row) for row in rows]
    drawn[2][3:7] = "####"
    drawn[8][8], drawn[5][1] = ".", "X"
    return tuple("".join(row) for row in drawn)


@pytest.mark.slow_cases(beyond=1)
@pytest.mark.parametrize("width", WIDTHS)
def test_a_drawn_map_has_the_break_points_of_the_desktop(browser, page: Path, width: int) -> None:
    lesson = next(each for each in LIVE if each.name == "care")
    rows = edited(SCENARIOS["workshop"]().grid.rows)
    scenario = SCENARIOS["workshop"](SCENARIOS["workshop"].parse_map("\n".join(rows)))
    desktop = write_live_world(make_problem(scenario))["segments"]
    open_editor(browser, page, lesson, width)
    for glyph, cells in (("#", [(2, column) for column in range(3, 7)]), ("X", [(5, 1)])):
        browser.do(f"document.querySelector('#{lesson.name} .tools input[value=\"{glyph}\"]').click()")
        for row, column in cells:
            share = f"[{(column + 0.5) / len(rows[0])}, {(row + 0.5) / len(rows)}]"
            where = browser.do(POINT.replace("NAME", lesson.name).replace("SHARE", share))
            browser.click(*where)
    drawn = browser.do(f'document.querySelector("#{lesson.name} .map-text").value').split("\n")
    assert [row.replace(" ", ".") for row in drawn] == [row.replace(" ", ".") for row in rows]
    shown = [reading(browser, lesson)]
    for _ in desktop[1:]:
        click(browser, lesson, ".next-point")
        shown.append(reading(browser, lesson))
    assert [each["care"] for each in shown][1:] == [segment["from"] for segment in desktop][1:]
    for each, segment in zip(shown, desktop, strict=True):
        assert f"own {segment['own']:g}".replace("-", "\u2212") in each["spoken"]
    says = browser.do(f'document.querySelector("#{lesson.name} .editor-says").textContent')
    assert says.startswith("Break points: ")
    saved = browser.do(f'decodeURIComponent(document.querySelector("#{lesson.name} .download").href.split(",")[1])')
    assert saved.split("\n")[:-1] == drawn
    assert not browser.errors


@pytest.mark.slow
def test_a_map_that_cannot_be_solved_changes_nothing(browser, page: Path) -> None:
    lesson = next(each for each in LIVE if each.name == "care")
    open_editor(browser, page, lesson, 1280)
    before = reading(browser, lesson)
    for text in ("", "#####", "#E#\n####", "##########\n#E.K..K.T#\n##########", "#EKTWFKXX#", "Ünsinn \u2603"):
        browser.do(
            f'(() => {{ const s = document.getElementById("{lesson.name}"); s.querySelector(".map-text").value = '
            f'{json.dumps(text)}; s.querySelector(".use-text").click(); }})()'
        )
        says = browser.do(f'document.querySelector("#{lesson.name} .editor-says").textContent')
        assert says.startswith("Not possible: "), (text, says)
        assert reading(browser, lesson) == before
    assert not browser.errors


@pytest.mark.slow
def test_a_map_file_can_be_dropped_and_a_foreign_one_changes_nothing(browser, page: Path) -> None:
    lesson = next(each for each in LIVE if each.name == "care")
    open_editor(browser, page, lesson, 390)
    rows = lesson.live()[0].problem.scenario.grid.rows
    said = {}
    for name, text in (("mine", "\r\n".join(edited(rows))), ("picture", "\u0089PNG"), ("novel", "x" * 20_000)):
        browser.do(
            f"""(() => {{ const files = new DataTransfer();
            files.items.add(new File([{json.dumps(text)}], "{name}.txt"));
            document.querySelector("#{lesson.name} .editor-says").textContent = "";
            document.querySelector("#{lesson.name} .editor-panel").dispatchEvent(
                new DragEvent("drop", {{ dataTransfer: files, bubbles: true, cancelable: true }})); }})()"""
        )
        browser.wait(f'document.querySelector("#{lesson.name} .editor-says").textContent !== ""')
        said[name] = browser.do(f'document.querySelector("#{lesson.name} .editor-says").textContent')
    assert said["mine"].startswith("Break points: ")
    assert "means nothing here" in said["picture"]
    assert "novel.txt is too large" in said["novel"]
    assert not browser.errors


@pytest.mark.slow
def test_values_policy_and_why(browser, page: Path) -> None:
    lesson = next(each for each in LIVE if each.name == "care")
    browser.open(page, 1280)
    browser.do(OPEN)
    for overlay, selector in (("heat", ".heat-number"), ("policy", ".arrow")):
        browser.do(
            f'(() => {{ const s = document.querySelector("#{lesson.name} select.show"); s.value = "{overlay}";'
            's.dispatchEvent(new Event("change")); const t = document.querySelector("'
            f'#{lesson.name} .timeline"); t.value = 0; t.dispatchEvent(new Event("input")); }})()'
        )
        assert browser.do(f'document.querySelectorAll("#{lesson.name} {selector}").length') == 64
    browser.do(f'document.querySelector("#{lesson.name} .board").focus()')
    browser.press("Enter")
    said = browser.do(f'document.querySelector("#{lesson.name} .why").textContent')
    assert "the agent chooses" in said
    numbers = browser.do(
        f'[...document.querySelector("#{lesson.name} .why .best").children].map((each) => each.textContent)'
    )
    segment = write_live_world(lesson.live()[0].problem)["segments"][0]
    assert numbers[0] == segment["steps"][1]["action"]
    assert numbers[1].replace("\u2212", "-") == f"{segment['own']:g}"


@pytest.mark.slow_cases(beyond=1)
@pytest.mark.parametrize("width", WIDTHS)
def test_an_accessibility_checker_finds_nothing_serious(browser, page: Path, width: int) -> None:
    browser.open(page, width)
    browser.do(OPEN + 'for (const each of document.querySelectorAll("details")) each.open = true;')
    browser.do(AXE.read_text(encoding="utf-8") + ";0")
    found = browser.do(
        "axe.run(document).then((result) => result.violations.map((each) => "
        "[each.id, each.impact, each.nodes.slice(0, 3).map((node) => node.html.slice(0, 160) + node.failureSummary)]))"
    )
    assert not [each for each in found if each[1] in ("serious", "critical")], json.dumps(found, indent=1)
    assert not found, json.dumps(found, indent=1)


def test_a_worksheet_is_printed_without_the_answers(browser, page: Path) -> None:
    browser.open(page, 1280)
    browser.emulate("print")
    for lesson in list_lessons():
        shown = browser.do(f'document.getElementById("{lesson.name}").innerText')
        assert lesson.question in shown
        assert lesson.answer not in shown
        assert not [choice for choice in lesson.choices if choice.feedback in shown]
        assert all(exercise.split("`")[0].strip() in shown for exercise in lesson.exercises)


def test_pictures_keep_their_size_on_a_phone(browser, page: Path) -> None:
    """Their letters could not be read otherwise; they scroll, and the page does not."""
    browser.open(page, 390)
    browser.do("document.querySelectorAll('.after-prediction').forEach((each) => { each.hidden = false; })")
    browser.do("document.querySelectorAll('details.explain').forEach((each) => { each.open = true; })")
    browser.wait("[...document.querySelectorAll('img.picture')].every((each) => each.complete)")
    assert browser.do("[...document.querySelectorAll('img.picture')].every((each) => each.width >= each.naturalWidth)")
    assert browser.do("document.documentElement.scrollWidth") == 390


@pytest.mark.slow
def test_teachers_notes_are_printed_with_the_answers(browser, page: Path) -> None:
    browser.open(page, 1280)
    browser.emulate("print")
    browser.do("window.print = () => { window.printed = document.body.innerText; }")
    for lesson in list_lessons():
        browser.do(f"document.querySelector('#{lesson.name} [data-prints=teachers-notes]').click()")
        printed = browser.do("window.printed")
        assert all(phase.activity in printed for phase in lesson.plan)
        assert lesson.answer in printed
        assert browser.do("document.body.className") == ""
    assert not browser.errors


def test_maps_are_printed_as_the_agent_finds_them(browser, page: Path) -> None:
    """The box of the tenth lesson stands where it stood, and the legend names it."""
    browser.open(page, 1280)
    step, legend = ("document.querySelector('#box_in_the_way .timeline').value",
                    "document.querySelector('#box_in_the_way .live .legend').textContent")  # fmt: skip
    last = browser.do(step)
    assert last != "0"
    browser.do("dispatchEvent(new Event('beforeprint'))")
    assert browser.do(step) == "0"
    assert "box" in browser.do(legend)
    browser.do('document.querySelector(".work .letters").click()')
    assert "X box" in browser.do(legend)
    browser.do("dispatchEvent(new Event('afterprint'))")
    assert browser.do(step) == last


@pytest.mark.slow_cases(beyond=1)
@pytest.mark.parametrize("width", WIDTHS)
def test_each_region_shows_its_own_way(browser, page: Path, width: int) -> None:
    lesson = next(each for each in LIVE if each.name == "whose_wishes")
    live = lesson.live()[0]
    regions = write_live_world(live.problem, None, live.axes)["regions"]["regions"]
    browser.open(page, width)
    browser.do(OPEN)
    place = f'document.querySelector("#{lesson.name} .regions")'
    shown = []
    for number in range(len(regions)):
        browser.do(f'{place}.querySelectorAll(".region")[{number}].focus()')
        browser.press("Enter")
        shown.append(
            browser.do(
                f'[{place}.querySelector(".summary").textContent, {place}.querySelector(".board .path").outerHTML'
                f' + [...{place}.querySelectorAll(".badge, .mark")].map((each) => each.outerHTML)]'
            )
        )
    for (says, _), region in zip(shown, regions, strict=True):
        assert f"own {region['own']:g}".replace("-", "\u2212") in says
    assert len({drawn for _, drawn in shown}) == len(regions)
    assert not browser.errors
