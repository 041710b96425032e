"""What a shell is offered after the first letters of a word."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ASKED = {"_ARGCOMPLETE": "1", "_ARGCOMPLETE_IFS": "\n", "_ARGCOMPLETE_SUPPRESS_SPACE": "1"}
installed = pytest.mark.skipif(
    importlib.util.find_spec("argcomplete") is None, reason="argcomplete is not installed (extra completion)"
)


def _offered(line: str, answer: Path) -> list[str]:
    asked = ASKED | {"COMP_LINE": line, "COMP_POINT": str(len(line)), "_ARGCOMPLETE_STDOUT_FILENAME": str(answer)}
    command = [sys.executable, "-c", "from caregrid.main import main; raise SystemExit(main([]))"]
    subprocess.run(command, cwd=ROOT, env={**os.environ, **asked}, capture_output=True, check=True)
    return sorted(answer.read_text().split("\n"))


@pytest.mark.slow_cases(beyond=5)
@installed
@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("caregrid brea", ["breakpoints"]),
        ("caregrid solve workshop --form", ["--formulation"]),
        ("caregrid draw x --format s", ["svg"]),
        ("caregrid nothing-of-the-kind", [""]),
        ("caregrid solve gard", ["garden"]),
        ("caregrid solve garden --formulation worst", ["worst_case"]),
        ("caregrid run be_considerate/figure_1", ["be_considerate/figure_1b"]),
        ("caregrid battery --agents simple,q_", ["simple,q_learning"]),
        ("caregrid battery --environments tempting_button_v", ["tempting_button_variation"]),
        ("caregrid demo whom", ["whom"]),
        ("caregrid show itc", ["itc"]),
        ("caregrid list terminal_w", ["terminal_worlds"]),
        ("caregrid validate film_f", ["film_formats"]),
        ("caregrid validate scenarios gard", ["garden"]),
        ("caregrid validate engines gard", [""]),
    ],
)
def test_what_is_offered(line: str, expected: list[str], tmp_path: Path) -> None:
    assert _offered(line, tmp_path / "answer") == expected


def test_names_are_offered_without_importing_what_they_name() -> None:
    code = (
        "import sys; from caregrid.main import every_parser;"
        "[group] = every_parser()._subparsers._group_actions;"
        "[scenario] = [each for each in group.choices['solve']._actions if each.dest == 'scenario'];"
        "assert 'workshop' in scenario.completer('work'); print(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert not {"numpy", "craftworld", "numba"} & set(done.stdout.split())


def test_without_the_package_one_line_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    from caregrid.main import complete, every_parser
    from engine.errors import MissingExtra

    monkeypatch.setitem(sys.modules, "argcomplete", None)
    with pytest.raises(MissingExtra, match=r"caregrid\[completion\]"):
        complete(every_parser())
