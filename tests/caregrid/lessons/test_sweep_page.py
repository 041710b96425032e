"""Answers along a number line, and games against one's own copy, in a headless browser: phone and laptop."""

import itertools
import json
import re
from pathlib import Path

import pytest

from caregrid.lessons import LESSONS
from caregrid.programmes.extended.lesson_answers import CopyGame
from caregrid.programmes.game import GameSession
from caregrid.programmes.play import find_game
from engine.randomness.counter_based import randrange, split
from tests.caregrid.lessons.test_live_page import AXE, OPEN, WIDTHS

SWEEPS = ("self_reflection", "teleport", "input_terminal", "as_if")
GAME = "self_reflection"
READ = """(() => { const s = document.getElementById("NAME"); return {
  segment: Number(s.dataset.segment), value: Number(s.dataset.value), strips: s.querySelector(".strips").textContent,
  way: s.querySelector(".path.now")?.getAttribute("points") ?? "", new: s.querySelectorAll(".tick.new").length,
  spoken: s.querySelector("input.quantity").getAttribute("aria-valuetext"),
  changed: s.querySelector(".changed h3").textContent, said: s.querySelector(".summary").textContent,
  dots: [...s.querySelectorAll(".number-place .dot")].map((each) => each.getAttribute("cx")).join() }; })()"""


def worlds_of(page: Path, name: str) -> list[dict]:
    """What the page holds of a lesson."""
    found = re.search(r'id="lessons">(.*?)</script>', page.read_text(encoding="utf-8"), re.DOTALL)
    assert found is not None
    return next(lesson["worlds"] for lesson in json.loads(found[1]) if lesson["name"] == name)


def choose(browser, name: str, number: int) -> None:
    browser.do(
        f'(() => {{ const s = document.querySelector("#{name} select.world"); s.value = {number};'
        's.dispatchEvent(new Event("change")); })()'
    )


def reading(browser, name: str) -> dict:
    return browser.do(READ.replace("NAME", name))


@pytest.mark.slow_cases(beyond=1)
@pytest.mark.parametrize("name", SWEEPS)
def test_every_break_point_of_every_sweep_is_passed(browser, page: Path, name: str) -> None:
    browser.open(page, WIDTHS[0])
    browser.do(OPEN)
    for number, each in enumerate(worlds_of(page, name)):
        world = each["world"]
        if "segments" not in world:
            continue
        choose(browser, name, number)
        shown = [reading(browser, name)]
        for _ in world["segments"][1:]:
            browser.do(f'document.querySelector("#{name} .next-point").click()')
            shown.append(reading(browser, name))
        assert [one["segment"] for one in shown] == list(range(len(world["segments"])))
        assert [one["value"] for one in shown] == [segment["from"] for segment in world["segments"]]
        for before, after in itertools.pairwise(shown):
            assert after["spoken"] != before["spoken"]
            assert after["dots"] != before["dots"]
            assert "What changed at" in after["changed"]
            assert bool(after["new"]) == (after["strips"] != before["strips"])
        assert all(one["spoken"].startswith(world["quantity"]) for one in shown)
        for width in reversed(WIDTHS):
            browser.resize(width)
            assert browser.do("document.documentElement.scrollWidth") <= width
            assert browser.do(f'document.querySelector("#{name} input.quantity").clientWidth') > 90
    assert not browser.errors
    assert {url.split(":")[0] for url in browser.requests} <= {"file", "data"}


@pytest.mark.slow
def test_the_way_of_the_agent_that_tampers_changes_and_the_others_do_not(browser, page: Path) -> None:
    browser.open(page, 1280)
    browser.do(OPEN)
    ways = {}
    for agent in ("ITF", "ITC", "CITC"):
        browser.do(
            f'(() => {{ const s = document.querySelector("#input_terminal select.way"); s.value = "{agent}";'
            's.dispatchEvent(new Event("change")); })()'
        )
        browser.do('document.querySelector("#input_terminal input.quantity").focus()')
        browser.press("PageDown")
        first = reading(browser, "input_terminal")
        browser.press("PageUp")
        ways[agent] = [first["way"], reading(browser, "input_terminal")["way"]]
    assert ways["ITF"][0] != ways["ITF"][1]
    assert ways["ITC"][0] == ways["ITC"][1] == ways["CITC"][0] == ways["CITC"][1]
    assert reading(browser, "input_terminal")["value"] == pytest.approx(76 / 15)


