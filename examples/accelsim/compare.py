#!/usr/bin/env python3
"""Cycles of the same traces in Accel-Sim and here, side by side.

RESULTS is what `lab run --trace ... --json RESULTS` has written. A LOG is what Accel-Sim printed, whole: its options at
the beginning say which trace and scheduler it is of (xz and gzip are read, too). Where the results are of several
machines, PRESET=LOG says of which a log is; patterns may be quoted: 'qv100=logs/*'. Traces are told apart by the folder
of their list. What `time` printed behind the log (user and sys) is Accel-Sim's CPU time.

  accel-sim.out -trace traces/bfs/kernelslist.g -config gpgpusim.config -config trace.config > bfs.log
  lab run --trace traces/bfs/kernelslist.g --preset qv100 --scheduler gto --launches --json bfs.json
  compare.py bfs.json bfs.log
  compare.py --launches bfs.json bfs.log
  compare.py --markdown results.json 'qv100=qv100/*.log' 'rtx3070=rtx3070/*.log'

Logs of runs that have not ended, and those without a run here, are named and left out. Ends with 2 after a mistake.
"""

import argparse
import csv
import glob
import gzip
import io
import json
import lzma
import math
import os
import re
import statistics
import sys


class Mistake(Exception):
    pass


def read(name):
    """A file's text, decompressed by its first bytes."""
    try:
        with open(name, "rb") as file:
            data = file.read()
        if data.startswith(b"\xfd7zXZ\0"):
            data = lzma.decompress(data)
        elif data.startswith(b"\x1f\x8b"):
            data = gzip.decompress(data)
    except (OSError, EOFError, lzma.LZMAError) as why:
        raise Mistake(f"{name}: cannot be read: {why}") from None
    return data.decode(errors="replace")


def trace_name(path):
    """As `lab run` calls it: the folder of a list, else the file."""
    folder, file = os.path.split(path.rstrip("/"))
    return os.path.basename(folder) if file.startswith("kernelslist") and folder else file.split(".")[0]


def seconds(text, what):
    """Of bash's `time` (1m2.5s) or POSIX's (62.5): the last line that tells it, if one does."""
    found = re.findall(rf"^{what}\s+(?:(\d+)m)?([\d.]+)s?\s*$", text, re.MULTILINE)
    return 60 * float(found[-1][0] or 0) + float(found[-1][1]) if found else None


def accelsim_run(name):
    """What a log tells; `cycles` is None of a run that has not ended."""
    text = read(name)

    def option(of):
        found = re.search(rf"^-{of}[ \t]+(\S+)", text, re.MULTILINE)
        if not found:
            raise Mistake(f"{name}: not a log of Accel-Sim: its option -{of} is not printed in it")
        return found[1]

    run = {"log": name, "trace": trace_name(option("trace")), "scheduler": option("gpgpu_scheduler"), "cycles": None}
    cycles = re.findall(r"^gpu_sim_cycle = (\d+)", text, re.MULTILINE)
    run["launches"] = [{"kernel": kernel.strip(), "cycles": int(c)}
                       for kernel, c in zip(re.findall(r"^kernel_name = (.*)", text, re.MULTILINE), cycles)]
    total = re.findall(r"^gpu_tot_sim_cycle = (\d+)", text, re.MULTILINE)
    if total and "GPGPU-Sim: *** exit detected ***" in text:
        run["cycles"] = int(total[-1])
    user, system = seconds(text, "user"), seconds(text, "sys")
    run["cpu"] = user + system if user is not None and system is not None else None
    return run


def runs_here(name):
    """By preset, trace and scheduler."""
    try:
        runs = json.loads(read(name))["runs"]
        found = {}
        for r in runs:
            key = r["preset"], r.get("trace", r["kernel"]), r["scheduler"]
            if key in found:
                raise Mistake(f"{name}: two runs of {' '.join(key)}; compare one at a time")
            if not r.get("sample", {"exact": True})["exact"]:
                raise Mistake(f"{name}: {' '.join(key)} is sampled; run it without --sample")
            found[key] = {"cycles": r["counters"]["cycles"],
                          "launches": [{"kernel": one["kernel"], "cycles": one["counters"]["cycles"]}
                                       for one in r.get("launches", [])]}
    except (ValueError, KeyError, TypeError):
        raise Mistake(f"{name}: not a results file; make one with lab run --trace ... --json") from None
    if not found:
        raise Mistake(f"{name}: there is no run in it")
    return found


def cpu_here(name):
    """CPU seconds of whole processes: preset,trace,scheduler,seconds."""
    try:
        return {(r["preset"], r["trace"], r["scheduler"]): float(r["seconds"])
                for r in csv.DictReader(io.StringIO(read(name)))}
    except (KeyError, ValueError, TypeError):
        raise Mistake(f"{name}: not a CSV file of preset,trace,scheduler,seconds") from None


