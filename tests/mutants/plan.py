"""Which faults are made: chosen by a seed, spread over the folders, and written into a copy of the tree."""

import functools
import hashlib
import json
import shutil
from dataclasses import asdict, dataclass
from pathlib import Path

from sites import sites_of, with_faults

FOLDERS = ["warp", "fetch", "cta", "cache", "lsu", "noc", "dram", "machine", "reference", "gpu", "program", "frontend",
           "base", "config"]
_SWITCH = "#include <warpkit/mutant_switch.hpp>"
_LEAST = 8  # of a folder


@dataclass
class Fault:
    number: int
    folder: str
    file: str  # below include/warpkit
    line: int
    kind: str
    change: str
    key: str  # the same as long as the code is


def _headers(top, folder):
    return sorted((top / "include/warpkit" / folder).rglob("*.hpp"))


def quotas(top, count):
    """How many of each folder: by the square root of its lines, so that small ones are asked, too."""
    weight = {f: sum(h.read_text().count("\n") for h in _headers(top, f)) ** 0.5 for f in FOLDERS}
    least = min(_LEAST, count // len(FOLDERS))
    return {f: max(least, round(count * w / sum(weight.values()))) for f, w in weight.items()}


@functools.cache
def _sites(header):
    return sites_of(header.read_text())


def candidates(top, folder):
    """All sites of a folder: the header, a key that stays as long as the code does, and the site."""
    for header in _headers(top, folder):
        name = str(header.relative_to(top / "include/warpkit"))
        seen = {}
        for site in _sites(header):
            what = f"{name}: {site.kind}: {site.change}"
            seen[what] = seen.get(what, 0) + 1
            yield name, what if seen[what] == 1 else f"{what} ({seen[what]})", site


def _in_turn(top, folder, seed):
    """The same in the order in which the seed takes them."""
    return sorted(candidates(top, folder), key=lambda c: hashlib.sha256(f"{seed}\n{c[1]}".encode()).hexdigest())


def choose(top, seed, count):
    """The faults, and by file their sites."""
    faults, sites = [], {}
    for folder, quota in quotas(top, count).items():
        taken = {}  # by file: lines
        for name, key, site in _in_turn(top, folder, seed):
            lines = taken.setdefault(name, set())
            last = site.line + site.pattern.count("\n")
            if quota == 0:
                break
            if any(line in lines for line in range(site.line, last + 1)):
                continue
            lines.update(range(site.line, last + 1))
            quota -= 1
            number = len(faults) + 1
            faults.append(Fault(number, folder, name, site.line, site.kind, site.change, key))
            sites.setdefault(name, {})[number] = site
    return faults, sites


def _write(path, text):
    """Only if it is another one, so that nothing is compiled again for it."""
    if not path.exists() or path.read_text() != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def _copy(source, target):
    for path in source.rglob("*"):
        if path.is_file() and "__pycache__" not in path.parts:
            to = target / path.relative_to(source)
            if not to.exists() or to.read_bytes() != path.read_bytes():
                to.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, to)


def make_tree(top, tree, sites, left_out):
    """A copy of what is compiled, with the faults but those whose numbers are left out."""
    for name in ("tests", "examples", "docs"):
        _copy(top / name, tree / name)
    for name in ("CMakeLists.txt", "CMakePresets.json", "LICENSE", "README.md"):
        _write(tree / name, (top / name).read_text())
    _write(tree / "include/warpkit/mutant_switch.hpp", (top / "tests/mutants/switch.hpp").read_text())
    for header in (top / "include").rglob("*.hpp"):
        name = str(header.relative_to(top / "include/warpkit"))
        text = header.read_text()
        here = {n: s for n, s in sites.get(name, {}).items() if n not in left_out}
        if here:
            text = with_faults(text, here)
            lines = text.split("\n")
            lines[lines.index("")] = _SWITCH  # in the place of an empty line, so that lines keep their numbers
            text = "\n".join(lines)
        _write(tree / "include/warpkit" / name, text)


def digest(folder):
    """What the sources in a folder are, in a word."""
    whole = hashlib.sha256()
    for path in sorted(p for p in folder.rglob("*") if p.suffix in (".hpp", ".cpp")):
        whole.update(f"{path.relative_to(folder)}\n".encode() + path.read_bytes())
    return whole.hexdigest()[:16]


def load(path, default):
    return json.loads(path.read_text()) if path.exists() else default


def save(path, value):
    path.write_text(json.dumps(value, indent=1) + "\n")


def save_faults(path, faults):
    save(path, [asdict(f) for f in faults])
