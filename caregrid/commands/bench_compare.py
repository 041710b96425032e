"""Compare runs of the benchmark: a leaderboard of methods for each suite, and the worst result of each method.

RUN is a file that 'caregrid bench' wrote, or its directory. Means over worlds have 95 percent intervals, from a
bootstrap over worlds and seeds. --out writes the page (.html: sortable, with method x world and pictures of failures),
or the standings (.csv, .json ...).

  caregrid bench compare results/mine results/ours --out leaderboard.html"""

from __future__ import annotations

from dataclasses import dataclass

from caregrid.arguments.declaration import option, positional
from caregrid.arguments.printed import JsonArgument

GROUP = "Experiments and benchmarks"


@dataclass(frozen=True, kw_only=True)
class BenchCompareArguments(JsonArgument):
    """Runs, and where the page goes."""

    runs: tuple[str, ...] = positional("files or directories of 'caregrid bench'", metavar="RUN", default=())
    out: str | None = option(None, "write the page (.html) or the standings (.csv, .json ...)", metavar="FILE")


def run(arguments: BenchCompareArguments) -> int:
    from caregrid.runs.bench import compare_bench

    compared = compare_bench(*arguments.runs)
    if arguments.out is not None:
        compared.save(arguments.out)
    arguments.print_result("bench_compare", compared)
    return 0
