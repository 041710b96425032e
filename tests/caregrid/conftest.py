"""A folder of stored results, which many commands read: made once, copied for each file of tests."""

import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from caregrid.main import main
from tests.caregrid.accepted_lines import write_behaviour
from tests.caregrid.json_lines import BROKEN_AGENT, WRITE_FIRST


@pytest.fixture(scope="session")
def stored_results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Runs, a benchmark, a learned policy, a pack and behaviour."""
    folder = tmp_path_factory.mktemp("results")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        write_behaviour(folder)
        for line in WRITE_FIRST:
            assert main(shlex.split(line)) in (0, 1)
    return folder


@pytest.fixture(scope="module")
def workplace(stored_results: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A working directory with the stored results and a file of a user's own, one for each file of tests."""
    folder = tmp_path_factory.mktemp("workplace")
    shutil.copytree(stored_results, folder, dirs_exist_ok=True)
    (folder / "weary.py").write_text(BROKEN_AGENT)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        yield folder
