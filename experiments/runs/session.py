"""One session of a run: hand out chunks, store what comes back, try lost ones again, stop when asked to.

The order of work, the engine, deaths and restarts decide when a unit is computed, never what it gives.
"""

from __future__ import annotations

import time
from concurrent.futures import CancelledError, Future

from engine.errors import BadFile, CaregridError, ContractBroken
from experiments.experiment import UnitSetting
from experiments.runs.engines import ExecutionEngine
from experiments.runs.interruption import StopRequest, stop_requests
from experiments.runs.keys import canonical_json
from experiments.runs.progress import Progress
from experiments.runs.run_directory import RunDirectory
from experiments.runs.session_log import SessionLog
from experiments.runs.storage.code_digest import code_digest
from experiments.runs.summary import RunSummary, UnitFailure
from experiments.runs.work.chunks import Chunk, Chunks
from experiments.runs.work.shared_work import SharedWork
from experiments.runs.worker import UnitResult, run_chunk

POLL_SECONDS = 0.2
SECONDS_UNTIL_NAMED = 10.0
TOO_LONG = "it ran longer than"


class Session:
    """The loop and what it counts."""

    def __init__(
        self,
        store: RunDirectory,
        engine: ExecutionEngine,
        log: SessionLog,
        progress: Progress,
        summary: RunSummary,
        work: SharedWork,
        timeout: float | None = None,
    ) -> None:
        self.store, self.engine, self.log, self.progress, self.summary = store, engine, log, progress, summary
        self.work, self.timeout = work, timeout
        self._began: dict[Future[list[UnitResult]], float] = {}
        self.code = code_digest(store.experiment.run, store.experiment.together)

    def run(self) -> None:
        """Go on until nothing is left or somebody asks to stop; BadFile where results cannot be stored any more."""
        abandon = True
        seconds = 0.0 if self.timeout is not None else self.engine.chunk_seconds
        chunks = Chunks(self.work.take, self.summary.units - self.work.stored, seconds)
        try:
            with stop_requests() as stop:
                self._loop(chunks, stop)
                abandon = False
        except KeyboardInterrupt:
            self._stopped(stop, "; running units were abandoned")
        except BadFile as error:
            raise self._safe(error) from error
        finally:
            self.engine.close(abandon)

    def _loop(self, chunks: Chunks, stop: StopRequest) -> None:
        running: dict[Future[list[UnitResult]], Chunk] = {}
        while True:
            self._hand_out(chunks, stop, running)
            self.summary.already = self.work.stored
            self.progress.update(self.summary.finished, len(self.summary.failures), self._longest(running))
            if not running and (stop or not self.work.waits):
                break
            if not running:
                time.sleep(POLL_SECONDS)  # others work on what is left
                continue
            settled = [(future, running.pop(future)) for future in list(self.engine.wait(running, POLL_SECONDS))]
            self._hand_out(chunks, stop, running)  # workers go on while results are stored
            for future, chunk in settled:
                del self._began[future]
                self._settle(chunks, future, chunk)
        if stop.signal and self.summary.finished + len(self.summary.failures) < self.summary.units:
            self._stopped(stop, "")

    def _longest(self, running: dict[Future[list[UnitResult]], Chunk]) -> str:
        """The unit that has been running longest, or the first one of a chunk; "" where nothing takes long."""
        future = next(iter(running), None)
        seconds = time.monotonic() - self._began[future] if future else 0.0
        if future is None or seconds < SECONDS_UNTIL_NAMED:
            return ""
        tasks = running[future].tasks
        others = f" and {len(tasks) - 1} more" if len(tasks) > 1 else ""
        return f"{canonical_json(tasks[0].setting)}{others} for {seconds:.0f} s"

    def _hand_out(self, chunks: Chunks, stop: StopRequest, running: dict[Future[list[UnitResult]], Chunk]) -> None:
        while not stop and len(running) < self.engine.capacity and not any(chunk.last for chunk in running.values()):
            chunk = chunks.next(self.engine.capacity, idle=not running)
            if chunk is None:
                return
            experiment = self.store.experiment
            future = self.engine.submit(run_chunk, experiment.run, chunk.tasks, experiment.together, self.code)
            running[future] = chunk
            self._began[future] = time.monotonic()

    def _settle(self, chunks: Chunks, future: Future[list[UnitResult]], chunk: Chunk) -> None:
        try:
            results = future.result()
        except self.engine.lost as error:
            self._lost(chunks, chunk, self._how(future, error))
            return
        except CancelledError as error:
            raise CaregridError(
                "the cluster went away", remedy=f"{self.summary.finished} units are stored; run it again to go on"
            ) from error
        except CaregridError:
            raise
        except Exception as error:
            raise ContractBroken(
                f"its run does not travel to a worker: {error}",
                place=self.store.experiment.name,
                remedy="make it a module's function, or run it without workers",
            ) from error
        seconds = sum(done.seconds for done in results)
        chunks.learn(len(results), seconds)
        self.summary.unit_seconds += seconds
        self._keep(chunk, results)
        self.log.write(
            f"{len(results)} units in {seconds:.3f} s, the last one {canonical_json(chunk.tasks[-1].setting)}"
        )

    def _keep(self, chunk: Chunk, results: list[UnitResult]) -> None:
        """Store what has rows, report what failed; BadFile if anything could not be stored."""
        finished = []
        for task, done in zip(chunk.tasks, results, strict=True):
            if done.rows is None:
                self._failed(task.setting, done.reason, done.trace)
            else:
                finished.append((task.setting, done.rows))
        self.store.save(finished)
        self.summary.done += len(finished)
        for task in chunk.tasks:
            self.work.settled(task)

    def _how(self, future: Future[list[UnitResult]], error: BaseException) -> str:
        """Why a chunk was lost: "it ran longer than 5 s" where the engine gave it up, else how its worker died."""
        return f"{TOO_LONG} {self.timeout:g} s" if self.engine.gave_up(future) else " ".join(str(error).split())

    def _lost(self, chunks: Chunks, chunk: Chunk, how: str) -> None:
        if how.startswith(TOO_LONG):
            text = f"{canonical_json(chunk.tasks[0].setting)}, attempt {chunk.attempts}: {how}"
            self.progress.note(text)
            reason = f"{how}, {chunk.attempts} times"
        else:
            text = f"a worker died at attempt {chunk.attempts} of {len(chunk.tasks)} units: {how}"
            reason = f"its worker died {chunk.attempts} times (killed, or out of memory)"
        self.log.write(text)
        if not chunk.last:
            chunks.again(chunk)
            return
        for task in chunk.tasks:
            self._failed(task.setting, reason, how)
            self.work.settled(task)

    def _failed(self, setting: UnitSetting, reason: str, trace: str) -> None:
        self.summary.failures.append(UnitFailure(setting, reason))
        self.log.write(f"failed: {canonical_json(setting)}: {reason}\n{trace}")
        self.progress.note(f"failed: {canonical_json(setting)}: {reason}")

    def _stopped(self, stop: StopRequest, how: str) -> None:
        self.summary.stopped = stop.signal.name if stop.signal else "SIGINT"
        self.log.write(f"stopped by {self.summary.stopped}{how}")

    def _safe(self, error: BadFile) -> BadFile:
        """The same error, saying what is safe and what to do."""
        self.log.write(f"stopped: {error}")
        return BadFile(
            error.problem,
            place=error.place,
            remedy=f"{self.summary.finished} of {self.summary.units} units are stored; "
            "make room or give permission, then run the same command again",
        )
