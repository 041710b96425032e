"""The first code of docs/considerate.md runs, at a small size: the whole takes hours."""

import re
import sys
from pathlib import Path

import pytest

PAGE = Path(__file__).resolve().parents[3] / "docs" / "considerate.md"
SMALLER = {
    "16x16": "5x5",
    "every=100": "first=300, every=2, steps=100",
    "1_000_000": "256",
    'PPO("MlpPolicy", env)': 'PPO("MlpPolicy", env, n_steps=128, device="cpu")',
}


@pytest.mark.slow
def test_the_first_code_of_the_page_runs() -> None:
    pytest.importorskip("minigrid")
    pytest.importorskip("stable_baselines3")
    from engine.randomness.library_generators import keep_global_generators

    code = re.search(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), flags=re.S)[1]  # type: ignore[index]
    for whole, part in SMALLER.items():
        assert whole in code
        code = code.replace(whole, part)
    names: dict[str, object] = {}
    with keep_global_generators():
        exec(compile(code, str(PAGE), "exec"), names)
    assert names["model"].num_timesteps >= 256  # type: ignore[attr-defined]
    assert "stable_baselines3" in sys.modules
