"""The report: every run, its claims, the paper's numbers with the difference, and nothing outside the page."""

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from caregrid.main import main
from experiments.report.pages import write_report
from experiments.report.sections import Section
from tests.printed_json import printed_content

VOID = {"meta", "img", "link", "br"}


class _Page(HTMLParser):
    """Checks that tags nest, and collects text and what is referred to."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.text: list[str] = []
        self.references: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in VOID:
            self.open.append(tag)
        self.references += [value or "" for name, value in attrs if name in ("src", "href")]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)


@pytest.fixture
def results(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    for name in ("counting", "false_claim", "large"):
        quick = ["--set", "n=0"] if name == "large" else ["--quick"]
        place = tmp_path / "results" / "papers" / name
        main(
            ["run", f"tests.experiments.workloads:{name}", *quick, "--out", str(place), "--engine", "serial", "--quiet"]
        )
    stranger = tmp_path / "results" / "stranger"
    stranger.mkdir()
    manifest = {"caregrid_run": 2, "experiment": "papers/of_tomorrow", "version": 1, "seed": 0, "reproduces": "<Later>"}
    (stranger / "manifest.json").write_text(json.dumps(manifest))
    (tmp_path / "results" / "sweep").mkdir()
    (tmp_path / "results" / "sweep" / "manifest.json").write_text('{"command": []}')
    capsys.readouterr()
    return tmp_path / "results"


def test_the_page_tells_everything_and_refers_to_nothing_outside(results: Path) -> None:
    assert main(["report", str(results)]) == 0
    page = _Page()
    page.feed((results / "report.html").read_text())
    assert not page.open
    inside = [ref for ref in page.references if not ref.startswith(("#", "data:image/png;base64,"))]
    assert not inside
    assert sum(ref.startswith("data:") for ref in page.references) == 1
    text = " ".join(page.text)
    for expected in (
        "A counting paper, Figure 1",
        "own never rises with care",
        "own at care 0",
        "number is above one",
        "unknown experiment 'papers/of_tomorrow'",
        "<Later>",
        "quick, 2 units",
        "partial, 1 unit",
        "4 runs: 1 whole, 1 quick, 1 partial, 1 unreadable.",
    ):
        assert expected in text
    assert re.search(r"own at care 0\s*-10\.5\s*-10\s*0\.5", text)


def test_the_markdown_says_the_same_and_keeps_its_figures_beside_it(results: Path, tmp_path: Path) -> None:
    assert main(["report", str(results), "--out", str(tmp_path / "page")]) == 0
    text = (tmp_path / "page" / "report.md").read_text()
    assert "| own at care 0 | -10.5 | -10 | 0.5 |" in text
    assert "- **holds**: own never rises with care" in text
    assert "- **fails**: number is above one" in text
    assert "&lt;Later>" in text
    [figure] = re.findall(r"!\[.*?\]\((.*?)\)", text)
    assert (tmp_path / "page" / figure).read_bytes().startswith(b"\x89PNG")
    assert not (results / "report.md").exists()


def test_control_characters_of_a_run_reach_no_page(tmp_path: Path) -> None:
    sections = [Section("a run", "\x1b[2J\u202e", tmp_path)]
    page, text = write_report(sections, tmp_path)
    for written in (page.read_text(encoding="utf-8"), text.read_text(encoding="utf-8")):
        assert not {"\x1b", "\u202e"} & set(written)
        assert r"\x1b[2J\u202e" in written


def test_the_same_results_give_the_same_report(results: Path, tmp_path: Path) -> None:
    for name in ("one", "two"):
        main(["report", str(results), "--out", str(tmp_path / name)])
    assert (tmp_path / "one" / "report.html").read_bytes() == (tmp_path / "two" / "report.html").read_bytes()


def test_programs_can_read_what_was_told(results: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", str(results), "--json"]) == 0
    result = printed_content(capsys.readouterr().out)
    assert [Path(file).name for file in result["files"]] == ["report.html", "report.md"]
    assert result["claims"]["tests.experiments.workloads:false_claim"] == [
        {"says": "number is above one", "verdict": "fails"}
    ]


def test_a_whole_disk_is_not_searched(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("experiments.runs.run_directory.MOST_FOLDERS", 2)
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
    assert main(["report", str(tmp_path)]) == 2
    assert "more than 2 folders lie below it" in capsys.readouterr().err


def test_two_runs_of_one_experiment_are_told_apart(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("one/run", "two/run", "one-run"):
        command = "run tests.experiments.workloads:counting --quick --engine serial --quiet --out"
        assert main([*command.split(), str(tmp_path / "results" / name)]) == 0
    capsys.readouterr()
    assert main(["report", str(tmp_path / "results")]) == 0
    assert "tests.experiments.workloads:counting in two/run: 1 hold (quick)" in capsys.readouterr().out
    page = (tmp_path / "results" / "report.html").read_text()
    places = re.findall(r'<section id="(.*?)"', page)
    assert len(set(places)) == len(places) == 4
    assert set(re.findall(r'href="#(.*?)"', page)) == set(places) - {"summary"}
    text = (tmp_path / "results" / "report.md").read_text()
    pictures = re.findall(r"!\[.*?\]\((.*?)\)", text)
    assert len(set(pictures)) == 3
    assert all((tmp_path / "results" / picture).exists() for picture in pictures)


def test_a_quick_subset_never_passes_for_the_whole(results: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", str(results)]) == 0
    printed = capsys.readouterr().out
    for text in (printed, (results / "report.html").read_text(), (results / "report.md").read_text()):
        for line in re.split(r"[\n|<>]", text):
            if re.search(r"\d hold\b", line):
                assert "(quick)" in line or "(partial)" in line, line


def test_tables_have_scopes_and_the_page_sorts_them(results: Path) -> None:
    main(["report", str(results)])
    page = (results / "report.html").read_text()
    assert all('scope="' in cell for cell in re.findall(r"<th\b[^>]*>", page))
    assert page.count("<thead") == page.count('class="sortable')
    assert "aria-sort" in page
    assert not re.search(r"<script[^>]*src", page)


def test_what_is_no_number_is_not_compared() -> None:
    from experiments.experiment import Published, Rows
    from experiments.results import compare_number

    rows: Rows = [{"y": 2.0}]
    assert compare_number(Published("y", 1.0, lambda rows: float(str(rows[0]["y"]))), rows).difference == 1.0
    assert compare_number(Published("y", 1.0, lambda rows: float("nan")), rows).ours is None
    assert compare_number(Published("y", 1.0, lambda rows: 2.0), []).ours is None


def test_a_summary_says_what_is_reproduced_and_what_is_not() -> None:
    from experiments.report.sections import Section
    from experiments.report.summary import measure_closeness, tabulate_runs, write_summary_sentences
    from experiments.results import ClaimResult, Comparison

    here = Path("results")
    claims = (ClaimResult("a is b", "holds"), ClaimResult("c is d", "fails"), ClaimResult("e is f", "not enough rows"))
    seconds = (Comparison("s", 9.0, 1.0),)
    numbers = (Comparison("g", 0.5, 0.501), Comparison("h", 0.0, 0.25), Comparison("i", 1.0, None))
    sections = [
        Section("p/one", "One", here / "1", "whole", 3, claims, numbers, label="p/one"),
        Section("p/two", "Two", here / "2", "quick", 1, claims[:1], numbers[:1], label="p/two"),
        Section("p/cost", "Cost", here / "3", "whole", 1, (), seconds, label="p/cost", repeatable=False),
    ]
    sections[1] = sections[1]._replace(sessions=({"failed": ["x"]}, {"failed": [{"seed": 1}]}))
    assert write_summary_sentences(sections, ["p/one", "p/three"]) == [
        "3 runs: 2 whole, 1 quick.",
        "Of 4 claims, 1 hold on whole grids, 1 hold on quick subsets (quick), 1 fail, 1 cannot be judged yet.",
        "Printed numbers that come out within 1 %: 1 of 2 on whole grids, 1 of 1 on quick subsets (quick); "
        "the farthest is h (p/one): 0.25 here, 0 printed.",
        "Not reproduced: c is d (p/one).",
        "Units that failed: 1 (p/two).",
        "Not run: p/three.",
    ]
    assert [row["grid"] for row in tabulate_runs(sections)] == [
        "whole, 3 units",
        "quick, 1 unit, 1 failed",
        "whole, 1 unit",
    ]
    shown = [row["claims"] for row in tabulate_runs(sections)]
    assert shown == [
        "1 hold, 1 fail, 1 undecided",
        "1 hold (quick)",
        "none stated",
    ]
    assert measure_closeness(sections[0]) == "2 of 3, farthest 0.25 off"
    assert measure_closeness(sections[1]) == "1 of 1, farthest 0.2 % off (quick)"
    assert measure_closeness(sections[1]._replace(comparisons=())) == "-"
    assert measure_closeness(sections[2]) == "1 of 1, measured here"
