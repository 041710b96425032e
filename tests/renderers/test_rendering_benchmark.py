"""The promise about speed, as a ratio within one run."""

import sys

import pytest

from benchmarks.rendering import main


@pytest.mark.slow
def test_frames_come_far_quicker_than_frozen_lakes_and_minigrids(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", ["rendering.py", "--quick"])
    code = main()
    printed = capsys.readouterr().out
    assert code == 0, printed
    assert printed.count("at least") == 4
    assert printed.count("at most") == 3
