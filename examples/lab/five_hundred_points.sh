#!/usr/bin/env bash
# The ten commands of docs/howto/sweeps.md, as they stand there: 500 points (10 kernels, 10 schedulers, 5 sizes of the L1
# data cache), killed twice with SIGKILL, resumed, asked, drawn and reported. Takes some minutes of a core; not part of CI.
#   LAB=build/lab/examples/lab/lab examples/lab/five_hundred_points.sh [folder]
# With --cluster the same points by one process, by four ranks of Open MPI of which one is killed, and through a Slurm of
# one node (one_node_slurm.sh; as root) in which workers are killed and the node is set down: nothing finished is lost or
# run again, and all databases have the same content, to the last bit.
#   LAB=build/lab/examples/lab/lab examples/lab/five_hundred_points.sh --cluster [folder]
set -euo pipefail
here=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
page=$here/../../docs/howto/sweeps.md
cluster=
if [[ ${1:-} == --cluster ]]; then
    cluster=yes
    shift
fi
folder=${1:-five_hundred_points}
mkdir -p "$folder"
program=$(realpath "${LAB:-$(command -v lab)}")
cd "$folder"
rm -rf ./*.db* plan.toml ./*.svg report.html means.csv
lab() { "$program" "$@"; }

# The first block of this kind behind the page's mark.
block() { awk -v kind="$1" '/<!-- five hundred points -->/ { seen = 1 } seen && $0 == "```" { if (on) exit } on { print }
                            seen && $0 == "```" kind { on = 1 }' "$page"; }
block toml >plan.toml
mapfile -t commands < <(block sh | sed 's/ *#.*//')
[[ ${#commands[@]} == 10 ]] || { echo "the page has ${#commands[@]} commands, not ten" >&2; exit 1; }

there() { lab results "${1:-runs.db}" --csv - --columns none 2>/dev/null | grep -c ',ipc,' || true; }
wrong() { echo "$*" >&2; exit 1; }

if [[ $cluster ]]; then
    same() { [[ $(lab results "$1" --digest | cut -d' ' -f1) == "$digest" ]] || wrong "$1 has other content"; }
    # Until workers have put so many bytes into the databases of a folder of shards; all points are some six million.
    until_bytes() { until (($(cat "$1"/*.db "$1"/*.db-wal 2>/dev/null | wc -c) > $2)); do sleep 0.2; done; }
    # How many points they have. It ends with 1 where some are missing.
    merged() { rm -f peek.db*; { lab merge "$1" --db peek.db 2>/dev/null || true; } | grep -o '^[0-9]*'; }

    lab sweep plan.toml --db whole.db --quiet
    digest=$(lab results whole.db --digest | cut -d' ' -f1)
    echo "one process: 500 points, $digest"

    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    ranks=(mpirun --oversubscribe -n 4 "$program" sweep plan.toml --mpi --db mpi.db)
    "${ranks[@]}" >killed 2>&1 &
    launcher=$!
    until compgen -G 'mpi.db.shards/*' >/dev/null; do sleep 0.2; done
    until_bytes "$(echo mpi.db.shards/*)" 2000000
    kill -9 "$(pgrep -P $launcher | sed -n 3p)"
    ! wait $launcher || wrong "mpirun has not ended for a rank that was killed"
    had=$(merged mpi.db.shards/*)
    "${ranks[@]}" >resumed 2>&1 || { cat resumed; exit 1; }
    grep -q "500 points: $had were there, $((500 - had)) run by" resumed || wrong "$had were there: $(cat resumed)"
    same mpi.db
    echo "MPI: a rank killed with $had of 500 points there, $((500 - had)) run by the next start, $digest"

    bash "$here/one_node_slurm.sh" start slurm
    trap 'bash "$here/one_node_slurm.sh" stop "$PWD/slurm"' EXIT
    # shellcheck disable=SC1091
    source slurm/environment
    # Slurm starts what is put back two minutes later, unless it is told not to wait.
    until_done() {
        local queue
        while queue=$(squeue -h -r -o "%i %r") && [[ $queue ]]; do
            awk '$2 == "BeginTime" { print $1 }' <<<"$queue" |
                while read -r job; do scontrol update "JobId=$job" StartTime=now; done
            sleep 0.5
        done
    }
    lab sweep plan.toml --db slurm.db --slurm --shards 12 --sbatch=--time=30
    until_bytes slurm.db.shards/1 1500000
    kill -9 "$(pgrep -f "^$program sweep.*slurm.db.shards/1/[0-9]*.db" | head -n1)"
    until_bytes slurm.db.shards/1 2500000
    scontrol update "nodename=$(hostname -s)" state=down reason=test
    sleep 1
    scontrol update "nodename=$(hostname -s)" state=resume
    until_bytes slurm.db.shards/1 4000000
    kill -9 "$(pgrep -f "^$program sweep.*slurm.db.shards/1/[0-9]*.db" | tail -n1)"
    until_done
    had=$(merged slurm.db.shards/1)
    lab sweep plan.toml --db slurm.db --slurm --shards 4
    until_done
    if [[ -e slurm.db.shards/2 ]]; then
        again=$(cat slurm.db.shards/2/*.points | grep -vc '#')
    else
        again=0
    fi
    ((had + again == 500)) || wrong "of 500 points $had were there, and $again were run by the second submission"
    same slurm.db
    echo "Slurm: two workers killed and the node down, $had of 500 points there, $again run by the second submission, $digest"
    exit
fi

# Killed once so many points are there.
kill_at() {
    # shellcheck disable=SC2086
    setsid "$program" ${2#lab } --quiet &
    local process=$!
    until [[ $(there) -ge $1 ]]; do sleep 0.2; done
    kill -9 "$process"
    wait "$process" 2>/dev/null || true
    echo "killed with $(there) of 500 points in the database"
}

for i in "${!commands[@]}"; do
    echo "\$ ${commands[i]}"
    case $i in
    1) kill_at 100 "${commands[i]}" ;;
    2) kill_at 300 "${commands[i]}" ;;
    *) eval "${commands[i]}" ;;
    esac
done
[[ $(there) == 500 ]] || wrong "there are $(there) points, not 500"
[[ $(lab sweep plan.toml --db runs.db --quiet) == "500 points: 500 were there, 0 run here"* ]]
for file in map.svg sizes.svg stalls.svg report.html means.csv; do [[ -s $file ]]; done
echo "500 points, in $(pwd)"
