"""Compiles the killers from the tree with faults, once for all; what does not compile is left out."""

import os
import re
import shutil
import signal
import subprocess
import sys
import threading

from plan import digest, load, make_tree, save

_ERROR = re.compile(r"^\S*?/include/warpkit/([^:\s]+):(\d+):\d+: (?:fatal )?error", re.M)


def read_left_out(work, faults):
    """The numbers of faults that are known not to compile."""
    keys = set(load(work / "left_out.json", []))
    return {f.number for f in faults if f.key in keys}


def targets_of(folders):
    """All folders have tests of their name."""
    return ["mutant_machines", *(f"test_{f}" for f in folders)]


def configure(tree, build, compiler):
    if (build / "CMakeCache.txt").exists():
        return
    flags = "-O1 -w -D_GLIBCXX_ASSERTIONS"  # beyond the end of a container is a crash
    options = ["-DCMAKE_BUILD_TYPE=None", f"-DCMAKE_CXX_FLAGS={flags}", f"-DCMAKE_CXX_COMPILER={compiler}",
               "-DWARPKIT_MUTANTS=ON", "-DWARPKIT_BUILD_EXAMPLES=OFF", "-DWARPKIT_BUILD_BENCH=OFF",
               "-DWARPKIT_BUILD_FACADE=OFF", "-DWARPKIT_INSTALL=OFF", "-DWARPKIT_FUZZ_SECONDS=0"]
    if shutil.which("ninja"):
        options += ["-G", "Ninja"]
    if shutil.which("ccache"):
        options += ["-DCMAKE_CXX_COMPILER_LAUNCHER=ccache"]
    subprocess.run(["cmake", "-S", tree, "-B", build, *options], check=True, stdout=sys.stderr)


def _faults_at(errors, faults, left_out):
    places = {(file, int(line)) for file, line in _ERROR.findall(errors)}
    at = {}
    for f in faults:
        if f.number not in left_out:
            at.setdefault(f.file, []).append(f)
    found = set()
    for file, line in places:  # a fault may go on for some lines
        before = [f for f in at.get(file, []) if f.line <= line]
        if before and line - max(f.line for f in before) < 4:
            found.add(max(before, key=lambda f: f.line).number)
    return found


def _compile(binaries, folders, jobs, seconds):
    """Builds what can be built; whether all of it, and what was said. Ends with 3 where time runs out."""
    keep_going = "-k0" if (binaries / "build.ninja").exists() else "-k"
    command = ["cmake", "--build", str(binaries), "--parallel", str(jobs), "--target", *targets_of(folders), "--",
               keep_going]
    run = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, process_group=0)
    late = threading.Timer(seconds, os.killpg, (run.pid, signal.SIGTERM))
    late.daemon = True
    late.start()
    said = []
    try:
        for line in run.stdout:
            said.append(line)
            if line.startswith("["):
                print(line.rstrip()[:118], file=sys.stderr, flush=True)
        good = run.wait() == 0
    finally:
        if run.poll() is None:
            os.killpg(run.pid, signal.SIGTERM)
    if not good and not late.is_alive():
        print("mutants: out of time while killers are compiled; the same command goes on", file=sys.stderr)
        sys.exit(3)
    late.cancel()
    return good, "".join(said)


def _check(work, faults, left_out, compiler):
    """What the compiler says of all headers with faults at once, without the templates' instances: found early, a fault
    that does not compile makes nothing be compiled twice."""
    everything = work / "all.cpp"
    headers = sorted({f.file for f in faults})
    everything.write_text("".join(f"#include <warpkit/{h}>\n" for h in headers))
    command = [compiler, "-std=c++20", "-fsyntax-only", "-w", "-I", work / "tree/include", everything]
    said = subprocess.run(command, stderr=subprocess.PIPE, text=True).stderr
    return _faults_at(said, faults, left_out)


def build(top, work, faults, sites, folders, options, seconds_left):
    """Builds the killers; the numbers of faults that do not compile."""
    tree, binaries = work / "tree", work / "killers"
    left_out = read_left_out(work, faults)

    def leave_out(wrong):
        print(f"mutants: {len(wrong)} faults do not compile: {sorted(wrong)}", file=sys.stderr)
        left_out.update(wrong)
        save(work / "left_out.json", sorted(f.key for f in faults if f.number in left_out))
        make_tree(top, tree, sites, left_out)

    make_tree(top, tree, sites, left_out)
    checked = digest(tree / "include")
    if load(work / "checked.json", "") != checked:
        while wrong := _check(work, faults, left_out, options.compiler):
            leave_out(wrong)
        save(work / "checked.json", digest(tree / "include"))
    configure(tree, binaries, options.compiler)
    while True:
        good, said = _compile(binaries, folders, options.jobs, seconds_left())
        if good:
            return left_out
        wrong = _faults_at(said, faults, left_out)
        if not wrong:
            (work / "build.log").write_text(said)
            sys.exit(f"mutants: the killers do not compile, and no fault is the reason: see {work / 'build.log'}")
        leave_out(wrong)
