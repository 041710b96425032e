"""What may be said of SLURM jobs: texts such as "queue=short" become options of dask-jobqueue, checked beforehand.

    --slurm cores=4 --slurm memory=8GB                                     one value an option
    --slurm job_extra_directives=--gres=gpu:1 --slurm job_extra_directives=--exclusive
                                                                           an entry each time, where an option is a list

Options that are not given come from dask's own configuration files, `jobqueue.slurm`.
"""

from __future__ import annotations

import functools
import inspect
import re
import socket
import subprocess
import warnings
from typing import Any

from engine.errors import BadValue, MissingExtra, UnknownName, argument
from engine.printable import make_printable

LISTS = ("job_extra_directives", "job_script_prologue", "worker_extra_args", "job_directives_skip")
NUMBERS = ("cores", "processes", "job_cpu", "death_timeout")
WALL_TIME = re.compile(r"\d+(:[0-5]?\d){0,2}|\d+-\d{1,2}(:[0-5]?\d){0,2}|infinite|unlimited", re.ASCII | re.IGNORECASE)
MAPPINGS = ("scheduler_options",)
SWITCHES = {"nanny": {"true": True, "false": False}}
RENAMED = {"project", "extra", "job_extra", "env_extra", "header_skip"}  # which dask-jobqueue will drop
NOT_FOR_USERS = {"scheduler", "name", "job_cls", "scheduler_cls", "asynchronous", "security", "loop", "silence_logs"}
NOT_HERE = {"self", "args", "kwargs", "job_kwargs", "base_class_kwargs", "n_workers", "host", "dashboard_address"}
NO_CURRENT_FOLDER = "export PYTHONSAFEPATH=1"  # a folder of the user's must hide no package from a worker
CONTROLLER = ("scontrol", "show", "config")
CONTROLLER_HOST = re.compile(r"^SlurmctldHost\S*\s*=\s*([\w.-]+)(?:\(([\w.:-]+)\))?", re.MULTILINE)
SECONDS_TO_ANSWER = 5.0
EXAMPLE = "write NAME=VALUE, such as queue=short"


def parse_slurm_options(texts: tuple[str, ...]) -> dict[str, Any]:
    """ "NAME=VALUE" texts as keyword arguments; UnknownName, BadValue or MissingExtra where they are none."""
    if not texts:
        return {}
    known = _list_known()
    chosen: dict[str, Any] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        name = name.strip().replace("-", "_")
        value = value.strip()
        if not equals or not value:
            raise BadValue(f"'{make_printable(text)}' sets nothing", place=argument("slurm"), remedy=EXAMPLE)
        if name not in known:
            raise UnknownName("option", make_printable(name), known, place=argument("slurm"))
        if any(ord(letter) < ord(" ") for letter in value):
            remedy = "give it several times"
            raise BadValue(f"{name} holds a line break or the like", place=argument("slurm"), remedy=remedy)
        if name in LISTS:
            chosen.setdefault(name, []).append(value)
        elif name in MAPPINGS:
            key, _, setting = value.partition("=")
            chosen.setdefault(name, {})[key] = setting
        elif name in chosen:
            raise BadValue(f"{name} is given twice", place=argument("slurm"), remedy="leave one out")
        else:
            chosen[name] = _parse_value(name, value)
    return _complete(chosen)


@functools.cache
def _list_known() -> set[str]:
    try:
        import dask_jobqueue.core
        import dask_jobqueue.slurm
    except ImportError as error:
        remedy = "pip install 'caregrid[cluster]'"
        raise MissingExtra(f"{argument('slurm')} needs 'dask-jobqueue'", remedy=remedy) from error
    makers = (dask_jobqueue.slurm.SLURMJob, dask_jobqueue.core.Job, dask_jobqueue.core.JobQueueCluster)
    names = {name for maker in makers for name in inspect.signature(maker).parameters}
    return names - NOT_FOR_USERS - NOT_HERE - RENAMED


