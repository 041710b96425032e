"""`caregrid run` in a process of its own, to be killed, starved and hindered; importable by the fault tests."""

import contextlib
import ctypes
import io
import os
import subprocess
import sys
import warnings
from pathlib import Path

import psutil

from caregrid.main import main

ROOT = Path(__file__).resolve().parents[2]
WORKLOADS = "tests.experiments.workloads"
PLAIN = "import sys; from caregrid.main import main; sys.exit(main())"


def start_run(name: str, directory: Path, *words: str, script: str = PLAIN) -> "subprocess.Popen[str]":
    """Start a run of a workload; `script` may do mischief before it calls `main`."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "MPLBACKEND": "agg"}
    return subprocess.Popen(
        [sys.executable, "-W", "ignore", "-c", script, *_words(name, directory), *words],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def finish_run(name: str, directory: Path, *words: str, script: str = PLAIN) -> "subprocess.CompletedProcess[str]":
    """Run a workload to its end; in this process where nobody does mischief and no workers are asked for."""
    if script == PLAIN and "serial" in words:
        return finish(*_words(name, directory), *words)
    with start_run(name, directory, *words, script=script) as process:
        out, err = process.communicate(timeout=100)
    return subprocess.CompletedProcess(process.args, process.returncode, out, err)


def finish(*words: str) -> "subprocess.CompletedProcess[str]":
    """A command to its end, in this process."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        code = main(list(words))
    return subprocess.CompletedProcess(words, code, out.getvalue(), err.getvalue())


def _words(name: str, directory: Path) -> list[str]:
    return ["run", f"{WORKLOADS}:{name}", "--out", str(directory), "--quiet"]


def stored_lines(folder: Path) -> list[bytes]:
    """The whole lines of units in all segments of a run directory, their first lines left out."""
    paths = sorted((folder / "units").glob("*.jsonl")) if (folder / "units").is_dir() else []
    segments = (path.read_bytes().split(b"\n")[1:-1] for path in paths)
    return [line for lines in segments for line in lines]


def descendants(pid: int) -> dict[int, str]:
    """Processes below one, with their command lines; none where it is gone."""
    found = {}
    with contextlib.suppress(psutil.NoSuchProcess):
        for child in psutil.Process(pid).children(recursive=True):
            with contextlib.suppress(psutil.NoSuchProcess, psutil.ZombieProcess):
                found[child.pid] = " ".join(child.cmdline())
    return found


def workers_of(pid: int) -> list[int]:
    """The processes below one that run units, on the engines local and dask."""
    return [child for child, args in descendants(pid).items() if "popen_loky" in args or "spawn_main" in args]


def obey_permissions() -> None:
    """Give up the power of root to write where nobody may (Linux); a process that is not root has none."""
    if os.geteuid() != 0:
        return
    override, search = 1, 2
    header = (ctypes.c_uint32 * 2)(0x20080522, 0)
    sets = (ctypes.c_uint32 * 6)()
    library = ctypes.CDLL(None, use_errno=True)
    if library.capget(header, sets) != 0:
        raise OSError(ctypes.get_errno(), "capget")
    sets[0] &= ~((1 << override) | (1 << search))
    if library.capset(header, sets) != 0:
        raise OSError(ctypes.get_errno(), "capset")
