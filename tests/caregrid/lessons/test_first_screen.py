"""The first screen moves, fits and is seen in the dark; what one sees can be handed on as an address."""

import json
from pathlib import Path

import pytest

from caregrid.lessons import LESSONS
from caregrid.lessons.live_world import write_live_world
from tests.caregrid.lessons.test_live_page import AXE, LIVE, OPEN, click, open_editor, reading

SCREENS = [(390, 844), (768, 1024), (1366, 650), (1920, 1000)]
MOMENT = 'Number(document.querySelector(".opening-board").dataset.moment)'
SAID = 'document.querySelector(".opening .said").textContent'
BOTTOM = 'Math.max(...[...document.querySelectorAll("SELECTOR")].map((each) => each.getBoundingClientRect().bottom))'


def find_bottom(browser, selector: str) -> float:
    """How far down the window the last of some elements reaches, in pixels."""
    return browser.do(BOTTOM.replace("SELECTOR", selector))


@pytest.mark.slow
def test_the_agent_walks_and_who_comes_next_follows_before_anything_is_asked(browser, page: Path) -> None:
    browser.open(page, 1366, 650)
    browser.wait(f"{MOMENT} > 3")
    browser.wait(f'{SAID} === "The agent: pick up the key."')
    browser.wait(f'{SAID} === "The agent has left. It earned −24."')
    browser.wait(f'{SAID} === "Then the newcomer came and could never finish. It earned −1000."')
    assert browser.do('document.querySelectorAll(".opening-board .agent.next").length') == 1
    browser.wait(f"{MOMENT} < 3")
    assert not browser.errors


def test_at_another_care_both_walk_differently_at_once(browser, page: Path) -> None:
    """Each break point leads to another way of the agent, and the sentence says what the exact solution says."""
    browser.open(page, 1366, 650)
    segments = write_live_world(LESSONS["care"].live()[0].problem)["segments"]
    browser.do('document.querySelector(".play-opening").click()')
    for number, segment in enumerate(segments[1:], 1):
        browser.do('document.querySelector(".opening .next-point").click()')
        assert int(browser.do('document.querySelector(".opening-board").dataset.segment')) == number
        assert (
            browser.do(SAID) == f"Then the newcomer came and finished. It earned −{-segment['others']['newcomer']:g}."
        )


@pytest.mark.slow
def test_it_stands_still_where_it_shall(browser, page: Path) -> None:
    browser.open(page, 1366, 650)
    browser.do('document.querySelector(".play-opening").click()')
    at = browser.do(MOMENT)
    browser.do("new Promise((done) => setTimeout(done, 500))")
    assert browser.do(MOMENT) == at
    browser.emulate(features={"prefers-reduced-motion": "reduce"})
    browser.do("delete document.documentElement.dataset.ready; location.reload()")
    browser.wait("document.documentElement?.dataset.ready !== undefined")
    last = browser.do(MOMENT)
    browser.do("new Promise((done) => setTimeout(done, 500))")
    assert browser.do(MOMENT) == last == int(browser.do('document.querySelector(".opening-board").dataset.moments')) - 1


@pytest.mark.slow_cases(beyond=1)
@pytest.mark.parametrize(("width", "height"), SCREENS)
def test_board_slider_and_sentence_are_on_the_first_screen(browser, page: Path, width: int, height: int) -> None:
    browser.open(page, width, height)
    assert find_bottom(browser, ".opening-board svg, .opening .number-line, .opening .said") <= height
    assert browser.do("document.documentElement.scrollWidth") <= width


@pytest.mark.slow_cases(beyond=1)
@pytest.mark.parametrize("lesson", LIVE, ids=lambda lesson: lesson.name)
def test_board_slider_and_tools_of_a_lesson_are_on_one_screen(browser, page: Path, lesson) -> None:
    browser.open(page, 1366, 650)
    browser.do(OPEN)
    browser.do(f'document.querySelector("#{lesson.name} .columns").scrollIntoView()')
    parts = (".left .board", ".timeline", ".number-line", ".permalink")
    assert find_bottom(browser, ", ".join(f"#{lesson.name} .live > .columns {part}" for part in parts)) <= 650


