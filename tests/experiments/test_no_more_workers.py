"""A machine that gives no more files, processes or threads: one line, and nothing is lost."""

import errno
from pathlib import Path

import pytest

from caregrid.main import main
from tests.experiments.processes import finish_run

FEW_FILES = """
import resource, sys
from caregrid.main import main
import caregrid.operations.experiments, caregrid.runs.experiment, experiments.runs.runner, experiments.results
resource.setrlimit(resource.RLIMIT_NOFILE, ({files}, {files}))
sys.exit(main())
"""


def test_few_open_files_are_one_line(tmp_path: Path) -> None:
    done = finish_run(
        "counting", tmp_path / "run", "--engine", "local", "--workers", "2", script=FEW_FILES.format(files=14)
    )
    assert done.returncode == 2
    assert done.stderr.startswith("caregrid: engine 'local': no worker can be started: too many open files; give fewer")
    assert "the same command goes on" in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("files", [3, 4, 5])
def test_hardly_any_open_files_are_one_line_with_their_remedy(files: int, tmp_path: Path) -> None:
    done = finish_run("counting", tmp_path / "run", "--engine", "local", script=FEW_FILES.format(files=files))
    assert done.returncode == 2
    assert "too many open files" in done.stderr.lower()
    assert done.stderr.endswith("raise what ulimit shows, or end other programs\n")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (RuntimeError("can't start new thread"), "can't start new thread"),
        (OSError(errno.EAGAIN, "Resource temporarily unavailable"), "resource temporarily unavailable"),
    ],
    ids=["thread", "process"],
)
def test_few_threads_and_processes_are_one_line(
    error: Exception,
    reason: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def starts_nothing(*arguments: object, **options: object) -> None:
        raise error

    monkeypatch.setattr("loky.process_executor.ProcessPoolExecutor._start_executor_manager_thread", starts_nothing)
    words = ["run", "tests.experiments.workloads:counting", "--engine", "local", "--workers", "1", "--quiet"]
    assert main([*words, "--out", str(tmp_path / "run")]) == 2
    message = capsys.readouterr().err
    assert f"no worker can be started: {reason}; give fewer --workers" in message
    assert message.count("\n") == 1


def test_few_files_anywhere_else_are_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def opens_nothing(commands: object) -> str:
        raise OSError(errno.EMFILE, "Too many open files")

    monkeypatch.setattr("caregrid.main.help_page", opens_nothing)
    assert main([]) == 2
    message = capsys.readouterr().err
    assert "Too many open files: the system gives no more; raise what ulimit shows" in message
    assert message.count("\n") == 1
