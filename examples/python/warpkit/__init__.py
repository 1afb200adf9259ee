"""GPU models put together from scheduling policies: warpkit's lab, from Python.

    import warpkit
    runs = warpkit.run(kernel=["bfs", "spmv"], scheduler=["lrr", "gto"], set={"l1d.size": "32KiB"})
    runs.to_pandas()[["kernel", "scheduler", "ipc", "l1d_miss_rate"]]

    warpkit.sweep("runs.db", kernel="bfs", scheduler=["lrr", "gto"], set={"l1d.size": ["16KiB", "48KiB"]})
    warpkit.results("runs.db", rows="l1d.size", normalise="scheduler=lrr").to_pandas()
    warpkit.plot("runs.db", rows="l1d.size", columns="scheduler")

Everything is simulated, kept and reckoned by the lab's own code, in this process and without the interpreter's lock.
What is asked for has the names of a plan (docs/howto/sweeps.md); what is wrong with it is said in an `Error`.
"""

import json as _json
import os as _os

from . import _lab
from ._lab import Error

__all__ = [
    "Error", "Picture", "Runs", "Values", "kernels", "metrics", "plot", "presets", "records", "report", "results",
    "run", "schedulers", "sweep", "version",
]


class Values(list):
    """A table: a dictionary for each line, a list of them all."""

    def to_pandas(self):
        """The table as a pandas.DataFrame."""
        import pandas
        return pandas.DataFrame(list(self))

    def _repr_html_(self):
        return self.to_pandas().to_html()


class Runs(list):
    """Runs as the lab has them, whole: dictionaries as `lab run --json` writes them (docs/reference/report.md)."""

    def rows(self):
        """A line for each run: labels, inputs, changed numbers, metrics and counters by their names."""
        return Values(_flat(run) for run in self)

    def launches(self):
        """A line for each launch of each run, where `launches` or `intervals` was asked for."""
        return Values(
            {**_labels(run), "launch": i, **_flat(launch)}
            for run in self for i, launch in enumerate(run.get("launches", ())))

    def intervals(self):
        """A line for each interval of each launch, where `intervals` was asked for."""
        return Values(
            {**_labels(run), "launch": i, **_flat(interval)}
            for run in self for i, launch in enumerate(run.get("launches", ()))
            for interval in launch.get("intervals", ()))

    def to_pandas(self):
        """rows() as a pandas.DataFrame."""
        return self.rows().to_pandas()

    def _repr_html_(self):
        return self.to_pandas().to_html()


class Picture(str):
    """An SVG, which notebooks show."""

    def _repr_svg_(self):
        return str(self)

    def save(self, path):
        """Writes it to a file."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self)


def _labels(run):
    return {name: value for name, value in run.items() if isinstance(value, str)}


def _flat(record):
    line = {name: value for name, value in record.items() if not isinstance(value, (dict, list))}
    for part, prefix in (("inputs", ""), ("changes", ""), ("host", "host."), ("metrics", ""), ("counters", "")):
        for name, value in record.get(part, {}).items():
            line[prefix + name] = value
    return line


def run(*, intervals=0, launches=False, threads=1, engine="fast", **plan):
    """Runs every combination of what is named, one behind the other, and gives the Runs.

    kernel, scheduler, preset, machine, dram, replay, fetch, prefetch, l1, l2, dispatch, occupancy, trace: a name or a
    list of names, as `lab run` takes them ("elf:points=16"). set, param, use: dictionaries of the machine's numbers, the
    kernels' parameters and the policies by seat, each value one or a list. size: small, medium or full. seeds, skip: as
    in a plan. intervals: every counter for each so many core cycles; launches: for each launch. threads: that advance one
    GPU. engine: fast or reference.
    Raises Error for what there is not; a run that fails has `verified` false and its `problem`.
    """
    if engine not in ("fast", "reference"):
        raise Error(f"engine {engine}: there are fast and reference")
    return Runs(_json.loads(_lab.run(plan, intervals, launches or intervals != 0, threads, engine == "reference")))


def sweep(database, *, jobs=0, progress=None, **plan):
    """Runs every point of a plan that is not in the database yet, on `jobs` cores at once (0: all), as `lab sweep` does.

    progress(done, of, what) is called now and then. Gives what was done: `points`, `there` before, `run` here, by
    `others`, `skipped`, `seconds`, `problems`. Ctrl-C ends it with KeyboardInterrupt; what is finished is kept, and the
    same call goes on from there.
    """
    return _lab.sweep(plan, _os.fspath(database), jobs, progress)


def _asked(database, query):
    paths = [database] if isinstance(database, (str, _os.PathLike)) else database
    return {"database": [_os.fspath(path) for path in paths], **query}


def results(database, **query):
    """What `lab results` answers: Values with a line for each value.

    where, metric, rows, columns: a text or a list; normalise, version: a text (docs/howto/sweeps.md).
    """
    return Values(_json.loads(_lab.ask(_asked(database, query))))


def records(database, **query):
    """The Runs of a database that fit `where` and `version`."""
    return Runs(_json.loads(_lab.records(_asked(database, query)))["runs"])


def plot(database, **query):
    """The Picture that `lab plot` draws: as results(), and kind: bars, stacked, curves or heat."""
    return Picture(_lab.plot(_asked(database, query)))


def report(database, output, **query):
    """Writes the page of `lab report`."""
    _lab.report(_asked(database, query), _os.fspath(output))


def kernels():
    """The names of all kernels."""
    return _lab.names("kernels")


def schedulers():
    """The names of all warp schedulers."""
    return _lab.names("schedulers")


def presets():
    """The names of all machines."""
    return _lab.names("presets")


def metrics():
    """The names of all metrics (`lab explain NAME` defines each)."""
    return _lab.names("metrics")


def version():
    """Of all that can change a result: the library's, and a hash of its sources."""
    return _lab.version()
