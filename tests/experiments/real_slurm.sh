#!/usr/bin/env bash
# A whole experiment through a SLURM controller and node of this machine, by hand: about two minutes, needs root and the
# packages slurmctld, slurmd and slurm-client (apt-get install slurm-wlm). No service of the system is touched.
#
#     bash tests/experiments/real_slurm.sh [PYTHON]
#
# Jobs have the shortest wall time that SLURM knows, a minute, and one is cancelled on the way; all are replaced, and the
# rows are those of an undisturbed run.
set -euo pipefail
python=$(realpath -s "${1:-python}")
root=$(cd "$(dirname "$0")/../.." && pwd)
folder=$(mktemp -d)
for command in slurmctld slurmd sbatch squeue scancel; do
  command -v $command >/dev/null || { echo "no command $command: apt-get install slurm-wlm"; exit 2; }
done
host=$(hostname -s)
mkdir "$folder/spool" "$folder/state"
cat > "$folder/slurm.conf" <<CONF
ClusterName=caregrid
SlurmctldHost=$host
SlurmUser=root
SlurmdUser=root
AuthType=auth/none
CredType=cred/none
SlurmctldPort=27817
SlurmdPort=27818
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
SlurmdSpoolDir=$folder/spool
StateSaveLocation=$folder/state
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
KillWait=2
NodeName=$host CPUs=2 RealMemory=2000 State=UNKNOWN
PartitionName=short Nodes=ALL Default=YES MaxTime=INFINITE State=UP
CONF
export SLURM_CONF="$folder/slurm.conf" PYTHONPATH="$root"
cat > "$folder/own_paper.py" <<'PAPER'
import time
from experiments.experiment import Experiment


def run(n, key):
    time.sleep(2)
    return [{"square": n * n}]


mine = Experiment("a paper", {"n": tuple(range(70))}, run)
PAPER
end() {
  scancel --me || true
  for daemon in slurmd slurmctld; do [ -f "$folder/$daemon.pid" ] && kill "$(cat "$folder/$daemon.pid")"; done
}
trap end EXIT
slurmctld -c
slurmd
cd "$folder"
jobs="--engine dask --workers 2 --slurm cores=1 --slurm memory=900MB --slurm walltime=00:01:00 --slurm log_directory=jobs"
(sleep 30; scancel "$(squeue --noheader --format=%i | sort -n | head -1)") &
"$python" -m caregrid run own_paper:mine --out by_jobs $jobs
"$python" -m caregrid run own_paper:mine --out by_local --engine local --workers 2 --quiet
cmp by_jobs/rows.csv by_local/rows.csv
squeue --states=all --format="%i %T"
grep -h "another takes its place" by_jobs/logs/*.log
grep -q "reached its wall time" by_jobs/logs/*.log
grep -q "was cancelled" by_jobs/logs/*.log
echo "the same rows through $(squeue --noheader --states=all | wc -l) jobs; all is in $folder"
