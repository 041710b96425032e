"""Workers as SLURM jobs: options, scripts, and jobs that end, under stand-ins for SLURM's commands.

`real_slurm.sh` does the same through a SLURM controller and node of this machine, where they are installed.
"""

import contextlib
import os
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caregrid.main import main
from engine.errors import CaregridError
from experiments.runs.engines import _slurm
from experiments.runs.engines._slurm import parse_slurm_options
from tests.experiments.processes import ROOT, finish_run

pytest.importorskip("dask_jobqueue", reason="--slurm needs the extra 'cluster'")

# A job runs the script in a session of its own. Of the first MORTAL jobs each is ended at a random moment (of a seeded
# generator) after its worker has joined: by SIGTERM as at the wall time, or by SIGKILL as by the loss of a node.
SUBMIT = """#!/bin/sh
id=1
while ! mkdir {folder}/$id 2>/dev/null; do id=$((id + 1)); done
job={folder}/$id
cp "$1" $job/script && echo RUNNING > $job/state && exec 3>&1 > /dev/null 2>&1
setsid sh -c "sh $job/script > $job/said 2>&1 3>&-; grep -q RUNNING $job/state && echo FAILED > $job/state" 3>&- &
echo $! > $job/pid
[ $id -gt {mortal} ] || setsid sh -c "
  while grep -q RUNNING $job/state && ! grep -q Registered $job/said; do sleep 0.1; done
  grep -q RUNNING $job/state || exit
  sleep $(awk -v seed=$((22 + id)) 'BEGIN {{ srand(seed); print 0.5 + 1.5 * rand() }}')
  if [ $((id % 2)) = 1 ]; then end=TIMEOUT; signal=TERM; else end=NODE_FAIL; signal=KILL; fi
  echo \\$end > $job/state
  kill -s \\$signal -- -$(cat $job/pid)" 3>&- &
echo "Submitted batch job $id" >&3
"""
QUEUE = """#!/bin/sh
cd {folder} && for job in *; do echo "$job $(cat $job/state)"; done
"""
CANCEL = """#!/bin/sh
echo CANCELLED > {folder}/$1/state
kill -s TERM -- "-$(cat {folder}/$1/pid)"
"""
IMPATIENT = (
    "import experiments.runs.engines._slurm_jobs as jobs; jobs.SECONDS_BETWEEN_LOOKS = 1.0;"
    "import sys; from caregrid.main import main; sys.exit(main())"
)
JOBS = ("--engine", "dask", "--workers", "2", "--slurm", "cores=1", "--slurm", "memory=1GB")


def _stand_in(folder: Path, mortal: int, monkeypatch: pytest.MonkeyPatch) -> Path:
    jobs = folder / "jobs"
    jobs.mkdir()
    for name, text in (("sbatch", SUBMIT), ("squeue", QUEUE), ("scancel", CANCEL)):
        command = folder / "bin" / name
        command.parent.mkdir(exist_ok=True)
        command.write_text(text.format(folder=jobs, mortal=mortal))
        command.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("HOME", str(folder))
    return jobs


