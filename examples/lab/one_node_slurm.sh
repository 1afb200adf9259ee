#!/usr/bin/env bash
# A Slurm of one node for tests: its daemons as plain processes, with all that they write in one folder.
#   one_node_slurm.sh start FOLDER   then: source FOLDER/environment
#   one_node_slurm.sh stop FOLDER
# Ends with 77 and a word where it cannot be: it needs slurmctld, slurmd and munge (Debian and Ubuntu: slurmctld slurmd
# slurm-client munge), and root, as which slurmd runs.
set -euo pipefail
[[ $# == 2 ]] || { echo "usage: $0 start|stop FOLDER" >&2; exit 2; }
mkdir -p "$2"
folder=$(realpath "$2")
PATH=$PATH:/usr/sbin:/sbin

skip() { echo "skipped: $*"; exit 77; }

stop() {
    local name pid
    for name in slurmd slurmctld munged; do
        pid=$(cat "$folder/$name.pid" 2>/dev/null) || continue
        kill "$pid" 2>/dev/null || continue
        for _ in {1..100}; do kill -0 "$pid" 2>/dev/null || break; sleep 0.1; done
        kill -9 "$pid" 2>/dev/null || true
    done
}
if [[ $1 == stop ]]; then stop; exit; fi

for program in slurmctld slurmd munged mungekey sbatch; do
    command -v "$program" >/dev/null || skip "no $program (Debian and Ubuntu: slurmctld slurmd slurm-client munge)"
done
((EUID == 0)) || skip "slurmd runs as root"

# Ports of its own, so that it stands beside another.
port=$((20000 + $$ % 20000))
host=$(hostname -s)
mkdir -p "$folder"/{state,spool}
chmod 755 "$folder"
cat >"$folder/slurm.conf" <<CONF
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
SlurmdPort=$((port + 1))
AuthType=auth/munge
AuthInfo=socket=$folder/munge.socket
CredType=cred/munge
SlurmUser=root
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SchedulerType=sched/backfill
SchedulerParameters=batch_sched_delay=1,sched_interval=1
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/none
JobRequeue=1
KillWait=2
ReturnToService=1
SlurmdParameters=config_overrides
NodeName=$host NodeAddr=127.0.0.1 CPUs=4 State=UNKNOWN
PartitionName=all Nodes=$host Default=YES MaxTime=60 State=UP
CONF
cat >"$folder/environment" <<ENVIRONMENT
export SLURM_CONF=$folder/slurm.conf
export PATH=$PATH
ENVIRONMENT
export SLURM_CONF=$folder/slurm.conf

# munged wants folders that none but its user may write.
mungekey --create --keyfile="$folder/munge.key" --force
munged --force --socket="$folder/munge.socket" --key-file="$folder/munge.key" --pid-file="$folder/munged.pid" \
    --log-file="$folder/munged.log" --seed-file="$folder/munge.seed"
# Each goes into the background by itself; what it says goes to its log.
slurmctld -c
slurmd
for _ in {1..300}; do
    if [[ $(sinfo -h -o %T 2>/dev/null) == idle ]]; then exit 0; fi
    sleep 0.1
done
echo "Slurm has not come up:" >&2
tail -n 5 "$folder"/*.log >&2 || true
stop
exit 1
