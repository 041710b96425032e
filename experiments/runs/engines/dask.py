"""Workers of a dask cluster: a local one, a running one (`--scheduler`), or SLURM jobs (`--slurm`), extra `cluster`.

    --scheduler tcp://host:8786   or   --scheduler scheduler.json       a cluster that is running already
    --slurm queue=short --slurm cores=4 --slurm memory=8GB --workers 20 dask-jobqueue's options; workers are jobs

Only the process that was started by hand writes results, so workers need no shared file system.
"""

from __future__ import annotations

import concurrent.futures
import logging
import time
from collections.abc import Callable, Collection
from concurrent.futures import Future
from pathlib import Path
from typing import Any

from engine.errors import BadFile, BadValue, MissingExtra
from experiments.runs.engines import EngineOptions, ExecutionEngine
from experiments.runs.engines._slurm import slurm_cluster, slurm_options
from experiments.runs.interruption import deaf_children
from experiments.runs.threads import LIMITS

CONNECT_SECONDS = 20
POLL_SECONDS = 1.0


class DaskEngine(ExecutionEngine):
    """Submits to a dask client; a chunk whose worker dies comes back as lost."""

    chunk_seconds = 3.0

    def __init__(self, options: EngineOptions) -> None:
        if options.scheduler and options.slurm:
            raise BadValue("both a running scheduler and SLURM", place="--slurm", remedy="leave one of them out")
        try:
            import distributed
        except ImportError as error:
            raise MissingExtra(
                "engine 'dask' needs the package 'distributed'", remedy="pip install 'caregrid[cluster]'"
            ) from error
        self._options, self._chosen = options, slurm_options(options.slurm)
        if options.scheduler and "://" not in options.scheduler and not Path(options.scheduler).is_file():
            raise BadFile("no such scheduler file", place=options.scheduler, remedy="or give tcp://HOST:PORT")
        self._capacity, self._polled = 1, float("-inf")
        self.lost: tuple[type[BaseException], ...] = (distributed.KilledWorker,)

    def start(self) -> None:
        """Start or join the cluster."""
        import dask

        dask.config.set(
            {
                "distributed.scheduler.allowed-failures": 0,
                "distributed.nanny.pre-spawn-environ": LIMITS,
            }
        )
        with deaf_children():
            self._cluster = None if self._options.scheduler else _own_cluster(self._options.workers, self._chosen)
            self._client = _client(self._options.scheduler, self._cluster)

    @property
    def capacity(self) -> int:
        """One chunk a thread of the cluster as it is now; one while no worker has come yet."""
        if time.monotonic() - self._polled > POLL_SECONDS:
            self._capacity = max(1, sum(self._client.nthreads().values()))
            self._polled = time.monotonic()
        return self._capacity

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Future[Any]:
        """Hand it to the scheduler.

        Not by dask's own executor: it reads a result and then its status, and takes a result for an error where the
        worker that holds it dies in between.
        """
        promise: Future[Any] = Future()
        promise.set_running_or_notify_cancel()
        submitted = self._client.submit(function, *arguments, pure=False, retries=0)
        submitted.add_done_callback(lambda done: _keep_promise(promise, done))
        return promise

    def wait(self, futures: Collection[Future[Any]], timeout: float) -> Collection[Future[Any]]:
        """Those that are done by then."""
        return concurrent.futures.wait(futures, timeout, concurrent.futures.FIRST_COMPLETED).done

    def close(self, abandon: bool) -> None:
        """Leave the cluster; one that was started here is stopped."""
        self._client.close()
        if self._cluster is not None:
            self._cluster.close()


def _keep_promise(promise: Future[Any], done: Any) -> None:
    """Hand over the result of a dask future, computed anew where it was lost, or the exception it ends with."""
    try:
        result = done.result()
    except BaseException as error:
        promise.set_exception(error)
    else:
        promise.set_result(result)


def _own_cluster(workers: int | None, slurm: dict[str, Any]) -> Any:
    if slurm:
        return slurm_cluster(workers or 1, slurm)
    import distributed
    from loky import cpu_count

    local_cluster: Any = distributed.LocalCluster
    return local_cluster(
        n_workers=workers or cpu_count(),
        threads_per_worker=1,
        dashboard_address=None,
        memory_limit=0,
        silence_logs=logging.CRITICAL,
    )


def _client(scheduler: str | None, cluster: Any) -> Any:
    import distributed

    client: Any = distributed.Client
    if scheduler is None:
        return client(cluster)
    target = {"address": scheduler} if "://" in scheduler else {"scheduler_file": scheduler}
    try:
        return client(**target, timeout=CONNECT_SECONDS)
    except (OSError, ValueError) as error:
        raise BadValue(f"no scheduler answers at {scheduler}", place="--scheduler", remedy="start one first") from error
