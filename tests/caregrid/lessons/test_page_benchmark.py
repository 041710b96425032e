"""The benchmark of the page runs and prints what it says."""

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[3] / "benchmarks" / "lessons_page.py"


@pytest.mark.slow
@pytest.mark.usefixtures("chromium")
def test_the_benchmark_of_the_page_prints_both_times() -> None:
    done = subprocess.run([sys.executable, str(SCRIPT), "--quick"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith("the page (")
    assert "in the page" in done.stdout
