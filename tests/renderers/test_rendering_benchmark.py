"""The promise about speed, as a ratio within one run."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.slow
def test_frames_come_far_quicker_than_frozen_lakes_and_minigrids() -> None:
    script = ROOT / "benchmarks" / "rendering.py"
    done = subprocess.run([sys.executable, str(script), "--quick"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("at least") == 4
    assert done.stdout.count("at most") == 3
    assert "page of lessons: " in done.stdout
