"""A number line: places and numbers are inverse, stretches equally wide, ends at their numbers."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.scene import NumberLine, Stretch
from renderers.charts import draw_number_line, find_number, list_edges, locate_number

POINTS = st.lists(st.floats(0.001, 1e6), max_size=12, unique=True).map(sorted)


@settings(max_examples=60, deadline=None)
@given(POINTS, st.floats(0, 1))
def test_places_and_numbers_are_inverse(points: list[float], share: float) -> None:
    line = NumberLine("care", tuple(points))
    assert locate_number(line, find_number(line, share)) == pytest.approx(share, abs=1e-6)


@settings(max_examples=60, deadline=None)
@given(POINTS)
def test_stretches_are_equally_wide(points: list[float]) -> None:
    line = NumberLine("care", tuple(points))
    places = [locate_number(line, end) for end in list_edges(line)]
    assert places == pytest.approx([n / (len(points) + 1) for n in range(len(points) + 2)])
    assert locate_number(line, -5) == 0
    assert locate_number(line, 1e9) == 1


def test_it_is_drawn_in_its_width_with_the_knob_where_it_points() -> None:
    stretches = (Stretch("nothing", "path 0"), Stretch("a longer text in two lines", "path 1"))
    pictures = [draw_number_line(NumberLine("care", (1.0,), stretches, at=at), 300, 9) for at in (None, 0.5, 1.5)]
    assert {picture.shape[1] for picture in pictures} == {300}
    plain, left, right = pictures
    columns = [(plain != other).any(axis=(0, 2)).nonzero()[0].mean() for other in (left, right)]
    assert columns == pytest.approx([9 + 282 * 0.25, 9 + 282 * 0.75], abs=6)
    assert draw_number_line(NumberLine("", ()), 40, 9).shape[1] == 40
