#!/bin/sh
# Makes the PTX of the shipped kernels, with plain clang: no NVIDIA toolkit or header is used.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
output=
compiler=${CLANG:-}

usage() {
    cat <<EOF
usage: make_ptx.sh [-o DIR] [NAME...]
Compiles */NAME.cu (all kernels without any) to NAME.ptx beside it.
  -o DIR            write to DIR, not beside the sources
  --print-compiler  name the compiler that would be used, with its major version, and stop
  -h, --help        this text
The compiler is \$CLANG, or clang++, or the newest clang++-NN on the PATH; it must have the nvptx64 target.
The committed PTX was made with clang 14.
EOF
}

# True when the compiler can make PTX.
makes_ptx() { "$1" --print-targets 2>/dev/null | grep -q nvptx64; }

find_compiler() {
    if [ -n "$compiler" ]; then return; fi
    for candidate in clang++ $(IFS=:; for d in $PATH; do ls "$d" 2>/dev/null; done |
                               grep -E '^clang\+\+-[0-9]+$' | sort -u -t- -k2,2nr); do
        if command -v "$candidate" >/dev/null && makes_ptx "$candidate"; then
            compiler=$candidate
            return
        fi
    done
}

print_compiler=
while [ $# -gt 0 ]; do
    case $1 in
    -o)
        [ $# -ge 2 ] || { usage >&2; exit 2; }
        output=$2
        shift
        ;;
    --print-compiler) print_compiler=yes ;;
    -h | --help) usage; exit ;;
    -*) usage >&2; exit 2 ;;
    *) break ;;
    esac
    shift
done

find_compiler
if [ -z "$compiler" ] || ! makes_ptx "$compiler"; then
    echo "make_ptx.sh: no clang++ with the nvptx64 target found: install clang, or set CLANG" >&2
    exit 3
fi
if [ -n "$print_compiler" ]; then
    echo "$compiler $(echo __clang_major__ | "$compiler" -E -P -x c++ -)"
    exit
fi

cd "$here"
sources=
if [ $# -eq 0 ]; then sources=$(ls -- */*.cu); fi
for name; do
    if [ ! -e "$(echo */"$name.cu")" ]; then
        echo "make_ptx.sh: there is no kernel $name" >&2
        exit 2
    fi
    sources="$sources $(echo */"$name.cu")"
done
if [ -n "$output" ]; then
    output=$(cd "$OLDPWD" && mkdir -p "$output" && cd "$output" && pwd)
fi
no_cuda=$(mktemp -d)
trap 'rmdir "$no_cuda"' EXIT
for source in $sources; do
    folder=${output:-${source%/*}}
    name=${source##*/}
    # For another machine than Volta, if the first line says so; "as" one that this compiler does not know, where only
    # asm statements need it, and with how many registers a thread is launched (.maxnreg), for which clang 14 has no
    # attribute.
    target=$(sed -n '1s,^// make_ptx: ,,p' "$source")
    target=${target:-sm_70 ptx63}
    as=
    case $target in *" as "*) as=${target#* as } ;; esac
    target=${target% as *}
    "$compiler" -x cuda --cuda-device-only --cuda-path="$no_cuda" --cuda-gpu-arch="${target% *}" \
        -Xclang -target-feature -Xclang "+${target#* }" -nocudainc -nocudalib -std=gnu++14 -I. -S -O2 -ffp-contract=off \
        -mllvm -inline-threshold=100000 -o "$folder/${name%.cu}.ptx" "$source"
    if [ -n "$as" ]; then
        set -- $as
        version=${2#ptx}
        sed -i -e "s/^\\.target .*/.target $1/" -e "s/^\\.version .*/.version ${version%?}.${version#?}/" \
            ${4:+-e "s/^)\$/)\n.maxnreg $4/"} "$folder/${name%.cu}.ptx"
    fi
done
