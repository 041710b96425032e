"""What a run writes down of its circumstances, and what it leaves alone."""

import subprocess
from pathlib import Path

import pytest

from experiments import provenance


def test_looking_up_the_commit_writes_nothing_into_the_repository(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Plain `git status` writes a new index where a file looks changed, and leaves its lock there when it is killed."""
    for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "one"]):
        (tmp_path / "experiments").mkdir(exist_ok=True)
        (tmp_path / "experiments" / "file.py").touch()
        name = ["-c", "user.name=a", "-c", "user.email=a@example.com"]
        subprocess.run(["git", "-C", str(tmp_path), *name, *words], check=True)
    (tmp_path / "experiments" / "file.py").touch()
    index = tmp_path / ".git" / "index"
    before = index.stat().st_ino, index.read_bytes()
    monkeypatch.setattr(provenance, "__file__", str(tmp_path / "experiments" / "file.py"))
    commit = provenance.collect_provenance(["caregrid"])["git"]
    assert commit is not None
    assert len(commit) == 40
    assert (index.stat().st_ino, index.read_bytes()) == before
