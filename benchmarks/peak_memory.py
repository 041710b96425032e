"""What a benchmark has used: the most memory, which every benchmark prints as its last line, and processor seconds.

if __name__ == "__main__":
    sys.exit(run_with_peak(main))
"""

from __future__ import annotations

import resource
import sys
from collections.abc import Callable

from benchmarks.ratios import list_below


def read_peak() -> float:
    """MiB that this process, or the largest of those that it has started and waited for, has held at most."""
    who = resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN
    return max(resource.getrusage(each).ru_maxrss for each in who) / 1024


def read_processor_seconds() -> tuple[float, float]:
    """Of this process, and of all that it has ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    here, elsewhere = (each.ru_utime + each.ru_stime for each in used)
    return here, elsewhere


def run_with_peak(main: Callable[[], int | None]) -> int:
    """Run a benchmark and print its peak; the exit status that it gave, and 1 where a ratio is below its bound."""
    status = main() or 0
    print(f"peak memory {read_peak():.0f} MiB")
    for line in list_below():
        print(line, file=sys.stderr)
    return status or int(bool(list_below()))
