#!/usr/bin/env bash
# What a sweep stores, merges and costs beside the simulation, on small points: docs/howto/clusters.md. Takes a minute.
#   LAB=build/lab/examples/lab/lab examples/lab/cluster_costs.sh [folder]
set -euo pipefail
lab=$(realpath "${LAB:-$(command -v lab)}")
folder=${1:-cluster_costs}
mkdir -p "$folder"
cd "$folder"
rm -rf ./*.db* ./*.txt

list() { seq -s, "$1" "$2" "$3"; }
few=(--kernel vecadd --param vecadd.n=512 --scheduler lrr --set "core.latency.int_div=$(list 1 1 10)" --set "core.latency.int_mad=$(list 1 1 10)")
many=(--kernel vecadd --param vecadd.n=512 --scheduler lrr --set "core.latency.int_div=$(list 1 1 100)" --set "core.latency.int_mad=$(list 1 1 100)")
# User and system seconds of a command.
seconds() { local TIMEFORMAT='%U %S'; { time "$@" >out.txt 2>&1; } 2>&1 | awk '{ printf "%.3f\n", $1 + $2 }'; }
per() { awk -v a="$1" -v b="$2" -v n="$3" -v unit="$4" 'BEGIN { printf "%.3g", (a - b) / n * unit }'; }

# What each of 9,900 more points costs.
plan_few=$(seconds "$lab" sweep "${few[@]}" --db none.db --dry-run)
plan_many=$(seconds "$lab" sweep "${many[@]}" --db none.db --dry-run)
cut_few=$(seconds "$lab" sweep "${few[@]}" --db few.db --commands --shards 100)
cut_many=$(seconds "$lab" sweep "${many[@]}" --db many.db --commands --shards 100)
list_bytes=$(cat many.db.shards/1/*.points | wc -c)

# Ten shards of ten points run, and merged.
"$lab" sweep "${few[@]}" --db run.db --commands --shards 10 >commands.txt 2>/dev/null
sh -e commands.txt >/dev/null
run_few=$(seconds "$lab" sweep "${few[@]}" --db alone.db --quiet --jobs 1)
merge_once=$(seconds "$lab" merge run.db.shards/1 --db run.db)
stored=$(cat run.db | wc -c)
shards=$(cat run.db.shards/1/*.db | wc -c)
empty=$(seconds "$lab" merge run.db.shards/1 --db run.db)

echo "a worker's start, each point of the plan:  $(per "$plan_many" "$plan_few" 9900 1e6) us of a core"
echo "cutting shards, each point of the plan:    $(per "$cut_many" "$cut_few" 9900 1e6) us of a core, $((list_bytes / 10000)) bytes of lists"
echo "a small run, with its row:                 $(per "$run_few" 0 100 1e3) ms of a core"
echo "stored, each run:                          $((stored / 100)) bytes merged, $((shards / 100)) bytes in shards of ten"
echo "merging, each run:                         $(per "$merge_once" 0 100 1e6) us of a core; once more: $(per "$empty" 0 100 1e6) us"
[[ $("$lab" results run.db --digest | cut -d' ' -f1) == $("$lab" results alone.db --digest | cut -d' ' -f1) ]]
