"""Functions that run in a worker before anything of ours can be relied upon there; their text is what is sent.

They need nothing but Python itself: a worker may lack caregrid, its dependencies or the user's module, may have other
versions of them, or may find other packages under our names. Whatever it is, the first unit fails and says so.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import platform
import signal
import sys
import threading
import time
import warnings
from multiprocessing.reduction import ForkingPickler
from typing import Any

POLL_SECONDS = 0.5
NO_WORKER = "install caregrid there, with the same versions"
HIDDEN = "see what lies there on the path, and rename it"
SAME_EVERYWHERE = "install the same versions everywhere"
ALL_MODULES = "a worker needs all modules and packages of the experiment"


def open_letter(
    content: bytes, versions: dict[str, str], packages: tuple[str, ...], folder: str, announced: tuple[str, str] | None
) -> Any:
    """Call what a letter holds; ImportError, in one line, where it cannot be loaded here or versions differ.

    folder: searched last for modules, where it is there. announced: a topic of the dask scheduler and a key, by which
    it learns that the work has been loaded and begins.
    """
    problem = _find_difference(versions) or _find_hidden(packages)
    if not problem:
        if os.path.isdir(folder) and folder not in sys.path:
            sys.path.append(folder)
        try:
            with warnings.catch_warnings(action="ignore"):  # of which the session has heard when it was imported there
                function, arguments = ForkingPickler.loads(content)
        except BaseException as error:  # whatever a module of the user's raises when it is imported
            problem = f"cannot load it: {type(error).__name__}: {' '.join(str(error).split())}; {ALL_MODULES}"
    if problem:
        raise ImportError(f"the worker {platform.node()}-{os.getpid()} ({sys.executable}) {problem}")
    if announced:
        from distributed import get_worker

        topic, key = announced
        get_worker().log_event(topic, {"key": key, "worker": get_worker().address})
    return function(*arguments)


def _find_difference(versions: dict[str, str]) -> str:
    """Return the first version that differs here from those that are given."""
    for name, theirs in versions.items():
        ours = read_version(name)
        if ours and theirs and ours != theirs:
            return f"has {name} {ours}, this session {theirs}; {SAME_EVERYWHERE}"
    return ""


def read_version(name: str) -> str:
    """Return the version of Python or of a distribution; "" where it is not installed."""
    if name == "Python":
        return platform.python_version()
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return ""


def _find_hidden(packages: tuple[str, ...]) -> str:
    """The first of our packages, caregrid itself before all, that is missing here or lies apart from the others."""
    home = ""
    for name in packages:
        place = _find_place(name)
        home = home or os.path.dirname(place)
        if not place:
            return f"finds no package '{name}'; {NO_WORKER}"
        if os.path.realpath(os.path.dirname(place)) != os.path.realpath(home):
            return f"finds another package '{name}' at {place}; {HIDDEN}"
    return ""


def _find_place(name: str) -> str:
    """Return the folder or file that `import NAME` would give, "" for none."""
    try:
        spec = importlib.util.find_spec(name)
    except ValueError:  # a module without a spec was put there by hand
        return ""
    if spec is None:
        return ""
    return next(iter(spec.submodule_search_locations or ()), spec.origin or "")


def end_with_parent(parent: int) -> None:
    """Never mind a Ctrl-C, and leave when the parent is gone, which may be killed without a word.

    What threads and objects that units have left raise later, when no unit runs, is not heard.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.unraisablehook = lambda raised: None
    threading.excepthook = lambda raised: None

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(POLL_SECONDS)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
