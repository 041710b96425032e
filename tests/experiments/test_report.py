"""The report: every run, its claims, the paper's numbers with the difference, and nothing outside the page."""

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from caregrid.main import main

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
    manifest = {"caregrid_run": 1, "experiment": "papers/of_tomorrow", "version": 1, "seed": 0, "reproduces": "<Later>"}
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
        "partial, 1 units",
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


def test_the_same_results_give_the_same_report(results: Path, tmp_path: Path) -> None:
    for name in ("one", "two"):
        main(["report", str(results), "--out", str(tmp_path / name)])
    assert (tmp_path / "one" / "report.html").read_bytes() == (tmp_path / "two" / "report.html").read_bytes()


def test_programs_can_read_what_was_told(results: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", str(results), "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert [Path(file).name for file in result["files"]] == ["report.html", "report.md"]
    assert result["claims"]["tests.experiments.workloads:false_claim"] == [
        {"says": "number is above one", "verdict": "fails"}
    ]


def test_without_runs_there_is_nothing_to_report(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", str(tmp_path / "nowhere")]) == 2
    assert "run an experiment first" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