@pytest.mark.slow_cases(beyond=1)
@pytest.mark.parametrize("width", WIDTHS)
def test_a_game_against_the_copy_is_the_game_of_the_desktop(browser, page: Path, width: int) -> None:
    browser.open(page, width)
    browser.do(OPEN)
    for number, live in enumerate(LESSONS[GAME].live()):
        if not isinstance(live, CopyGame):
            continue
        choose(browser, GAME, number)
        session = GameSession(find_game(live.environment, {"turns": live.turns}, live.key))
        for turn in range(live.turns):
            action = randrange(2, split(width, live.environment), turn)
            session.take(str(action))
            if turn == 7:  # a turn that is taken back leaves nothing behind
                browser.do(f'document.querySelectorAll("#{GAME} .move")[{1 - action}].click()')
                browser.do(f'document.querySelector("#{GAME} .undo").click()')
            browser.do(f'document.querySelectorAll("#{GAME} .move")[{action}].click()')
            said = browser.do(f'document.querySelector("#{GAME} .game-says").textContent').replace("\u2212", "-")
            reward, copied = re.search(r"reward ([+-]?\d+); your copy would have done (\w+)", session.message).groups()
            called = live.labels.actions[int(copied)] if copied.isdigit() else copied
            assert f"your copy would have done: {called}. Reward {reward}." in said
        rows = browser.do(
            f'[...document.querySelectorAll("#{GAME} .ending tr")].map((each) => [...each.children].map((cell) => '
            "cell.textContent))"
        )
        shown = {name: float(mean.replace("\u2212", "-")) for name, mean in rows}
        desktop = dict(session.result())
        assert shown["you"] == pytest.approx(float(desktop["your reward per turn"]))
        for agent, title in live.agents.items():
            assert shown[title] == pytest.approx(float(desktop[agent]))
        assert browser.do(f'document.querySelector("#{GAME} .move").disabled')
    assert not browser.errors


@pytest.mark.slow
def test_a_link_brings_back_a_game_against_the_copy(browser, page: Path) -> None:
    """Every turn, the total and the copy's next action, in each game; and what the copy does then is as it was."""
    games = [number for number, live in enumerate(LESSONS[GAME].live()) if isinstance(live, CopyGame)]
    seen = (
        f'(() => {{ const s = document.querySelector("#{GAME} .copy-game"); return [s.dataset.turns, s.dataset.total,'
        '...[...s.querySelectorAll(".copy-says, .strips, .totals")].map((each) => each.textContent)]; })()'
    )
    for number in games:
        browser.open(page, 1280)
        browser.do(OPEN)
        choose(browser, GAME, number)
        for turn in range(7):
            browser.do(f'document.querySelectorAll("#{GAME} .move")[{randrange(2, number, turn)}].click()')
        played = browser.do(seen)
        browser.follow_link(page, GAME)
        assert browser.do(seen) == played
        assert played[0] == "7"
        browser.do(f'document.querySelector("#{GAME} .move").click()')
        assert browser.do(seen)[0] == "8"
    assert not browser.errors


@pytest.mark.slow_cases(beyond=1)
@pytest.mark.parametrize(
    ("target", "turns"),
    [
        ("moves=0.1.9.0", "3"),
        ("moves=x", "0"),
        ("moves=", "0"),
        ("world=99&moves=0", "0"),
        (f"moves={'0.' * 99}0", "20"),
    ],
)  # fmt: skip
def test_a_link_to_a_game_that_cannot_be_is_followed_as_far_as_it_goes(
    browser, page: Path, target: str, turns: str
) -> None:
    browser.open(page, 1280)
    browser.do(f'location.hash = "#{GAME}?{target}"')
    browser.do("new Promise((done) => setTimeout(done, 100))")
    assert browser.do(f'document.querySelector("#{GAME} .copy-game").dataset.turns') == turns
    assert not browser.errors


@pytest.mark.slow
def test_a_game_is_played_with_keys(browser, page: Path) -> None:
    browser.open(page, 1280)
    browser.do(OPEN)
    choose(browser, GAME, 0)
    browser.do(f'document.querySelector("#{GAME} .move").focus()')
    turns = f'document.querySelector("#{GAME} .copy-game").dataset.turns'
    for key, expected in (("1", "1"), ("2", "2"), ("9", "2"), ("u", "1")):
        browser.press(key)
        assert browser.do(turns) == expected


@pytest.mark.slow
@pytest.mark.parametrize("width", WIDTHS)
def test_an_accessibility_checker_finds_nothing_in_them(browser, page: Path, width: int) -> None:
    browser.open(page, width)
    browser.do(OPEN)
    browser.do(AXE.read_text(encoding="utf-8") + ";0")
    for name in ("self_reflection", "input_terminal"):  # a game, a sweep, and one with ways on a map
        worlds = worlds_of(page, name)
        for number in {0, len(worlds) - 1}:
            choose(browser, name, number)
            if "segments" in worlds[number]["world"]:
                browser.do(f'document.querySelector("#{name} .next-point").click()')
            else:
                browser.do(f'document.querySelector("#{name} .move").click()')
            found = browser.do(
                f'axe.run(document.querySelector("#{name} .live")).then((result) => result.violations.map((each) => '
                "[each.id, each.impact, each.nodes.slice(0, 3).map((node) => node.html.slice(0, 160))]))"
            )
            assert not found, json.dumps(found, indent=1)


def test_what_is_done_begins_with_a_capital(browser, page: Path) -> None:
    browser.open(page, 1280)
    style = "getComputedStyle(each, '::first-letter').textTransform"
    shown = browser.do(f"[...document.querySelectorAll('.sweep .does')].map((each) => {style})")
    assert shown
    assert set(shown) == {"uppercase"}
