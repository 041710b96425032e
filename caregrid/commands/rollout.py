"""Replay actions in a scenario: boards, observed rewards and the hidden performance.

Prints the drawings, or with --json one object: scenario, steps (action, reward, performance, terminated, board),
return, performance. --chance gives the random outcomes in order: the initial state, if there are several, then one for
each step in which more than one thing may happen ('caregrid show SCENARIO' lists them). The rest is drawn from --seed.
--demonstration replays one of the scenario's own; --out writes a film (.gif, .mp4, .html), a storyboard (.png) or a
table (.csv).

--episodes samples that many episodes of a policy instead: the mean returns with their standard errors, the same for any
number of threads. --policy is random, or optimal at the caring coefficient --care."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from caregrid.arguments.craft import ScenarioArguments
from caregrid.arguments.declaration import option
from caregrid.arguments.printed import JsonArgument
from engine.errors import BadValue
from engine.value_types import Episodes, Seed, Workers

GROUP = "Look at worlds and episodes"


@dataclass(frozen=True, kw_only=True)
class RolloutArguments(ScenarioArguments, JsonArgument):
    """A scenario, actions and outcomes of chance, or a policy and a number of episodes."""

    actions: str = option("", "the actions, by name", metavar="ACTION,ACTION,...")
    chance: str = option("", "outcomes of chance, by name", metavar="OUTCOME,...")
    seed: Seed = option(0, "of what --chance leaves open (default 0)", metavar="N")
    demonstration: str | None = option(None, "one of the scenario's own, in place of --actions", metavar="NAME")
    episodes: Episodes | None = option(None, "sample so many episodes of a policy, in place of --actions", metavar="N")
    policy: str | None = option(None, "with --episodes: random (default) or optimal", metavar="P")
    care: float | None = option(None, "with --policy optimal: the caring coefficient (default 1)", metavar="X")
    formulation: str | None = option(
        None, "with --policy optimal: how others count", metavar="F", kinds=("formulations",)
    )
    epsilon: float | None = option(None, "with --policy optimal: how often it takes a random action", metavar="P")
    threads: Workers | None = option(None, "with --episodes: default one a core; changes no result", metavar="N")
    yes: bool = option(False, "with --episodes: any number of them; without it, many are refused with an estimate")
    out: str | None = option(None, "write film, storyboard or table, as its ending says", metavar="FILE")


def run(arguments: RolloutArguments) -> int:
    episodes = arguments.episodes
    result = _replayed(arguments) if episodes is None else _sampled(arguments, episodes)
    if arguments.out is not None:
        result.save(arguments.out)
    arguments.print_result("rollout" if episodes is None else "rollout_samples", result)
    return 0


def _replayed(arguments: RolloutArguments) -> Any:
    from caregrid.programmes.caring.episodes import rollout

    for name in ("policy", "care", "formulation", "epsilon", "threads", "yes"):
        if getattr(arguments, name):
            raise BadValue(f"--{name} without --episodes", place="rollout", remedy="add --episodes N")
    return rollout(
        arguments.scenario,
        arguments.actions,
        demonstration=arguments.demonstration,
        seed=arguments.seed,
        chance=arguments.chance,
        map=arguments.map,
        options=arguments.set,
    )


def _sampled(arguments: RolloutArguments, episodes: int) -> Any:
    from caregrid.programmes.caring.episodes import SampledReturns, sample_returns

    for name in ("actions", "chance", "demonstration"):
        if getattr(arguments, name):
            raise BadValue(f"--{name} beside --episodes", place="rollout", remedy="give one of them")
    policy = arguments.policy or "random"
    chosen = {name: getattr(arguments, name) for name in ("care", "formulation", "epsilon")}
    chosen = {name: value for name, value in chosen.items() if value is not None}
    if policy == "random" and chosen:
        raise BadValue(f"--{min(chosen)} of a random policy", place="rollout", remedy="add --policy optimal")
    if arguments.out is not None:
        SampledReturns.checked_place(arguments.out)
    return sample_returns(
        arguments.scenario,
        episodes,
        policy=policy,
        seed=arguments.seed,
        threads=arguments.threads,
        map=arguments.map,
        options=arguments.set,
        confirmed=arguments.yes,
        **chosen,
    )