def logs_of(words, presets):
    """(preset, file) of each."""
    logs = []
    for word in words:
        preset, mark, pattern = word.partition("=")
        if not mark or os.path.exists(word):
            preset, pattern = "", word
        if not preset and len(presets) > 1:
            raise Mistake(f"{word}: say of which machine, as {sorted(presets)[0]}={word}; there are results of "
                          + ", ".join(sorted(presets)))
        if preset and preset not in presets:
            raise Mistake(f"{word}: there are no results of {preset}, but of " + ", ".join(sorted(presets)))
        files = [pattern] if os.path.exists(pattern) else sorted(glob.glob(pattern))
        if not files:
            raise Mistake(f"{pattern}: there is no such file")
        logs += [(preset or next(iter(presets)), file) for file in files]
    return logs


def compared(options):
    """Rows, in the order of the logs, and what was left out."""
    here = runs_here(options.results)
    cpu = cpu_here(options.cpu) if options.cpu else {}
    names = {}
    for pair in options.scheduler:
        there, mark, ours = pair.rpartition("=")
        if not mark:
            raise Mistake(f"--scheduler {pair}: expected THERE=HERE")
        names[there] = ours
    rows, left_out = [], []
    for preset, file in logs_of(options.logs, {key[0] for key in here}):
        there = accelsim_run(file)
        scheduler = names.get(there["scheduler"], there["scheduler"])
        key = preset, there["trace"], scheduler
        if there["cycles"] is None:
            left_out.append(f"{file}: the run of {' '.join(key)} has not ended")
        elif key not in here:
            left_out.append(f"{file}: no run of {' '.join(key)} in {options.results}")
        elif any(key == (r["preset"], r["trace"], r["scheduler"]) for r in rows):
            raise Mistake(f"{file}: a second log of {' '.join(key)}")
        else:
            ours = here[key]
            row = {"preset": preset, "trace": there["trace"], "scheduler": scheduler,
                   "kernels": len(there["launches"]), "accelsim": there["cycles"], "here": ours["cycles"],
                   "accelsim_cpu": there["cpu"], "here_cpu": cpu.get(key)}
            rows.append(row)
            if options.launches:
                if len(ours["launches"]) != len(there["launches"]):
                    raise Mistake(f"{file}: {len(there['launches'])} launches of {' '.join(key)}, "
                                  f"{len(ours['launches'])} in {options.results}; was it made with --launches?")
                row["launches"] = [{"kernel": a["kernel"], "accelsim": a["cycles"], "here": b["cycles"]}
                                   for a, b in zip(there["launches"], ours["launches"])]
    if not rows:
        raise Mistake("nothing to compare: " + "; ".join(left_out))
    return rows, left_out


def difference(row):
    return 100 * (row["here"] / row["accelsim"] - 1)


def ratio(row):
    return row["accelsim_cpu"] / row["here_cpu"] if row["accelsim_cpu"] and row["here_cpu"] else None


def summary(rows):
    apart = [abs(difference(r)) for r in rows]
    s = {"runs": len(rows), "median": statistics.median(apart), "largest": max(apart),
         "below": {str(limit): sum(a < limit for a in apart) for limit in (2, 5, 10)}}
    faster = [r for r in map(ratio, rows) if r is not None]
    if faster:
        s["cpu_ratio"] = {"runs": len(faster), "geometric_mean": math.exp(statistics.fmean(map(math.log, faster))),
                          "least": min(faster), "largest": max(faster)}
    return s


def in_words(title, s):
    text = (f"{title}: {s['runs']} runs, {s['median']:.1f} % apart in the median, " +
            ", ".join(f"{n} by less than {limit} %" for limit, n in s["below"].items()) +
            f", {s['largest']:.1f} % at most")
    if "cpu_ratio" in s:
        c = s["cpu_ratio"]
        text += (f"; {c['geometric_mean']:.0f} times as fast in the geometric mean, {c['least']:.0f} to "
                 f"{c['largest']:.0f} times")
    return text


def cells(row, with_cpu):
    """Of a row, as people read them."""
    text = [f"{row['accelsim']:,}", f"{row['here']:,}", f"{difference(row):+.1f} %"]
    if with_cpu:
        known = ratio(row)
        text += [f"{row['accelsim_cpu']:.2f}" if row.get("accelsim_cpu") else "",
                 f"{row['here_cpu']:.3f}" if row.get("here_cpu") else "", f"{known:.0f}" if known else ""]
    return text


