#!/usr/bin/env bash
# The ten commands of docs/howto/sweeps.md, as they stand there: 500 points (10 kernels, 10 schedulers, 5 sizes of the L1
# data cache), killed twice with SIGKILL, resumed, asked, drawn and reported. Takes some minutes of a core; not part of CI.
#   LAB=build/lab/examples/lab/lab examples/lab/five_hundred_points.sh [folder]
set -euo pipefail
page=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../../docs/howto/sweeps.md")
folder=${1:-five_hundred_points}
mkdir -p "$folder"
program=$(realpath "${LAB:-$(command -v lab)}")
cd "$folder"
rm -rf runs.db* plan.toml ./*.svg report.html means.csv
lab() { "$program" "$@"; }

# The first block of this kind behind the page's mark.
block() { awk -v kind="$1" '/<!-- five hundred points -->/ { seen = 1 } seen && $0 == "```" { if (on) exit } on { print }
                            seen && $0 == "```" kind { on = 1 }' "$page"; }
block toml >plan.toml
mapfile -t commands < <(block sh | sed 's/ *#.*//')
[[ ${#commands[@]} == 10 ]] || { echo "the page has ${#commands[@]} commands, not ten" >&2; exit 1; }

there() { lab results runs.db --csv - --columns none 2>/dev/null | grep -c ',ipc,' || true; }
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
[[ $(there) == 500 ]] || { echo "there are $(there) points, not 500" >&2; exit 1; }
[[ $(lab sweep plan.toml --db runs.db --quiet) == "500 points: 500 were there, 0 run here"* ]]
for file in map.svg sizes.svg stalls.svg report.html means.csv; do [[ -s $file ]]; done
echo "500 points, in $(pwd)"