def _parse_value(name: str, text: str) -> Any:
    if name in SWITCHES:
        choices = SWITCHES[name]
        if text.lower() not in choices:
            raise BadValue(
                f"{name}={make_printable(text)}", place=argument("slurm"), remedy=f"give {' or '.join(choices)}"
            )
        return choices[text.lower()]
    if name in NUMBERS:
        if not (text.isascii() and text.isdecimal() and len(text) < 9 and int(text) > 0):
            raise BadValue(
                f"{name}={make_printable(text)}", place=argument("slurm"), remedy="give a whole number from 1 on"
            )
        return int(text)
    if name == "walltime" and not WALL_TIME.fullmatch(text):
        remedy = "give minutes, HOURS:MINUTES:SECONDS or DAYS-HOURS, such as walltime=02:00:00"
        raise BadValue(f"walltime={make_printable(text)}", place=argument("slurm"), remedy=remedy)
    if name == "memory":
        from dask.utils import parse_bytes

        try:
            enough = parse_bytes(text) >= 1
        except (ValueError, OverflowError):
            enough = False
        if not enough:
            remedy = "give a size, such as memory=8GB"
            raise BadValue(f"memory={make_printable(text)}", place=argument("slurm"), remedy=remedy)
    return text


def _complete(chosen: dict[str, Any]) -> dict[str, Any]:
    """With what a worker of ours needs: one process per core, and no folder of the user's before installed packages."""
    import dask

    def read_setting(name: str) -> Any:
        return chosen.get(name, dask.config.get(f"jobqueue.slurm.{name.replace('_', '-')}", None))

    for name in ("cores", "memory"):
        if read_setting(name) is None:
            raise BadValue(f"no {name}", place=argument("slurm"), remedy="give at least cores=N and memory=SIZE")
    cores = read_setting("cores")
    processes = read_setting("processes")
    if processes and processes > cores:
        remedy = "give one a core at most"
        raise BadValue(f"{processes} processes on {cores} cores", place=argument("slurm"), remedy=remedy)
    prologue = [NO_CURRENT_FOLDER, *(read_setting("job_script_prologue") or [])]
    scheduler = {"dashboard_address": "127.0.0.1:0", **(read_setting("scheduler_options") or {})}
    if not {"host", "interface"} & {*scheduler} and not read_setting("interface"):
        scheduler["host"] = _find_address()
    return {
        **chosen,
        "processes": processes or cores,
        "job_script_prologue": prologue,
        "scheduler_options": scheduler,
    }


@functools.cache
def _find_address() -> str:
    """Return the address at which jobs reach us: that from which we reach SLURM's controller, else the usual one."""
    import distributed.utils

    get_ip: Any = distributed.utils.get_ip
    try:
        said = subprocess.run(CONTROLLER, capture_output=True, text=True, timeout=SECONDS_TO_ANSWER, check=True).stdout
        found = CONTROLLER_HOST.search(said)
        address = get_ip(socket.gethostbyname(found[2] or found[1])) if found else ""
    except (OSError, subprocess.SubprocessError):
        address = ""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # where there is no network
        return str(get_ip()) if not address or address.startswith("127.") else address


def write_job_script(chosen: dict[str, Any], security: Any) -> str:
    """Return the script of a job, with the scheduler's address left open. security: dask's, None for none."""
    from dask_jobqueue.core import Job
    from dask_jobqueue.slurm import SLURMJob

    job: Any = SLURMJob
    understood = {*inspect.signature(Job).parameters, *inspect.signature(job).parameters}
    options = {name: value for name, value in chosen.items() if name in understood}
    if security is not None:
        options |= {"security": security, "protocol": "tls://"}
    address = "tcp://HOST:PORT" if security is None else "tls://HOST:PORT"
    return str(job(address, name="NAME", **options).job_script()).rstrip() + "\n"
