"""What finds faults: runs of whole machines and test cases, and which faults each of them comes by."""

import json
import math
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass

_MEMORY = 3 << 30


@dataclass
class Killer:
    program: str  # mutant_machines, or test_<folder>
    name: str  # of the run, or of the test case
    seconds: float
    reached: set
    said: str  # of a run of machines: what it counted

    @property
    def is_machine(self):
        return self.program == "mutant_machines"


@dataclass
class Ending:
    seconds: float
    text: str
    how: str  # "", "crash" or "time"
    passed: bool


def escaped(case):
    """A test case's name as Catch2 wants it on its command line."""
    for sign in "\\,[":
        case = case.replace(sign, "\\" + sign)
    return case


def run(program, name, limit, environment):
    """Runs one killer in bounded memory and processor time; where it waits for ever, in four times as much."""
    seconds = math.ceil(limit)

    def bounded():
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    began = time.monotonic()
    is_machine = program.name == "mutant_machines"
    try:
        done = subprocess.run(
            [program, name if is_machine else escaped(name)], env={**os.environ, **environment}, timeout=4 * seconds,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=tempfile.gettempdir(),
            preexec_fn=bounded)
    except subprocess.TimeoutExpired:
        return Ending(time.monotonic() - began, "", "time", False)
    text = done.stdout.decode(errors="replace")
    if done.returncode in (-signal.SIGXCPU, -signal.SIGKILL) or "SIGXCPU" in text:
        return Ending(time.monotonic() - began, text, "time", False)
    crashed = done.returncode < 0 or "fatal error condition" in text
    return Ending(time.monotonic() - began, text, "crash" if crashed else "", done.returncode == 0)


def _names(program):
    if program.name == "mutant_machines":
        words = ["--list"]
    else:
        words = ["--list-test-names-only", "~[.]"]
    listed = subprocess.run([program, *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
    if not listed:  # of version 3
        listed = subprocess.run([program, "--list-tests", "--verbosity", "quiet", "~[.]"], stdout=subprocess.PIPE,
                                text=True).stdout
    return [line for line in listed.split("\n") if line.strip()]


def _stamp(program):
    at = program.stat()
    return f"{at.st_size}:{at.st_mtime_ns}"


def _measure(program, name, longest):
    with tempfile.NamedTemporaryFile() as seen:
        end = run(program, name, longest, {"WARPKIT_MUTANTS_SEEN": seen.name})
        reached = [n for n, byte in enumerate(seen.read()) if byte]
    said = end.text.strip().split("\n")[-1] if program.name == "mutant_machines" else ""
    good = end.passed and not end.how and (not said or "\tcounted\t" in said)
    return {"program": program.name, "name": name, "seconds": round(end.seconds, 3), "good": good, "said": said,
            "reached": reached, "stamp": _stamp(program)}


def measure(work, programs, longest, in_time):
    """Runs each killer without a fault: how long it takes, and which faults it comes by. Goes on where it was."""
    path = work / "killers.jsonl"
    known = {}
    if path.exists():
        for line in path.read_text().splitlines():
            row = json.loads(line)
            known[row["program"], row["name"], row["stamp"]] = row
    rows = []
    with path.open("a") as out:
        for program in programs:
            for name in _names(program):
                row = known.get((program.name, name, _stamp(program)))
                if row is None:
                    if not in_time():
                        sys.exit("mutants: out of time while killers are measured; the same command goes on")
                    row = _measure(program, name, longest)
                    out.write(json.dumps(row) + "\n")
                    out.flush()
                    if not row["good"]:
                        print(f"mutants: left out, as it fails or takes over {longest:g} s: {program.name}: {name}",
                              file=sys.stderr)
                rows.append(row)
    return [Killer(r["program"], r["name"], r["seconds"], set(r["reached"]), r["said"]) for r in rows if r["good"]]


class Hunt:
    """Looks for what finds a fault, the cheapest first. `programs`: where the killers are."""

    def __init__(self, programs, killers, budget, machine_budget):
        self.programs = {p.name: p for p in programs}
        self.killers = killers
        self.budget, self.machine_budget = budget, machine_budget

    def _run(self, killer, number):
        return run(self.programs[killer.program], killer.name, 5 * killer.seconds + 2,
                   {"WARPKIT_MUTANT": str(number)})

    def _within(self, killers, budget):
        for k in sorted(killers, key=lambda k: k.seconds):
            if budget <= 0:
                return
            budget -= k.seconds
            yield k

    def machines(self, number, found):
        """Runs of machines until one reports an error by itself."""
        reaching = [k for k in self.killers if k.is_machine and number in k.reached]
        found["runs"] = len(reaching)
        for k in self._within(reaching, self.machine_budget):
            end = self._run(k, number)
            said = end.text.strip().split("\n")[-1]
            if "\tlaw\t" in said:
                found.setdefault("laws", f"{k.name}: {said.split(chr(9))[-1][:160]}")
                return
            if end.how or "\tcrash\t" in said:
                found.setdefault(end.how or "crash", k.name)
            elif "\tparted\t" in said:
                found.setdefault("equality", f"{k.name}: {said.split(chr(9))[-1][:160]}")
            elif said != k.said:
                found.setdefault("fingerprints", k.name)

    def tests(self, number, folder, found):
        """Test cases until one fails, those of the fault's folder first."""
        reaching = [k for k in self.killers if not k.is_machine and number in k.reached]
        found["cases"] = len(reaching)
        own = [k for k in reaching if k.program == f"test_{folder}"]
        others = [k for k in reaching if k.program != f"test_{folder}"]
        for group in (own, others):
            for k in self._within(group, self.budget):
                end = self._run(k, number)
                if end.how or not end.passed:
                    if end.how:
                        found.setdefault(end.how, f"{k.program}: {k.name}")
                    found["tests"] = f"{k.program}: {k.name}"
                    return

    def of(self, fault):
        found = {}
        self.machines(fault.number, found)
        if not any(found.get(w) for w in ("laws", "equality", "fingerprints", "crash", "time")):
            self.tests(fault.number, fault.folder, found)
        return found