@pytest.mark.slow
def test_jobs_that_end_at_random_moments_are_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reference = finish_run("patient_units", tmp_path / "serial", "--engine", "serial")
    assert reference.returncode == 0, reference.stderr
    jobs = _stand_in(tmp_path, 3, monkeypatch)
    done = finish_run("patient_units", tmp_path / "out", *JOBS, script=IMPATIENT)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert (tmp_path / "out" / "rows.csv").read_bytes() == (tmp_path / "serial" / "rows.csv").read_bytes()
    log = next((tmp_path / "out" / "logs").glob("*.log")).read_text()
    told = re.findall(r"SLURM job (\d+) (reached its wall time|lost its node); another takes its place", log)
    assert told
    assert all(how == ("reached its wall time" if int(job) % 2 else "lost its node") for job, how in told)
    assert "died" not in log, "what SLURM ended is held against no unit"
    scripts = [(job / "script").read_text() for job in jobs.iterdir()]
    assert all(" tls://" in script and "tls://127.0.0.1" not in script for script in scripts), "at the usual address"
    assert list(ROOT.glob(".caregrid-tls-*")) == [], "the key is gone with the run"
    states = [(job / "state").read_text().strip() for job in jobs.iterdir()]
    assert len(states) > 2
    assert set(states) <= {"TIMEOUT", "NODE_FAIL", "CANCELLED"}, "none is left running"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("broken", "message"),
    [
        (
            "job_script_prologue=echo no such environment >&2; exit 3",
            r"--slurm: [34] jobs in a row ended before a worker joined; '.* --dry-run' prints .*; 0 of 40 units",
        ),
        (
            "",
            "--slurm: no job could be submitted: sbatch: error: invalid partition; '.* --dry-run' .*; 0 of 40",
        ),
    ],
    ids=["job", "submission"],
)
def test_jobs_that_cannot_be_had_end_the_run_in_one_line(
    broken: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _stand_in(tmp_path, 0, monkeypatch)
    if not broken:
        (tmp_path / "bin" / "sbatch").write_text("#!/bin/sh\necho sbatch: error: invalid partition >&2\nexit 1\n")
    done = finish_run(
        "patient_units", tmp_path / "out", *JOBS, *(("--slurm", broken) if broken else ()), script=IMPATIENT
    )
    assert done.returncode == 2, done.stderr
    assert re.search(message, done.stderr), done.stderr
    assert done.stderr.count("\n") == 1, done.stderr


def test_the_script_of_a_job_is_printed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    options = (
        "job_extra_directives=--gres=gpu:1",
        "job-extra-directives=--mail-type=END",
        "job_script_prologue=module load python",
        "worker_extra_args=--lifetime 55m",
        "interface=ib0",
        "local_directory=/scratch",
        "walltime=01:00:00",
        "queue=short",
    )
    words = [word for option in options for word in ("--slurm", option)]
    assert main(["run", "be_considerate/figure_1b", *JOBS, *words, "--dry-run"]) == 0
    script = capsys.readouterr().out.splitlines()
    for line in (
        "#SBATCH --gres=gpu:1",
        "#SBATCH --mail-type=END",
        "#SBATCH -t 01:00:00",
        "#SBATCH -p short",
        "module load python",
    ):
        assert line in script
    worker = script[-1]
    assert all(words in worker for words in ("--lifetime 55m", "--interface ib0", "--local-directory /scratch"))
    assert all(words in worker for words in (" tls://HOST:PORT ", "--tls-ca-file CERTIFICATE", "--tls-key KEY"))
    assert main(["run", "be_considerate/figure_1b", *JOBS, "--without-tls", "--dry-run"]) == 0
    assert " tcp://HOST:PORT " in capsys.readouterr().out
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("queue", "'queue' sets nothing; write NAME=VALUE"),
        ("cores=2", "cores is given twice"),
        ("processes=2", "2 processes on 1 cores; give one a core at most"),
        ("processes=0", "give a whole number from 1 on"),
        ("nanny=maybe", "nanny=maybe; give true or false"),
        ("security=tls", "unknown option 'security'"),
        ("queue=a\nb", "queue holds a line break"),
    ],
)
def test_an_option_of_jobs_that_means_nothing_is_one_line(
    option: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["run", "be_considerate/figure_1b", *JOBS, "--slurm", option, "--dry-run"]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


def test_the_scheduler_is_bound_to_the_address_towards_the_controller(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And by default to no other, nor to an interface that the user has not named."""
    (tmp_path / "scontrol").write_text("#!/bin/sh\necho 'SlurmctldHost[0]        = nowhere(127.0.0.1)'\n")
    (tmp_path / "scontrol").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setattr(
        "distributed.utils.get_ip", lambda host="8.8.8.8": {"127.0.0.1": "10.0.0.7"}.get(host, "1.2.3.4")
    )
    _slurm._find_address.cache_clear()
    chosen = parse_slurm_options(("cores=1", "memory=1GB"))["scheduler_options"]
    assert chosen == {"dashboard_address": "127.0.0.1:0", "host": "10.0.0.7"}
    named = parse_slurm_options(("cores=1", "memory=1GB", "interface=ib0"))["scheduler_options"]
    assert "host" not in named
    _slurm._find_address.cache_clear()


NAMES = st.sampled_from(["cores", "memory", "processes", "nanny", "worker_extra_args", "scheduler_options", "walltime"])


@given(st.lists(st.one_of(st.text(max_size=20), st.builds("{}={}".format, NAMES, st.text(max_size=12))), max_size=4))
def test_no_text_is_more_than_an_error(texts: list[str]) -> None:
    with contextlib.suppress(CaregridError):
        assert parse_slurm_options(("cores=1", "memory=1GB", *texts))["processes"] == 1
