#!/usr/bin/env bash
# What intervals and timelines cost beside the run that they are of, in instructions of the host, counted by Valgrind:
# docs/explanation/performance.md. Takes some minutes.
#   LAB=build/lab/examples/lab/lab examples/lab/time_costs.sh [kernel]
set -euo pipefail
lab=$(realpath "${LAB:-$(command -v lab)}")
kernel=${1:-bfs}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

# Instructions of such a run.
count() {
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$lab" run --no-config --kernel "$kernel" --scheduler gto \
        --preset gtx480 --no-reuse --quiet --json run.json "$@" 2>&1 | sed -n 's/.*Collected : \([0-9]*\)$/\1/p'
}
plain=$(count)
row() { awk -v what="$1" -v n="$2" -v to="$3" 'BEGIN { printf "%-58s %10.1f %8.2f\n", what, n / 1e6, n / to }'; }
printf '%-58s %10s %8s\n' "$kernel" "M instr." "ratio"
row "lab run" "$plain" "$plain"
row "  --launches" "$(count --launches)" "$plain"
row "  --intervals 1000" "$(count --intervals 1000)" "$plain"
row "  --intervals 10000" "$(count --intervals 10000)" "$plain"
row "  --timeline, core 0" "$(count --timeline t.json --core 0)" "$plain"
row "  --timeline, core 0, its first cycle" "$(count --timeline t.json --core 0 --timeline-cycles 0:1)" "$plain"
row "  --timeline, partition 0" "$(count --timeline t.json --partition 0)" "$plain"
row "  --timeline of all" "$(count --timeline t.json)" "$plain"
