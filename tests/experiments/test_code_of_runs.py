"""Units of other code of an experiment are never mixed in, neither in a directory nor by a worker."""

import ast
import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from caregrid.main import main
from engine.errors import ContractBroken
from experiments.runs.storage.code_digests import digest_loaded_code, digest_source, is_other_code
from experiments.runs.worker import UnitTask, run_chunk

FILES = {
    "own_paper.py": '''"""An experiment."""
import math
import own_tools as tools
from own_worlds import size, unused
from own_constants import *
from experiments.experiment import Claim, Experiment

FACTOR = 2


def helper(n):
    """Twice."""
    return FACTOR * n


def run(n, key):
    # a comment
    return [{"value": helper(n) + size(n) + math.floor(0.5) + tools.shifted(n) + OFFSET}]


def holds(rows):
    return True


def table(rows):
    return [{"size": 1}]


experiment = Experiment(
    "own",
    {"n": (1, 2, 3)},
    run,
    claims=(Claim("so it is", holds), Claim("all are", lambda rows: all(n for key, n in enumerate(rows, 1)))),
    table=table,
)
''',
    "own_worlds.py": '''"""A world."""
BASE = (1, 2)


def size(n):
    return sum(BASE) * n


def unused(n):
    return n
''',
    "own_constants.py": "OFFSET = 0\nOTHER = 1\n",
    "own_tools.py": '''"""Tools, imported as a whole."""
STEP = 1


def shifted(n):
    return n + STEP


def bins(rows):
    return len(rows)
''',
}
OTHER = [
    ("own_paper.py", "FACTOR = 2", "FACTOR = 3"),
    ("own_paper.py", "FACTOR * n", "FACTOR * n + 1"),
    ("own_paper.py", "floor(0.5)", "floor(1.5)"),
    ("own_paper.py", "import size,", "import unused as size,"),
    ("own_worlds.py", "BASE = (1, 2)", "BASE = (1, 3)"),
    ("own_worlds.py", "sum(BASE) * n", "sum(BASE) + n"),
    ("own_constants.py", "OFFSET = 0", "OFFSET = 4"),
    ("own_tools.py", "n + STEP", "n - STEP"),
    ("own_tools.py", "STEP = 1", "STEP = 2"),
    ("own_paper.py", "tools.shifted(n)", "tools.bins([n])"),
]
SAME = [
    ("own_paper.py", "    # a comment\n", ""),
    ("own_paper.py", '"""Twice."""', '"""Two times."""'),
    ("own_paper.py", "so it is", "so it may be"),
    ("own_paper.py", "    return True", "    return bool(rows)"),
    ("own_paper.py", "import math", "import math, string"),
    ("own_paper.py", "FACTOR * n", "(FACTOR\n            * n)"),
    ("own_worlds.py", "    return n\n", "    return -n\n"),
    ("own_constants.py", "OTHER = 1", "OTHER = 2"),
    ("own_tools.py", "len(rows)", "len(rows) + 1"),
    ("own_paper.py", '{"size": 1}', '{"size": 2}'),
    ("own_paper.py", "enumerate(rows, 1)", "enumerate(rows, 2)"),
]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A user's folder with the files, importable here and forgotten afterwards."""
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    yield tmp_path
    _forget()


def _forget() -> None:
    for name in FILES:
        sys.modules.pop(name.removesuffix(".py"), None)
    from experiments.runs.storage import code_digests as digests

    digests._digest_reached.cache_clear()
    importlib.invalidate_caches()


def _changed(folder: Path, file: str, before: str, after: str) -> ModuleType:
    assert before in FILES[file]
    (folder / file).write_text(FILES[file].replace(before, after, 1))
    _forget()
    return importlib.import_module("own_paper")


@pytest.mark.parametrize(("file", "before", "after"), OTHER)
def test_a_change_that_may_change_rows_changes_the_digests(folder: Path, file: str, before: str, after: str) -> None:
    first = importlib.import_module("own_paper")
    source, code = digest_source(first.run), digest_loaded_code(first.run)
    second = _changed(folder, file, before, after)
    assert digest_source(second.run) not in ("", source)
    assert is_other_code(code, digest_loaded_code(second.run))


@pytest.mark.parametrize(("file", "before", "after"), SAME)
def test_a_change_that_changes_no_row_changes_no_digest(folder: Path, file: str, before: str, after: str) -> None:
    first = importlib.import_module("own_paper")
    source, code = digest_source(first.run), digest_loaded_code(first.run)
    second = _changed(folder, file, before, after)
    assert digest_source(second.run) == source
    assert not is_other_code(code, digest_loaded_code(second.run))


def test_another_layout_changes_no_digest(folder: Path) -> None:
    first = importlib.import_module("own_paper")
    source, code = digest_source(first.run), digest_loaded_code(first.run)
    for name, text in FILES.items():
        (folder / name).write_text("\n\n# another layout\n" + ast.unparse(ast.parse(text)).replace("    ", "  "))
    _forget()
    second = importlib.import_module("own_paper")
    assert digest_source(second.run) == source
    assert not is_other_code(code, digest_loaded_code(second.run))


def test_a_directory_of_other_code_is_refused_and_a_new_version_has_its_own(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = ["run", "own_paper:experiment", "--engine", "serial", "--quiet"]
    assert main([*run, "--set", "n=1"]) == 0
    _changed(folder, "own_paper.py", "FACTOR = 2", "FACTOR = 3")
    capsys.readouterr()
    assert main(run) == 2
    assert capsys.readouterr().err == (
        "caregrid: results/own_paper-experiment: its units were made by other code of own_paper:experiment, version 1; "
        "raise `version` in the experiment, or choose another place with --out\n"
    )
    assert main(["check", "own_paper:experiment"]) == 1, "reading does not mind"
    versioned = FILES["own_paper.py"].replace("table=table", "table=table, version=2")
    later = versioned.replace("FACTOR = 2", "FACTOR = 3")
    (folder / "own_paper.py").write_text(later)
    _forget()
    assert main(run) == 0
    assert (folder / "results" / "own_paper-experiment-version-2" / "rows.csv").is_file()


def test_a_worker_with_other_code_loaded_refuses_to_run_it(folder: Path) -> None:
    first = importlib.import_module("own_paper")
    code = digest_loaded_code(first.run)
    assert run_chunk(first.run, [UnitTask({"n": 1}, 0)], None, code)[0].rows == [{"value": 7}]
    second = _changed(folder, "own_paper.py", "FACTOR = 2", "FACTOR = 3")
    with pytest.raises(ContractBroken, match="has loaded other code of it than this session; start workers anew"):
        run_chunk(second.run, [UnitTask({"n": 1}, 0)], None, code)


def test_other_releases_of_python_are_not_compared() -> None:
    assert is_other_code("3.11.7:a", "3.11.7:b")
    assert not is_other_code("3.11.7:a", "3.12.1:b")
