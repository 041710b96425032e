"""SLURM jobs that stand for workers: a job that ends, for whatever reason, is replaced, and a message says so.

What `squeue` says decides. A job that reached its wall time, was preempted, cancelled or lost its node holds nothing
against the units that it ran. Jobs that end one after the other before a worker of theirs has joined end the run.
"""

from __future__ import annotations

import logging
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Collection
from pathlib import Path
from typing import Any

from dask_jobqueue.slurm import SLURMCluster, SLURMJob
from distributed.core import Status

from engine.errors import CaregridError, argument
from engine.printable import make_printable
from experiments.runs.engines._tls import save_certificates

SECONDS_BETWEEN_LOOKS = 10.0
SECONDS_AT_LEAST = 1.0
SECONDS_AFTER_REFUSAL = 30.0
FRUITLESS = 3
HOW_TO_SEE = "'caregrid run NAME --dry-run' prints the script of a job"
QUEUE = ("squeue", "--noheader", "--me", "--states=all", "--format=%i %T")
GONE = "GONE"  # from the queue, long ago
ENDS = {
    "TIMEOUT": "reached its wall time",
    "CANCELLED": "was cancelled",
    "PREEMPTED": "was preempted",
    "NODE_FAIL": "lost its node",
    "DEADLINE": "reached its deadline",
    "BOOT_FAIL": "lost its node",
    "REVOKED": "was revoked",
    "COMPLETED": "ended",
    "FAILED": "failed",
    "OUT_OF_MEMORY": "ran out of memory",
    GONE: "is gone",
}
ITS_OWN_FAULT = ("COMPLETED", "FAILED", "OUT_OF_MEMORY")
ENDING = "COMPLETING"


class _Job(SLURMJob):
    """A job whose submission may be refused: the reason is kept, where the library would leave a traceback."""

    refusal = ""

    async def start(self) -> None:
        """Submit it."""
        try:
            start: Any = super().start
            await start()
        except (RuntimeError, OSError, ValueError) as error:
            self.refusal = _find_last_line(str(error)) or type(error).__name__
            self.status = Status.running


