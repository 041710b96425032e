"""Figures: nothing is cut off, and what lies below the axis is named."""

import pytest

pytest.importorskip("matplotlib")

from experiments.figures.battery import heat_map
from experiments.figures.trade_off import trade_off_figure
from xenv.battery import BatteryRow

LONG = "reality_check_published(sb3_dqn)"


@pytest.mark.parametrize("agents", [("q_learning",), ("simple", LONG), ("a", "b", "c", "d", "e", "f")])
@pytest.mark.parametrize("environments", [1, 3, 25, 50])
def test_a_heat_map_has_room_for_its_names(agents: tuple[str, ...], environments: int) -> None:
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    names = [f"literal_opposite(adversarial_sequence_predictor_{number})" for number in range(environments)]
    figure = heat_map([BatteryRow(agent, name, 1, 10, -3) for agent in agents for name in names])
    FigureCanvasAgg(figure).draw()
    drawn, (width, height) = figure.get_tightbbox(), figure.get_size_inches()
    assert drawn is not None
    assert min(drawn.x0, drawn.y0) >= 0
    assert drawn.x1 <= width
    assert drawn.y1 <= height


def test_a_sweep_names_what_lies_below_its_axis() -> None:
    returns = [(-24.0, -1000.0)] + [(-25.0, -28.0)] * 40
    common = {"method": "exact", "scenario": "workshop", "formulation": "expected"}
    rows = [{**common, "care": care, "own": own, "total": own + other} for care, (own, other) in enumerate(returns)]
    axes = trade_off_figure(rows, ["newcomer"], [1.0]).axes[0]
    assert [text.get_text() for text in axes.texts] == ["below the axis: newcomer -1000, total -1024"]
    axes = trade_off_figure(rows[1:], ["newcomer"], []).axes[0]
    assert not axes.texts
