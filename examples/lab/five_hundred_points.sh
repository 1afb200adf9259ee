#!/usr/bin/env bash
# A sweep of 500 points (10 kernels, 10 schedulers, 5 sizes of the L1 data cache), killed twice with SIGKILL, resumed,
# asked, drawn and reported: docs/howto/sweeps.md, in ten commands. Takes some minutes of a core; not part of CI.
#   LAB=build/lab/examples/lab/lab examples/lab/five_hundred_points.sh [folder]
set -euo pipefail
lab=$(realpath "${LAB:-lab}")
folder=${1:-five_hundred_points}
mkdir -p "$folder"
cd "$folder"
rm -f ./*

cat >plan.toml <<'PLAN'
kernel = ["vecadd", "reduction", "histogram", "bfs", "spmv", "kmeans", "hotspot", "nn", "scan", "pathfinder"]
scheduler = ["lrr", "gto", "oldest", "gty", "two_level", "two_level_active", "ccws", "cta_aware", "elf", "mascar"]
set.l1d.size = ["8KiB", "16KiB", "24KiB", "32KiB", "48KiB"]
PLAN
there() { "$lab" results runs.db --csv - --columns none 2>/dev/null | grep -c ',ipc,' || true; }
# Killed once so many points are there.
kill_at() {
    "$lab" sweep plan.toml --db runs.db --quiet &
    local process=$!
    until [[ $(there) -ge $1 ]]; do sleep 0.2; done
    kill -9 "$process"
    wait "$process" 2>/dev/null || true
    echo "killed with $(there) of 500 points in the database"
}

set -x
"$lab" sweep plan.toml --db runs.db --dry-run
kill_at 100
kill_at 300
"$lab" sweep plan.toml --db runs.db --quiet
"$lab" sweep plan.toml --db runs.db --quiet # nothing is missing
"$lab" results runs.db --rows kernel --normalise scheduler=lrr
"$lab" results runs.db --rows l1d.size --normalise scheduler=lrr --csv means.csv
"$lab" plot runs.db --rows kernel --columns scheduler --normalise scheduler=lrr --kind heat -o map.svg
"$lab" plot runs.db --rows l1d.size --columns scheduler -o sizes.svg
"$lab" plot runs.db --rows scheduler --metric causes -o stalls.svg
"$lab" report runs.db -o report.html
set +x
[[ $(there) == 500 ]] || { echo "there are $(there) points, not 500" >&2; exit 1; }
echo "500 points, in $(pwd)"
