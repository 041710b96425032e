"""The script of a job array: one job a shard, under any scheduler, without an open port.

    caregrid run NAME --array-script slurm:100      prints it; each of its jobs runs the same command with --shard I/100

A scheduler differs from another in the head of its script and in the name of the variable that numbers the jobs.
"""

from __future__ import annotations

import json
import os
import shlex
import sys
from collections.abc import Sequence
from typing import Annotated, Any, NamedTuple, Unpack

from caregrid.command_line.operation import Word
from caregrid.runs.execution import RunOptions
from caregrid.runs.experiment import RunPlan
from engine.errors import BadValue, argument
from engine.value_types import ValueType, WholeNumbers


class Scheduler(NamedTuple):
    """What the script of a scheduler needs. number: the shell's expression for the number of a job, from 1 on."""

    text: str
    number: str


_SHELL = """
cd {folder} || exit 2
exec {command}
"""
SCHEDULERS = {
    "slurm": Scheduler(
        """#!/bin/sh
# submit it with limits of yours: sbatch --time=01:00:00 --mem=4G FILE
#SBATCH --job-name=caregrid
#SBATCH --array=1-{jobs}
#SBATCH --cpus-per-task={cores}"""
        + _SHELL,
        "$SLURM_ARRAY_TASK_ID",
    ),
    "pbs": Scheduler(
        """#!/bin/sh
# submit it with limits of yours: qsub -l walltime=01:00:00 FILE
#PBS -N caregrid
#PBS -J 1-{jobs}
#PBS -l select=1:ncpus={cores}"""
        + _SHELL,
        "$PBS_ARRAY_INDEX",
    ),
    "lsf": Scheduler(
        """#!/bin/sh
# submit it with limits of yours: bsub -W 1:00 -M 4G < FILE
#BSUB -J "caregrid[1-{jobs}]"
#BSUB -n {cores}
#BSUB -R "span[hosts=1]\""""
        + _SHELL,
        "$LSB_JOBINDEX",
    ),
    "kubernetes": Scheduler(
        """# put in your image and your volume, which all jobs share, and submit it: kubectl create -f FILE
apiVersion: batch/v1
kind: Job
metadata:
  generateName: caregrid-
spec:
  completionMode: Indexed
  completions: {jobs}
  parallelism: {jobs}
  backoffLimit: {jobs}
  template:
    spec:
      restartPolicy: Never
      containers:
        - name: caregrid
          image: YOUR_IMAGE
          workingDir: /shared
          command: ["/bin/sh", "-c", {quoted}]
          resources:
            requests: {{cpu: "{cores}"}}
          volumeMounts:
            - {{name: shared, mountPath: /shared}}
      volumes:
        - name: shared
          persistentVolumeClaim: {{claimName: YOUR_VOLUME}}
""",
        "$((JOB_COMPLETION_INDEX + 1))",
    ),
}
OPTION = "--array-script"
JOBS = WholeNumbers(2, 1_000_000)


def _read_array(text: str) -> str:
    name, _, jobs = text.strip().partition(":")
    if name not in SCHEDULERS or not jobs.isascii() or not jobs.isdecimal() or not JOBS.admit(int(jobs[:9])):
        raise ValueError(text)
    return text.strip()


ARRAY = ValueType(
    f"SCHEDULER:JOBS, such as slurm:100: one of {', '.join(SCHEDULERS)}, and from {JOBS} jobs",
    lambda value: isinstance(value, str),
    _read_array,
    "SCHEDULER:JOBS",
)


def write_array_script(
    array_script: Annotated[str, ARRAY, Word(metavar="SCHEDULER:JOBS")], **options: Unpack[RunOptions]
) -> RunPlan:
    """Only print the script of an array of jobs, one per shard.

    Parameters
    ----------
    array_script : str
        Only print the script of an array of jobs, one per shard: slurm:100, pbs:100, lsf:100 or kubernetes:100.
    """
    name, _, jobs = array_script.partition(":")
    for other in ("shard", "scheduler", "slurm"):
        if options.get(other):
            remedy = "each job of the array gets a shard, and needs no cluster of dask"
            raise BadValue(f"{argument(other)} beside {OPTION}", place=OPTION, remedy=remedy)
    scheduler = SCHEDULERS[name]
    words = _leave_out(sys.argv[1:])
    cores = options.get("workers") or 1
    if not options.get("workers"):
        words += ["--workers", "1"]
    program = ["caregrid"] if name == "kubernetes" else [sys.executable, "-m", "caregrid"]
    command = f'{shlex.join([*program, *words])} --shard "{scheduler.number}/{jobs}"'
    filled: dict[str, Any] = {"jobs": jobs, "cores": cores, "command": command}
    return RunPlan(
        scheduler.text.format(**filled, folder=shlex.quote(os.getcwd()), quoted=json.dumps(f"exec {command}"))
    )


def _leave_out(words: Sequence[str]) -> list[str]:
    """Return the words of this command line without those that concern the script alone."""
    left = [word for word in words if word != "--json" and not word.startswith(f"{OPTION}=")]
    if OPTION in left:
        place = left.index(OPTION)
        del left[place : place + 2]
    return left
