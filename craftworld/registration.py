"""Announcing every scenario to Gymnasium as `caregrid/NAME-v0`; the adapter itself is imported when one is made."""

from __future__ import annotations

import gymnasium

from craftworld.scenario import TIME_LIMIT
from craftworld.scenarios import SCENARIOS


def register_scenarios() -> None:
    """Register the scenarios that are not registered yet, without importing any of them."""
    for name in SCENARIOS.names():
        if f"caregrid/{name}-v0" not in gymnasium.registry:
            gymnasium.register(
                f"caregrid/{name}-v0",
                entry_point="experiments.adapters.gymnasium_world:GymnasiumWorld",
                vector_entry_point="experiments.adapters.gymnasium_lanes:GymnasiumLanes",
                max_episode_steps=TIME_LIMIT,
                kwargs={"scenario": name},
            )
