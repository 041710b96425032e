"""What a user's own file warns of is one line on stderr, once a line of code, whatever the engine."""

import re
import sys
import warnings
from pathlib import Path

import pytest

from caregrid.main import main
from engine.user_code import users_warnings

FILE = """import warnings
from experiments.experiment import Experiment

warnings.warn("it is\\nimported")

def run(n, key):
    warnings.warn(f"unit {n}")
    warnings.warn("old", DeprecationWarning)
    return [{"x": n}]

experiment = Experiment(reproduces="nothing", settings={"n": tuple(range(6))}, run=run)
"""


@pytest.mark.parametrize("engine", ["serial", "local"])
def test_it_is_one_line_for_each_line_of_code(
    engine: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    module = f"warns_on_{engine}"
    (tmp_path / f"{module}.py").write_text(FILE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    with warnings.catch_warnings():
        warnings.simplefilter("default")
        warnings.simplefilter("ignore", DeprecationWarning)
        assert main(["run", f"{module}:experiment", "--engine", engine, "--out", "out", "--quiet"]) == 0
    sys.modules.pop(module)
    imported, warned = capfd.readouterr().err.splitlines()
    assert imported == f"caregrid: {module}.py, line 4: UserWarning: it is imported"
    first = "0" if engine == "serial" else "[0-5]"  # of several workers' units the one that comes back first
    assert re.fullmatch(rf"caregrid: {module}\.py, line 7: UserWarning: unit {first}", warned)


def test_warnings_of_others_are_as_ever_and_so_is_everything_afterwards(tmp_path: Path) -> None:
    kitchen = str(tmp_path / "kitchen.py")
    before, told, passed = warnings.showwarning, list[str](), list[str]()
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.showwarning = lambda message, *rest, **more: passed.append(str(message))
        with users_warnings(lambda text, subject: told.append(text)):
            for file in (kitchen, sys.modules["engine.user_code"].__file__ or "", "<string>"):
                warnings.warn_explicit(f"in {Path(file).name}", UserWarning, file, 3)
            warnings.warn_explicit("again", UserWarning, kitchen, 3)
        warnings.warn_explicit("later", UserWarning, kitchen, 3)
    assert told == ["kitchen.py, line 3: UserWarning: in kitchen.py"]
    assert passed == ["in user_code.py", "in <string>", "later"]
    assert warnings.showwarning is before
