"""Replay actions in a scenario: boards, observed rewards and the hidden performance.

The drawings, or with --json one object: scenario, steps (action, reward, performance, terminated, board), return,
performance. Outcomes of chance are given in order: the start state where there are several, then one for each step in
which more than one thing may happen ('caregrid show SCENARIO' lists them); what is not given is drawn from --seed.
--demonstration replays one that the scenario brings along; --out writes a film (.gif, .mp4, .html), a storyboard (.png)
or a table (.csv)."""

from __future__ import annotations

import json
from dataclasses import dataclass

from caregrid.arguments.craft import ScenarioArguments
from caregrid.arguments.declaration import option
from caregrid.arguments.printed import JsonArgument
from engine.limits.whole_numbers import Seed


@dataclass(frozen=True, kw_only=True)
class RolloutArguments(ScenarioArguments, JsonArgument):
    """A scenario, actions, and outcomes of chance."""

    actions: str = option("", "the actions, by name", metavar="ACTION,ACTION,...")
    chance: str = option("", "outcomes of chance, by name", metavar="OUTCOME,...")
    seed: Seed = option(0, "of what --chance leaves open (default 0)", metavar="N")
    demonstration: str | None = option(None, "one of the scenario's own, in place of --actions", metavar="NAME")
    out: str | None = option(None, "write film, storyboard or table, as its ending says", metavar="FILE")


def run(arguments: RolloutArguments) -> int:
    from caregrid.api.rollout import rollout

    result = rollout(
        arguments.scenario,
        arguments.actions,
        demonstration=arguments.demonstration,
        seed=arguments.seed,
        chance=arguments.chance,
        map=arguments.map,
        options=arguments.set,
    )
    if arguments.out is not None:
        result.save(arguments.out)
    print(json.dumps(result.as_dict()) if arguments.json else result.text())
    return 0
