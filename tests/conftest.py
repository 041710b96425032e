"""Fixtures for every package: programs that some tests need and that pip cannot install."""

import os
import shutil
from collections.abc import Callable

import pytest


@pytest.fixture
def program() -> Callable[..., str]:
    """Find one of several programs; on a machine that promises to run everything (CI is set) their absence fails."""

    def find(*names: str) -> str:
        found = next((path for name in names if (path := shutil.which(name))), None)
        if found is None and os.environ.get("CI"):
            pytest.fail(f"none of {', '.join(names)} is installed, and CI must run this test")
        if found is None:
            pytest.skip(f"needs one of {', '.join(names)}")
        return found

    return find
