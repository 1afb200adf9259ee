"""The command line of .ci/mutants."""

import argparse
import csv
import signal
import sys
import threading
import time
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import build
import killers
import plan
import report

TOP = Path(__file__).resolve().parents[2]
_STAGES = ["plan", "build", "measure", "run", "table"]

_HELP = """Puts faults into a copy of the headers, one at a time, and looks whether anybody notices.

All faults are compiled at once and switched at run time. Against each run, the cheapest first: whole machines, which
find it by run-time laws (an error of their own: conservation, a deadlock, a broken rule of the DRAM, a wrong value), by
the equality of both engines, or by other counts than without it; then the tests that come by it. What takes five times
as long as without it, or ends by a signal, is found, too. Everything is kept in a folder: killed and started again,
the command goes on. docs/explanation/mutation.md has what came of it.

  .ci/mutants                                    all of it
  .ci/mutants --folder warp --folder dram        those of two folders, by fewer tests
  .ci/mutants --minutes 7                        as much as goes into seven minutes, again and again
  .ci/mutants --stage table --markdown           the table of the page, of what is there
  .ci/mutants --show 17                          one fault, and what found it
"""


def arguments():
    p = argparse.ArgumentParser(prog=".ci/mutants", description=_HELP, formatter_class=argparse.RawTextHelpFormatter)
    p.add_argument("--seed", type=int, default=1, help="which faults are chosen; 1")
    p.add_argument("--count", type=int, default=340, help="how many; 340")
    p.add_argument("--folder", action="append", choices=plan.FOLDERS, metavar="FOLDER",
                   help="try those of these folders alone, by their own\ntests and machines, as often as wanted; all")
    p.add_argument("--stage", choices=_STAGES, help="this one alone, of those before what is missing")
    p.add_argument("--minutes", type=float, default=1e5, help="stop then, to be gone on with; exit status 3")
    p.add_argument("--jobs", type=int, default=1, help="faults, and compilers, at once; 1")
    p.add_argument("--budget", type=float, default=30, help="seconds of tests against one fault, of its folder and of "
                                                           "others; 30")
    p.add_argument("--machine-budget", type=float, default=5, help="seconds of machines against one fault; 5")
    p.add_argument("--longest", type=float, default=10, help="leave out tests that take more seconds; 10")
    p.add_argument("--work", type=Path, default=TOP / "build/mutants", help="the folder; build/mutants")
    p.add_argument("--compiler", default="g++")
    p.add_argument("--markdown", action="store_true", help="tables alone, for a page")
    p.add_argument("--survivors", action="store_true", help="with --markdown: the table of survivors")
    p.add_argument("--json", type=Path, help="everything, into a file")
    p.add_argument("--show", type=int, help="one fault by its number, with its text")
    return p.parse_args()


def reasons():
    path = TOP / "tests/mutants/survivors.toml"
    listed = tomllib.loads(path.read_text()).get("survivor", []) if path.exists() else []
    return {r["key"]: r for r in listed}


def hunt(session):
    """Runs the killers against each fault that has no result yet."""
    options, stamps = session.options, session.stamps()
    path = options.work / "results.csv"
    hunter = killers.Hunt(session.programs(), session.measure(), options.budget, options.machine_budget)
    results, left_out = session.results(), session.left_out()
    compiled = [f for f in session.faults if f.number not in left_out]
    tried = report.read_results(path)
    todo = sorted((f for f in compiled if f.key not in results), key=lambda f: f.key in tried)  # survivors once more
    done = len(compiled) - len(todo)
    lock = threading.Lock()
    fresh = not path.exists()
    with path.open("a", newline="") as file, ThreadPoolExecutor(options.jobs) as pool:
        out = csv.DictWriter(file, report.FIELDS)
        if fresh:
            out.writeheader()

        def one(fault):
            nonlocal done
            if not session.in_time():
                return
            found = hunter.of(fault)
            row = {**{k: getattr(fault, k) for k in report.FIELDS if hasattr(fault, k)}, **found, **stamps,
                   "verdict": report.verdict(found)}
            with lock:
                out.writerow(row)
                file.flush()
                done += 1
                print(f"[{done}/{len(compiled)}] {fault.number} {row['verdict']}: {fault.file}:{fault.line} "
                      f"{fault.change[:60]}", file=sys.stderr, flush=True)

        list(pool.map(one, todo))


