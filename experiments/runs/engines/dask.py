"""Workers of a dask cluster: a local one, a running one (`--scheduler`), or SLURM jobs (`--slurm`), extra `cluster`.

    --scheduler tls://host:8786   or   --scheduler scheduler.json       a cluster that is running already
    --slurm queue=short --slurm cores=4 --slurm memory=8GB --workers 20 dask-jobqueue's options; workers are jobs

Only the process that was started by hand writes results, so workers need no shared file system. All of them talk by TLS
(`_tls`).
"""

from __future__ import annotations

import concurrent.futures
import contextlib
import logging
import os
import shutil
import signal
import threading
import time
import uuid
from collections.abc import Callable, Collection
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any

from engine.errors import BadFile, BadValue, CaregridError, MissingExtra, argument
from engine.user_code import read_exception
from experiments.runs.engines import EngineOptions, ExecutionEngine
from experiments.runs.engines._letter import seal_call
from experiments.runs.engines._slurm import parse_slurm_options, write_job_script
from experiments.runs.engines._tls import describe_certificates, make_certificates, read_certificates
from experiments.runs.process import shield_children
from experiments.runs.unit import NO_CURRENT_FOLDER, THREAD_LIMITS

if TYPE_CHECKING:
    from experiments.runs.engines._slurm_jobs import SlurmJobs

CONNECT_SECONDS = 20
POLL_SECONDS = 1.0
SECONDS_WITHOUT_WORKERS = 10.0
SECONDS_TO_START_AGAIN = 60


class UnitTookTooLong(Exception):
    """What a future says whose worker was restarted for the timeout."""


class _Call:
    """What was submitted: dask's own future, and when and where a worker began with it."""

    def __init__(self, submitted: Any) -> None:
        self.submitted = submitted
        self.began: float | None = None
        self.worker = ""


