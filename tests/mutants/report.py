"""Tables of what was found, and by what."""

import csv
import json

VERDICTS = ["laws", "equality", "fingerprints", "crash", "time", "tests"]
_HEADINGS = {"laws": "run-time laws", "equality": "equality", "fingerprints": "fingerprints", "crash": "crash",
             "time": "time", "tests": "unit tests"}
FIELDS = ["number", "folder", "file", "line", "kind", "change", "verdict", *VERDICTS, "runs", "cases", "key",
          "headers", "tests_of"]


def verdict(found):
    """What found it first, in the order of the table; laws where they do, whatever else does."""
    return next((v for v in VERDICTS if found.get(v)), "survived")


def read_results(path, stamps=None):
    """The last row of each fault, if it is of these headers, and where nothing found it, of these tests."""
    if not path.exists():
        return {}
    with path.open(newline="") as file:
        rows = {row["key"]: row for row in csv.DictReader(file)
                if stamps is None or row["headers"] == stamps["headers"]}
    if stamps is None:
        return rows
    return {key: row for key, row in rows.items()
            if row["verdict"] != "survived" or row["tests_of"] == stamps["tests_of"]}


def rows_by_folder(faults, left_out, results):
    """Lists of numbers, one for each folder and one for all."""
    rows = []
    for folder in [*dict.fromkeys(f.folder for f in faults), "all"]:
        mine = [f for f in faults if folder in (f.folder, "all")]
        compiled = [f for f in mine if f.number not in left_out]
        verdicts = [results[f.key]["verdict"] for f in compiled if f.key in results]
        rows.append([folder, len(mine), len(compiled), *(verdicts.count(v) for v in VERDICTS),
                     verdicts.count("survived"), len(compiled) - len(verdicts)])
    return rows


def table(rows):
    """Markdown, aligned."""
    heads = ["folder", "made", "compiled", *_HEADINGS.values(), "survivors"]
    if any(r[-1] for r in rows):
        heads.append("not yet tried")
    cells = [heads, *([str(c) for c in r[: len(heads)]] for r in rows)]
    width = [max(len(r[i]) for r in cells) for i in range(len(heads))]
    lines = ["| " + " | ".join(c.ljust(w) if i == 0 else c.rjust(w) for i, (c, w) in enumerate(zip(r, width))) + " |"
             for r in cells]
    rule = "|" + "|".join("-" * (w + 2) if i == 0 else "-" * (w + 1) + ":" for i, w in enumerate(width)) + "|"
    return "\n".join([lines[0], rule, *lines[1:]])


def survivors(faults, results):
    return [f for f in faults if results.get(f.key, {}).get("verdict") == "survived"]


def survivor_table(faults, results, reasons):
    """Markdown: place, change, and why it survives."""
    lines = ["| place | change | why it survives |", "|---|---|---|"]
    for f in survivors(faults, results):
        reason = reasons.get(f.key, {})
        why = f"{reason['class']}: {reason['why']}" if reason else "not explained"
        change = f.change.replace("|", "\\|")
        lines.append(f"| `{f.file}:{f.line}` | {f.kind}: `{change}` | {why} |")
    return "\n".join(lines)


def score(faults, left_out, results, reasons):
    """The last line: shares of all that compiled."""
    compiled = [f for f in faults if f.number not in left_out and f.key in results]
    alive = survivors(compiled, results)
    harmless = [f for f in alive if reasons.get(f.key)]
    laws = sum(results[f.key]["verdict"] == "laws" for f in compiled)
    n = max(len(compiled), 1)
    text = (f"{len(compiled)} faults, {len(compiled) - len(alive)} found "
            f"({100 * (len(compiled) - len(alive)) / n:.1f} %), {laws} of them by run-time laws alone "
            f"({100 * laws / n:.1f} %); {len(alive)} survivors, {len(harmless)} of them explained")
    rest = n - len(harmless)
    return text + f"; of the {rest} others {100 * (len(compiled) - len(alive)) / max(rest, 1):.1f} % are found"


def write_json(path, faults, left_out, results, reasons):
    everything = [{**{k: getattr(f, k) for k in ("number", "folder", "file", "line", "kind", "change", "key")},
                   "compiled": f.number not in left_out,
                   "found": {v: results[f.key][v] for v in VERDICTS if results.get(f.key, {}).get(v)},
                   "verdict": results.get(f.key, {}).get("verdict", ""),
                   "why": reasons.get(f.key, {}).get("why", "")} for f in faults]
    path.write_text(json.dumps({"faults": everything}, indent=1) + "\n")