def show(number, faults, sites, results):
    fault = next((f for f in faults if f.number == number), None)
    if fault is None:
        sys.exit(f"mutants: there are faults 1 to {len(faults)}")
    print(f"{fault.number}: include/warpkit/{fault.file}:{fault.line}\n{fault.kind}: {fault.change}\n"
          f"{sites[fault.file][number].text(number)}\nkey: {fault.key}")
    for name, value in results.get(fault.key, {}).items():
        if name in report.VERDICTS + ["verdict", "runs", "cases"] and value:
            print(f"{name}: {value}")


def tables(options, faults, left_out, results):
    why = reasons()
    if options.json:
        report.write_json(options.json, faults, left_out, results, why)
    if options.survivors:
        return print(report.survivor_table(faults, results, why))
    print(report.table(report.rows_by_folder(faults, left_out, results)))
    if not options.markdown:
        print("\n" + report.survivor_table(faults, results, why) + "\n")
        print(report.score(faults, left_out, results, why))
        waiting = sum(f.key not in results for f in faults) - len(left_out)
        if waiting:
            print(f"{waiting} faults have not been tried yet: the same command goes on")


class Session:
    """One call of the command: what is asked, which faults there are, and what is known of them."""

    def __init__(self, options):
        self.options = options
        self.folders = options.folder or plan.FOLDERS
        self.end = time.monotonic() + 60 * options.minutes
        options.work.mkdir(parents=True, exist_ok=True)
        self.all_faults, self.sites = plan.choose(TOP, options.seed, options.count)
        plan.save_faults(options.work / "faults.json", self.all_faults)
        self.faults = [f for f in self.all_faults if f.folder in self.folders]

    def seconds_left(self):
        return self.end - time.monotonic()

    def in_time(self):
        return self.seconds_left() > 0

    def left_out(self):
        return build.read_left_out(self.options.work, self.faults)

    def stamps(self):
        """What a result is of."""
        programs = "".join(sorted(p.name for p in self.programs()))
        return {"headers": plan.digest(TOP / "include"), "tests_of": f"{plan.digest(TOP / 'tests')} {programs}"}

    def programs(self):
        """The killers that have been built."""
        tests = self.options.work / "killers/tests"
        every = [tests / "mutants/mutant_machines", *(tests / f"test_{f}" for f in self.folders)]
        return [p for p in every if p.exists()]

    def results(self):
        return report.read_results(self.options.work / "results.csv", self.stamps())

    def build(self):
        build.build(TOP, self.options.work, self.all_faults, self.sites, self.folders, self.options, self.seconds_left)

    def measure(self):
        return killers.measure(self.options.work, self.programs(), self.options.longest, self.in_time)

    def tables(self):
        results = self.results()
        if not results:
            sys.exit("mutants: no fault of these headers has been tried yet: .ci/mutants tries them")
        tables(self.options, self.faults, self.left_out(), results)


def main():
    session = Session(arguments())
    options = session.options
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(3))
    if options.show is not None:
        return show(options.show, session.faults, session.sites, session.results())
    stages = _STAGES if options.stage is None else [options.stage]
    if "build" in stages:
        session.build()
    if "measure" in stages:
        session.measure()
    if "run" in stages:
        hunt(session)
    if "table" in stages or "run" in stages:
        session.tables()
    if not session.in_time():
        sys.exit(3)


if __name__ == "__main__":
    main()