def plain(rows, with_cpu):
    """A line for each run; of its launches, where they are asked for, before."""
    titles = ["trace", "machine", "scheduler", "launches", "Accel-Sim", "here", "difference"]
    lines = [titles + (["CPU s, Accel-Sim", "here", "ratio"] if with_cpu else [])]
    for r in rows:
        for number, one in enumerate(r.get("launches", []), 1):
            lines.append([f"  {number} {one['kernel']}", "", "", ""] + cells(one, False) + 3 * [""] * with_cpu)
        lines.append([r["trace"], r["preset"], r["scheduler"], f"{r['kernels']:,}"] + cells(r, with_cpu))
    widths = [max(len(line[k]) for line in lines) for k in range(len(lines[0]))]
    return "\n".join("  ".join(text.ljust(width) if k < 3 else text.rjust(width)
                               for k, (text, width) in enumerate(zip(line, widths))).rstrip() for line in lines)


def markdown(rows, with_cpu):
    """A line for each trace and machine, schedulers beside each other."""
    schedulers = list(dict.fromkeys(r["scheduler"] for r in rows))
    machines = len({r["preset"] for r in rows}) > 1
    of_one = ["Accel-Sim", "here", "difference"] + (["CPU s, Accel-Sim", "here", "ratio"] if with_cpu else [])
    titles = ["trace"] + (["machine"] if machines else [])
    for s in schedulers:
        titles += [f"{s}: {of_one[0]}"] + of_one[1:]
    lines = [titles, ["---"] * (1 + machines) + ["---:"] * (len(titles) - 1 - machines)]
    by_run = {(r["trace"], r["preset"], r["scheduler"]): r for r in rows}
    for trace, preset in dict.fromkeys((r["trace"], r["preset"]) for r in rows):
        line = [trace] + ([preset] if machines else [])
        for s in schedulers:
            r = by_run.get((trace, preset, s))
            line += cells(r, with_cpu) if r else [""] * len(of_one)
        lines.append(line)
    return "\n".join("| " + " | ".join(line) + " |" if number != 1 else "|" + "|".join(line) + "|"
                     for number, line in enumerate(lines))


def as_csv(rows):
    file = io.StringIO()
    names = ["preset", "trace", "scheduler", "launch", "kernel", "accelsim", "here", "difference_percent",
             "accelsim_cpu", "here_cpu"]
    writer = csv.DictWriter(file, names, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    for r in rows:
        writer.writerow(dict(r, difference_percent=f"{difference(r):.3f}"))
        for number, one in enumerate(r.get("launches", []), 1):
            writer.writerow({"preset": r["preset"], "trace": r["trace"], "scheduler": r["scheduler"], **one,
                             "launch": number, "difference_percent": f"{difference(one):.3f}"})
    return file.getvalue()


def write(name, text):
    """Whole, or not at all."""
    if name == "-":
        sys.stdout.write(text)
        return
    try:
        with open(name + ".part", "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(name + ".part", name)
    except OSError as why:
        raise Mistake(f"cannot write {name}: {why.strerror}") from None


def main(words):
    what, _, notes = __doc__.partition("\n")
    parser = argparse.ArgumentParser(prog="compare.py", description=what, epilog=notes,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", metavar="RESULTS", help="of lab run --trace ... --json")
    parser.add_argument("logs", metavar="[PRESET=]LOG", nargs="+", help="what Accel-Sim printed, or a pattern")
    parser.add_argument("--launches", action="store_true", help="each launch, too (lab run --launches)")
    parser.add_argument("--scheduler", metavar="THERE=HERE", action="append", default=[],
                        help="what a scheduler of Accel-Sim is called here, where that differs")
    parser.add_argument("--cpu", metavar="FILE", help="our CPU seconds, as CSV: preset,trace,scheduler,seconds")
    parser.add_argument("--markdown", action="store_true", help="the table in Markdown, schedulers beside each other")
    parser.add_argument("--csv", metavar="FILE", help="the table as CSV; - is standard output")
    parser.add_argument("--json", metavar="FILE", help="the table and its summaries as JSON, likewise")
    options = parser.parse_args(words)
    try:
        rows, left_out = compared(options)
        groups = list(dict.fromkeys((r["preset"], r["scheduler"]) for r in rows))
        sums = [(" ".join(g), summary([r for r in rows if (r["preset"], r["scheduler"]) == g])) for g in groups]
        if len(groups) > 1:
            sums.append(("all", summary(rows)))
        if options.csv:
            write(options.csv, as_csv(rows))
        if options.json:
            for r in rows:
                r["difference_percent"] = difference(r)
            write(options.json, json.dumps({"runs": rows, "summaries": dict(sums), "left_out": left_out},
                                           indent=2) + "\n")
        if "-" not in (options.csv, options.json):
            with_cpu = any(ratio(r) is not None for r in rows)
            print((markdown if options.markdown else plain)(rows, with_cpu) + "\n")
            for title, s in sums:
                print(in_words(title, s))
        for text in left_out:
            print("left out: " + text, file=sys.stderr)
    except Mistake as why:
        print(f"compare.py: {why}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