class SlurmJobs:
    """As many jobs as wanted, with workers of one cluster. news: what has happened, not shown yet, a line each.

    security: dask's, None for none. Jobs read its key from a folder of the user alone, which lies where the run was
    started, as their modules do, unless the options name another place.
    """

    def __init__(self, wanted: int, options: dict[str, Any], security: Any) -> None:
        cluster: Any = SLURMCluster
        self._certificates: Path | None = None
        if security is not None:
            place = os.path.expanduser(options.get("shared_temp_directory") or os.getcwd())
            self._certificates = Path(tempfile.mkdtemp(prefix=".caregrid-tls-", dir=place))
            options = {**options, "security": save_certificates(security, self._certificates)}
        self.cluster = cluster(job_cls=_Job, silence_logs=logging.CRITICAL, **options)
        self.news: list[str] = []
        self._wanted = wanted
        self._logs = Path(options.get("log_directory") or ".")
        self._ids: dict[str, str] = {}
        self._joined: set[str] = set()
        self._fruitless = 0
        self._looked = time.monotonic()
        self._refused = float("-inf")
        self.cluster.scale(jobs=wanted)

    def remove_certificates(self) -> None:
        """Remove the key of this run."""
        if self._certificates is not None:
            shutil.rmtree(self._certificates, ignore_errors=True)

    def look(self, workers: Collection[str]) -> None:
        """Replace jobs that have ended; CaregridError where none can be had. workers: names of those there now."""
        there = {self._name_job(name) for name in workers}
        self._fruitless = 0 if there - self._joined else self._fruitless
        self._joined |= there
        self._refuse_refusals()
        numbers = {name: job.job_id for name, job in list(self.cluster.workers.items()) if job.job_id}
        left = self._joined & set(numbers) - there
        if time.monotonic() - self._looked < (SECONDS_AT_LEAST if left else SECONDS_BETWEEN_LOOKS):
            return
        self._looked = time.monotonic()
        if ended := self._find_ended_jobs(numbers):
            self.cluster.sync(self._forget, list(ended))
            self.news += [self._describe_end(name, state) for name, state in sorted(ended.items())]
            self._count_fruitless(ended)
        if time.monotonic() - self._refused > SECONDS_AFTER_REFUSAL:
            self.cluster.scale(jobs=self._wanted)

    def _find_ended_jobs(self, numbers: dict[str, str]) -> dict[str, str]:
        """Return how jobs ended, by name: the jobs that the queue calls ended, and those that dask has given up."""
        given_up = [name for name in self._ids if name not in numbers and name in self.cluster.worker_spec]
        self._ids |= numbers
        states = self._read_states()
        if states is None:
            return dict.fromkeys(given_up, GONE)
        found = {name: states.get(self._ids[name], GONE) for name in (*numbers, *given_up)}
        return {name: state for name, state in found.items() if state in ENDS or name in given_up}

    def was_ended(self, worker: str) -> bool:
        """Return whether the job of a worker was ended by SLURM, and not by what ran in it."""
        number = self._ids.get(self._name_job(worker)) or self._find_number(worker)
        states = self._read_states()
        if number is None or states is None:
            return False
        state = states.get(number, GONE)
        return state == ENDING or (state in ENDS and state not in ITS_OWN_FAULT)

    def _find_number(self, worker: str) -> str | None:
        job = self.cluster.workers.get(self._name_job(worker))
        return str(job.job_id) if job is not None and job.job_id else None

    def _name_job(self, worker: str) -> str:
        """Return the name of a worker's job: where a job has several workers, theirs are NAME-0, NAME-1, ..."""
        return worker.rpartition("-")[0] if self.cluster.new_spec.get("group") else worker

    def _read_states(self) -> dict[str, str] | None:
        """Return what the queue says of the jobs it knows; None where it does not answer."""
        try:
            said = subprocess.run(QUEUE, capture_output=True, text=True, timeout=SECONDS_BETWEEN_LOOKS, check=True)
        except (OSError, subprocess.SubprocessError):
            return None
        pairs = (line.split(maxsplit=1) for line in said.stdout.splitlines())
        return {pair[0]: pair[1].strip() for pair in pairs if len(pair) == 2}

    async def _forget(self, names: list[str]) -> None:
        """Take jobs out of the cluster's books, so that scaling makes new ones."""
        for name in names:
            self.cluster.worker_spec.pop(name, None)
            self.cluster.workers.pop(name, None)

    def _describe_end(self, name: str, state: str) -> str:
        return f"SLURM job {self._ids[name]} {ENDS.get(state, 'is gone')}; another takes its place"

    def _count_fruitless(self, ended: Collection[str]) -> None:
        fruitless = sorted(name for name in ended if name not in self._joined)
        self._fruitless += len(fruitless)
        if self._fruitless < FRUITLESS or not fruitless:
            return
        said = self._read_last_words(self._ids[fruitless[-1]])
        raise CaregridError(
            f"{self._fruitless} jobs in a row ended before a worker joined{f': {said}' if said else ''}",
            place=argument("slurm"),
            remedy=HOW_TO_SEE,
        )

    def _read_last_words(self, number: str) -> str:
        """Return the last line that a job has written, where its output can be found."""
        for path in sorted(self._logs.glob(f"*-{number}*")):
            try:
                text = path.read_text(encoding="utf-8", errors="replace")
            except OSError:
                continue
            if line := _find_last_line(text):
                return f"{path}: {line}"
        return ""

    def _refuse_refusals(self) -> None:
        """CaregridError where not one job could be submitted; a word where only another one could not."""
        refused = {name: job.refusal for name, job in list(self.cluster.workers.items()) if job.refusal}
        if not refused:
            return
        reason = next(iter(refused.values()))
        if not self._ids and len(refused) == len(self.cluster.workers):
            raise CaregridError(f"no job could be submitted: {reason}", place=argument("slurm"), remedy=HOW_TO_SEE)
        self._refused = time.monotonic()
        self.news.append(f"a job could not be submitted: {reason}; trying again in {SECONDS_AFTER_REFUSAL:.0f} s")
        self.cluster.sync(self._forget, list(refused))


def _find_last_line(text: str) -> str:
    """Return the last line that is not empty, of bounded length."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return make_printable(lines[-1])[:300] if lines else ""