class DaskEngine(ExecutionEngine):
    """Submits to a dask client; a chunk whose worker dies comes back as lost."""

    chunk_seconds = 3.0
    ends_hanging_units = True

    def __init__(self, options: EngineOptions) -> None:
        if options.scheduler and options.slurm:
            remedy = "leave one of them out"
            raise BadValue("both a running scheduler and SLURM", place=argument("slurm"), remedy=remedy)
        try:
            import distributed
        except ImportError as error:
            raise MissingExtra(
                "engine 'dask' needs the package 'distributed'", remedy="pip install 'caregrid[cluster]'"
            ) from error
        self._options = options
        self._chosen = parse_slurm_options(options.slurm)
        if options.scheduler and "://" not in options.scheduler and not os.path.isfile(options.scheduler):
            raise BadFile("no such scheduler file", place=options.scheduler, remedy="or give tls://HOST:PORT")
        self._workers: dict[str, int] = {}
        self._polled = self._seen_workers = float("-inf")
        self._calls: dict[Future[Any], _Call] = {}
        self._restarted: set[str] = set()
        self._topic = f"caregrid-{uuid.uuid4().hex}"
        self._wanted = 0
        self._jobs: SlurmJobs | None = None
        self._news: list[str] = []
        self.lost: tuple[type[BaseException], ...] = (distributed.KilledWorker, UnitTookTooLong)

    def plan(self) -> str:
        """For SLURM the script of a job."""
        if not self._chosen:
            return super().plan()
        return write_job_script(self._chosen, describe_certificates(self._options.without_tls))

    def start(self) -> None:
        """Start or join the cluster."""
        import dask

        if self._chosen and shutil.which("sbatch") is None:
            remedy = "run it where jobs are submitted"
            raise BadValue("no command 'sbatch' here", place=argument("slurm"), remedy=remedy)
        without_tls = self._options.without_tls
        if self._options.scheduler:
            security = read_certificates(self._options.scheduler, without_tls)
        else:
            security = make_certificates(without_tls)
        dask.config.set(
            {
                "distributed.scheduler.allowed-failures": 0,
                "distributed.nanny.pre-spawn-environ": {**THREAD_LIMITS, **NO_CURRENT_FOLDER},
                "distributed.worker.multiprocessing-method": "loky",  # unlike "spawn" it does not run the program again
                "distributed.deploy.lost-worker-timeout": f"{SECONDS_TO_START_AGAIN} s",
            }
        )
        let_workers_be_killed()
        with shield_children():
            self._cluster: Any = None if self._options.scheduler else self._start_cluster(security)
            self._client = _make_client(self._options.scheduler, self._cluster, security)
        self._client.subscribe_topic(self._topic, self._note_begin)
        self._seen_workers = time.monotonic()

    def _start_cluster(self, security: Any) -> Any:
        if self._chosen:
            from experiments.runs.engines._slurm_jobs import SlurmJobs

            self._jobs = SlurmJobs(self._options.workers or 1, self._chosen, security)
            return self._jobs.cluster
        import distributed
        from loky import cpu_count

        self._wanted = self._options.workers or cpu_count()
        local_cluster: Any = distributed.LocalCluster
        try:
            return local_cluster(
                n_workers=self._wanted,
                threads_per_worker=1,
                dashboard_address=None,
                scheduler_kwargs={"dashboard_address": "127.0.0.1:0"},  # two runs of a machine never want one port
                memory_limit=0,
                security=security,
                silence_logs=logging.CRITICAL,
            )
        except (OSError, RuntimeError) as error:  # a worker was killed while it started, or files are lacking
            reason = read_exception(error).rstrip(".")
            remedy = "the same command tries again"
            raise CaregridError(
                f"its workers cannot be started: {reason}", place="engine 'dask'", remedy=remedy
            ) from error

    @property
    def capacity(self) -> int:
        """One chunk a thread of the cluster as it is now; one while no worker has come yet."""
        if time.monotonic() - self._polled > POLL_SECONDS:
            known = self._client.scheduler_info(n_workers=-1)["workers"].values()
            self._workers = {str(worker["name"]): worker["nthreads"] for worker in known}
            self._polled = time.monotonic()
        return max(1, sum(self._workers.values()))

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Future[Any]:
        """Hand it to the scheduler.

        Not by dask's own executor: it reads a result and then its status, and takes a result for an error where the
        worker that holds it dies in between.
        """
        promise: Future[Any] = Future()
        promise.set_running_or_notify_cancel()
        key = f"caregrid-{uuid.uuid4().hex}"
        call, letter = seal_call(function, arguments, announced=(self._topic, key))
        submitted = self._client.submit(call, *letter, key=key, pure=False, retries=0)
        self._calls[promise] = _Call(submitted)
        submitted.add_done_callback(lambda done: _keep_promise(promise, done))
        return promise

    def wait(self, futures: Collection[Future[Any]], timeout: float) -> Collection[Future[Any]]:
        """Those that are done by then; the worker of a unit that has taken longer than the timeout is restarted."""
        workers = self._note_workers()
        if self._jobs is not None:
            self._jobs.look(workers)
        limit = self._options.unit_timeout
        for future in futures:
            began = self._calls[future].began if limit is not None and not future.done() else None
            if limit is not None and began is not None and time.monotonic() - began > limit:
                self._give_up(future)
        done = concurrent.futures.wait(futures, timeout, concurrent.futures.FIRST_COMPLETED).done
        for future in done:
            self._calls.pop(future, None)
        return done

    def _note_workers(self) -> Collection[str]:
        """Return the names of the workers there are; a word where there have been none for a while.

        A cluster of this machine gives a worker up that takes long to start again, and is asked for another.
        """
        if self._wanted > len(self._workers):
            self._cluster.scale(self._wanted)
        if self.capacity and self._workers:
            self._seen_workers = time.monotonic()
        elif time.monotonic() - self._seen_workers > SECONDS_WITHOUT_WORKERS:
            self._seen_workers = float("inf")  # once, until one has been seen
            self._news.append("no worker is there; waiting for one")
        return self._workers

    def news(self) -> list[str]:
        """Jobs that ended, and the lack of workers."""
        news = self._news
        self._news = []
        if self._jobs is not None:
            news += self._jobs.news
            self._jobs.news = []
        return news

    def began(self, future: Future[Any], submitted: float) -> float | None:
        """When its worker said so."""
        return self._calls[future].began if future in self._calls else submitted

    def gave_up(self, future: Future[Any]) -> bool:
        """Return whether its worker was restarted for the timeout."""
        return isinstance(future.exception(), UnitTookTooLong)

    def was_ended(self, future: Future[Any]) -> bool:
        """Return whether SLURM ended the job of its worker, or the worker was restarted for another unit's timeout."""
        error: Any = future.exception()
        worker = getattr(error, "last_worker", None)
        if worker is None:
            return False
        return worker.address in self._restarted or (self._jobs is not None and self._jobs.was_ended(str(worker.name)))

    def _note_begin(self, event: tuple[float, dict[str, str]]) -> None:
        """A worker has loaded what was sent, and begins; the scheduler may have it done more than once."""
        begun = event[1]
        for call in list(self._calls.values()):
            if call.submitted.key == begun["key"]:
                call.began = time.monotonic()
                call.worker = begun["worker"]

    def _give_up(self, future: Future[Any]) -> None:
        """Let go of a future, and have its worker's process replaced by the scheduler, which takes some seconds."""
        call = self._calls[future]
        future.set_exception(UnitTookTooLong())
        call.submitted.cancel()
        self._restarted.add(call.worker)

        def restart() -> None:
            with contextlib.suppress(Exception):  # the worker, or the cluster, may be gone by now
                self._client.restart_workers([call.worker], raise_for_error=False)

        threading.Thread(target=restart, daemon=True).start()

    def close(self, abandon: bool) -> None:
        """Leave the cluster; a scheduler that was started here is stopped, at the latest when this process ends."""
        with contextlib.suppress(Exception):  # of a cluster that is slow to close; what was computed is here
            self._client.close()
            if self._cluster is not None:
                self._cluster.close()
        if self._jobs is not None:
            self._jobs.remove_certificates()


def let_workers_be_killed() -> None:
    """Give loky's processes `kill`, which dask calls if a worker takes long to close; they only have `terminate`."""
    from loky.backend.process import LokyProcess

    def kill(self: Any) -> None:
        if self.pid is not None and self.exitcode is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, getattr(signal, "SIGKILL", signal.SIGTERM))

    LokyProcess.kill = kill


def _keep_promise(promise: Future[Any], done: Any) -> None:
    """Hand over the result of a dask future, computed anew where it was lost, or the exception it ends with."""
    try:
        result, error = done.result(), None
    except BaseException as raised:
        result, error = None, raised
    with contextlib.suppress(concurrent.futures.InvalidStateError):  # it was given up meanwhile
        promise.set_result(result) if error is None else promise.set_exception(error)


def _make_client(scheduler: str | None, cluster: Any, security: Any) -> Any:
    import distributed

    client: Any = distributed.Client
    if scheduler is None:
        return client(cluster)
    target = {"address": scheduler} if "://" in scheduler else {"scheduler_file": scheduler}
    try:
        return client(**target, timeout=CONNECT_SECONDS, security=security)
    except (OSError, ValueError) as error:
        remedy = "start one first"
        raise BadValue(f"no scheduler answers at {scheduler}", place=argument("scheduler"), remedy=remedy) from error
