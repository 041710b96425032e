"""Workers as SLURM jobs: texts such as "queue=short" become options of dask-jobqueue, checked before it starts."""

from __future__ import annotations

import inspect
from typing import Any

from engine.errors import BadValue, MissingExtra, UnknownName

NOT_FOR_USERS = {"args", "kwargs", "scheduler", "name", "job_cls", "asynchronous", "security"}


def slurm_options(texts: tuple[str, ...]) -> dict[str, Any]:
    """ "NAME=VALUE" texts as keyword arguments; UnknownName, BadValue or MissingExtra where they are none."""
    if not texts:
        return {}
    try:
        import dask
        import dask_jobqueue.core
        import dask_jobqueue.slurm
    except ImportError as error:
        raise MissingExtra("--slurm needs 'dask-jobqueue'", remedy="pip install 'caregrid[cluster]'") from error
    makers = (dask_jobqueue.slurm.SLURMJob, dask_jobqueue.core.Job, dask_jobqueue.core.JobQueueCluster)
    known = {name for maker in makers for name in inspect.signature(maker).parameters} - NOT_FOR_USERS
    chosen: dict[str, Any] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        name = name.strip().replace("-", "_")
        if not equals:
            raise BadValue(f"'{text}' sets nothing", place="--slurm", remedy="write NAME=VALUE, such as queue=short")
        if name not in known:
            raise UnknownName("option", name, known, place="--slurm")
        chosen[name] = int(value) if value.isdecimal() else value
    for name in ("cores", "memory"):
        if name not in chosen and dask.config.get(f"jobqueue.slurm.{name}", None) is None:
            raise BadValue(f"no {name}", place="--slurm", remedy="give at least cores=N and memory=SIZE")
    return chosen


def slurm_cluster(jobs: int, chosen: dict[str, Any]) -> Any:
    """A cluster whose workers are that many jobs, submitted now."""
    from dask_jobqueue.slurm import SLURMCluster

    cluster: Any = SLURMCluster(**chosen)
    cluster.scale(jobs=jobs)
    return cluster
