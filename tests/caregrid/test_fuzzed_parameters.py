"""Whatever is given as an option of a scenario or as a coefficient: results, or one line and exit code 2."""

import contextlib
import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caregrid.main import main

SCENARIOS = ("workshop_auto", "boat_race", "garden", "playroom", "icy_yard")
OPTIONS = ("key_start", "slip", "map", "noop", "weight_3", "player", "held_out", "grid", "")
NUMBERS = (
    st.floats().map(repr) | st.integers(-(10**30), 10**30).map(str) | st.sampled_from(("9" * 5000, "1e999", "1_0"))
)
TEXTS = NUMBERS | st.text(max_size=8) | st.sampled_from(("K1", "uniform", "yes", "None", "0-0", "\x1b[2J", "\ud800"))


def answered(*words: str) -> tuple[int, list[str]]:
    """The exit code and the lines on stderr."""
    said = io.StringIO()
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(said):
        return main(words), said.getvalue().splitlines()


@settings(max_examples=25, deadline=None, derandomize=True)
@given(scenario=st.sampled_from(SCENARIOS), option=st.sampled_from(OPTIONS), text=TEXTS)
def test_options_of_scenarios(scenario: str, option: str, text: str) -> None:
    code, said = answered("solve", scenario, f"--set={option}={text}")
    assert (code, len(said)) in ((0, 0), (2, 1))


@pytest.mark.parametrize("name", ["care", "own", "discount"])
@settings(max_examples=8, deadline=None, derandomize=True)
@given(text=TEXTS)
def test_coefficients(name: str, text: str) -> None:
    code, said = answered("solve", "garden", f"--{name}={text}")
    assert (code, len(said)) in ((0, 0), (2, 1))
