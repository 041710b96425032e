"""The lessons' notebooks run from top to bottom, without torch and in well under a minute each."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from caregrid.lessons import LESSONS

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = sorted((ROOT / "docs" / "lessons").glob("*.ipynb"))


def test_there_is_a_notebook_a_lesson() -> None:
    assert len(NOTEBOOKS) == len(LESSONS)


@pytest.mark.slow
def test_notebooks_run() -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--nbmake", "--nbmake-timeout=60"]
    done = subprocess.run(
        [*command, *map(str, NOTEBOOKS)], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout[-4000:]
    assert f"{len(NOTEBOOKS)} passed" in done.stdout


def test_notebooks_need_no_torch() -> None:
    cells = [cell for path in NOTEBOOKS for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]]
    code = sorted({"".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"})
    assert not [source for source in code if "torch" in source]
    script = "import sys; sys.modules['torch'] = None\nfrom caregrid.lessons import lessons_in_order\n"
    script += "for lesson in lessons_in_order(): lesson.variants(); lesson.picture()\n"
    script += "assert 'stable_baselines3' not in sys.modules"
    subprocess.run([sys.executable, "-c", script], cwd=ROOT, check=True)