@pytest.mark.slow_cases(beyond=1)
@pytest.mark.parametrize("name", ["care", "own_kind", "your_own_map"])
def test_map_and_drawing_tools_are_on_one_screen(browser, page: Path, name: str) -> None:
    """Where the editor has been opened, and nothing is scrolled: map, tools, break points and what the page says."""
    browser.open(page, 1366, 650)
    browser.do(OPEN)
    click(browser, LESSONS[name], ".editor summary")
    browser.wait(f'document.querySelector("#{name} .tools input") !== null')
    parts = (".left .board", ".tools", ".editor-says", ".number-line")
    shown = ", ".join(f"#{name} .live > .columns {part}" for part in parts)
    assert find_bottom(browser, shown) <= 650
    tops = f"[...document.querySelectorAll({json.dumps(shown)})].map((each) => each.getBoundingClientRect().top)"
    assert len(browser.do(tops)) == len(parts)
    assert min(browser.do(tops)) >= -1


@pytest.mark.slow
@pytest.mark.parametrize("width", [390, 1280])
def test_a_dark_page_is_as_readable(browser, page: Path, width: int) -> None:
    browser.open(page, width)
    browser.emulate(features={"prefers-color-scheme": "dark"})
    browser.do(OPEN + 'for (const each of document.querySelectorAll("details")) each.open = true;')
    assert browser.do("getComputedStyle(document.body).backgroundColor") == "rgb(22, 24, 29)"
    browser.do(AXE.read_text(encoding="utf-8") + ";0")
    found = browser.do(
        "axe.run(document).then((result) => result.violations.map((each) => "
        "[each.id, each.nodes.slice(0, 3).map((node) => node.html.slice(0, 160) + node.failureSummary)]))"
    )
    assert not found, json.dumps(found, indent=1)


@pytest.mark.slow
def test_an_address_brings_back_care_world_and_map(browser, page: Path) -> None:
    lesson = LESSONS["care"]
    open_editor(browser, page, lesson, 1280)
    rows = browser.do('document.querySelector("#care .map-text").value').split("\n")
    rows[3] = rows[3][:4] + "##" + rows[3][6:]
    browser.do(f'document.querySelector("#care .map-text").value = {json.dumps(chr(10).join(rows))}')
    click(browser, lesson, ".use-text")
    for _ in range(2):
        click(browser, lesson, ".next-point")
    seen = reading(browser, lesson)
    says = browser.do('document.querySelector("#care .editor-says").textContent')
    assert says.startswith("Break points: ")
    target = browser.do('document.querySelector("#care .permalink").getAttribute("href")')
    browser.open(page, 1280)
    browser.do(f"location.hash = {json.dumps(target)}")
    browser.wait(f'Number(document.getElementById("care").dataset.care) === {seen["care"]!r}')
    again = reading(browser, lesson)
    assert {name: again[name] for name in ("care", "segment", "path", "summary")} == {
        name: seen[name] for name in ("care", "segment", "path", "summary")
    }
    assert browser.do('document.querySelector("#care .map-text").value') == "\n".join(rows)


@pytest.mark.slow_cases(beyond=1)
@pytest.mark.parametrize(
    "target", ["#care?care=x&world=9&map=%23%23", "#none?care=1", "#care?care=-1", "#care?map=<b>"]
)
def test_a_broken_address_changes_nothing_or_says_why(browser, page: Path, target: str) -> None:
    browser.open(page, 1280)
    before = reading(browser, LESSONS["care"])
    browser.do(f"location.hash = {json.dumps(target)}")
    browser.do("new Promise((done) => setTimeout(done, 100))")
    assert reading(browser, LESSONS["care"])["path"] == before["path"]
    if "map" in target:
        says = browser.do('document.querySelector("#care .editor-says").textContent')
        assert says.startswith("Not possible: ")
        assert says.endswith("The map stays as it is.")
    assert not browser.errors
