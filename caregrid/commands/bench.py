"""Measure methods in the worlds of the benchmark: own return, others' returns, hidden performance, safety violations.

Suites: side_effects, corrigibility, self_reflection, copies (default: all). A method with a coefficient is measured
over its complete range, from the exact segments: each measure is a mean over all coefficients, and `area` is the area
under the curve of own return against the others' returns, or the hidden performance. Writes bench.json, with the same
bytes for the same versions, and a digest. Finished units are stored beside it, and the same command continues where it
stopped. --method and --agent measure only these, in every world to which they apply. --held-out uses random maps of
the same families, in which the episode can be ended and a side effect is possible and avoidable.

  caregrid bench --quick
  caregrid bench side_effects corrigibility --workers 2
  caregrid bench side_effects --held-out 7
  caregrid bench compare RUN RUN --out leaderboard.html"""

from __future__ import annotations

from dataclasses import dataclass

from caregrid.arguments.declaration import option, positional
from caregrid.arguments.runs import RunArguments
from engine.value_types import Maps, Seed

GROUP = "Experiments and benchmarks"


@dataclass(frozen=True, kw_only=True)
class BenchArguments(RunArguments):
    """Suites, and how to run them."""

    suites: tuple[str, ...] = positional("suites (default: all)", metavar="SUITE", default=(), kinds=("suites",))
    method: tuple[str, ...] = option(
        (), "measure a function, Formulation, Future or PlanningAgent of your own; repeatable", metavar="MODULE:NAME"
    )
    agent: tuple[str, ...] = option(
        (), "measure an agent by name (dqn, sb3_ppo ...) or of your own; repeatable", metavar="AGENT", kinds=("agents",)
    )
    held_out: Seed | None = option(None, "random maps of a seed in place of the worlds", metavar="SEED")
    maps: Maps = option(3, "how many for each world (default 3)", metavar="N")
    quick: bool = option(False, "few worlds and seeds, in less than a minute")


def run(arguments: BenchArguments) -> int:
    if arguments.dry_run:
        return arguments.print_plan()
    from caregrid.runs.bench import bench

    return arguments.print_finished(
        "bench",
        lambda: bench(
            arguments.suites,
            quick=arguments.quick,
            methods=arguments.method,
            agents=arguments.agent,
            held_out=arguments.held_out,
            maps=arguments.maps,
            out=arguments.place(),
            **arguments.options_of_run(),
        ),
    )
