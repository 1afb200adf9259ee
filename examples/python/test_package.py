#!/usr/bin/env python3
"""The package keeps its word, and says what the lab says: test_package.py <folder with warpkit> <lab>.
Ends with 77, which CTest calls skipped, where the package was not built."""
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

folder, lab = (os.path.abspath(argument) for argument in sys.argv[1:3])
sys.path.insert(0, folder)
os.environ["PYTHONPATH"] = folder
try:
    import warpkit
except ImportError as missing:
    if any(pathlib.Path(folder, "warpkit").glob("_lab*")):
        raise
    print(f"skipped: {missing}; build the target warpkit_python")
    sys.exit(77)

SMALL = dict(kernel=["vecadd", "reduction"], scheduler=["lrr", "gto"], set={"l1d.size": ["16KiB", "32KiB"]},
             param={"vecadd": {"n": 512}})


def told_by_lab(*arguments):
    return subprocess.run([lab, *arguments], check=True, capture_output=True, text=True).stdout


class Package(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = lambda name: os.path.join(self.folder.name, name)

    def test_runs_are_the_lab_s(self):
        runs = warpkit.run(kernel="bfs", scheduler=["lrr", "elf:points=16"], set={"l1d.size": "32KiB"})
        alone = json.loads(told_by_lab("run", "--kernel", "bfs", "--scheduler", "lrr,elf:points=16", "--set",
                                       "l1d.size=32KiB", "--json", "-", "--quiet"))["runs"]
        self.assertEqual(len(runs), 2)
        for run, other in zip(runs, alone):
            for part in ("fingerprint", "counters", "metrics", "scheduler", "kernel", "changes", "inputs"):
                self.assertEqual(run[part], other[part], part)
            self.assertTrue(run["verified"])

    def test_other_engine_tells_the_same(self):
        of = dict(kernel="vecadd", scheduler="gto", param={"vecadd.n": 512})
        self.assertEqual(warpkit.run(**of)[0]["counters"], warpkit.run(engine="reference", **of)[0]["counters"])

    def test_rows_launches_and_intervals(self):
        runs = warpkit.run(kernel="bfs", scheduler="gto", intervals=500)
        row = runs.rows()[0]
        self.assertEqual(row["cycles"], sum(launch["cycles"] for launch in runs.launches()))
        whole = sum(i["core.warp_instructions"] for i in runs.intervals())
        self.assertEqual(row["core.warp_instructions"], whole)
        self.assertEqual(len(warpkit.run(kernel="bfs", scheduler="gto").launches()), 0)

    def test_sweep_goes_on_and_is_what_the_lab_makes(self):
        heard = []
        first = warpkit.sweep(self.path("a.db"), jobs=2, progress=lambda *at: heard.append(at), **SMALL)
        self.assertEqual((first["points"], first["there"], first["run"], first["problems"]), (8, 0, 8, []))
        self.assertTrue(heard and heard[-1][1] == 8)
        again = warpkit.sweep(self.path("a.db"), **SMALL)
        self.assertEqual((again["there"], again["run"]), (8, 0))
        command = ["sweep", "--kernel", "vecadd,reduction", "--scheduler", "lrr,gto", "--set", "l1d.size=16KiB,32KiB",
                   "--param", "vecadd.n=512", "--quiet", "--db"]
        self.assertIn("8 points: 8 were there", told_by_lab(*command, self.path("a.db")))
        told_by_lab(*command, self.path("b.db"))
        host = lambda runs: [{k: v for k, v in run.items() if k != "host"} for run in runs]
        self.assertEqual(host(warpkit.records(self.path("a.db"))), host(warpkit.records(self.path("b.db"))))

    def test_questions_and_pictures(self):
        warpkit.sweep(self.path("a.db"), **SMALL)
        values = warpkit.results(self.path("a.db"), rows="kernel", normalise="scheduler=lrr")
        self.assertEqual({v["value"] for v in values if v["scheduler"] == "lrr"}, {1.0})
        told = json.loads(told_by_lab("results", self.path("a.db"), "--rows", "kernel", "--normalise",
                                      "scheduler=lrr", "--json", "-"))["values"]
        self.assertEqual(list(values), told)
        self.assertEqual(len(warpkit.records(self.path("a.db"), where="kernel=vecadd")), 4)
        picture = warpkit.plot(self.path("a.db"), rows="l1d.size", columns="scheduler")
        self.assertIn("<svg", picture)
        told_by_lab("plot", self.path("a.db"), "--rows", "l1d.size", "--columns", "scheduler", "-o", self.path("p.svg"))
        self.assertEqual(picture, pathlib.Path(self.path("p.svg")).read_text())
        warpkit.report(self.path("a.db"), self.path("r.html"))
        self.assertIn("8 of 8 runs", pathlib.Path(self.path("r.html")).read_text())

    def test_table_for_pandas(self):
        try:
            import pandas
        except ImportError:
            self.skipTest("no pandas (Debian and Ubuntu: python3-pandas)")
        table = warpkit.run(kernel="vecadd", scheduler=["lrr", "gto"], param={"vecadd.n": 512}).to_pandas()
        self.assertEqual(list(table["scheduler"]), ["lrr", "gto"])
        self.assertTrue(pandas.api.types.is_integer_dtype(table["cycles"]))
        self.assertTrue((table["n"] == 512).all())

    def test_numbers_of_numpy_count(self):
        try:
            import numpy
        except ImportError:
            self.skipTest("no numpy")
        run = warpkit.run(kernel="vecadd", scheduler="lrr", param={"vecadd.n": numpy.int64(512)})[0]
        self.assertEqual(run["inputs"]["n"], 512)

    def test_errors_have_the_lab_s_text(self):
        for wrong, text in ((dict(kernel="bsf"), "did you mean 'bfs'"), (dict(kernal="bfs"), "no 'kernal'.*did you mean kernel"),
                            (dict(kernel="bfs", scheduler="gtoo"), "did you mean gto"),
                            (dict(kernel="bfs", set={"l1d.siz": 1}), "l1d.siz"), (dict(kernel=1.5), "kernel: a float"),
                            (dict(kernel="bfs", engine="slow"), "fast and reference")):
            with self.subTest(wrong), self.assertRaisesRegex(warpkit.Error, text):
                warpkit.run(**wrong)
        with self.assertRaisesRegex(warpkit.Error, "no such database"):
            warpkit.results(self.path("none.db"))
        with self.assertRaisesRegex(warpkit.Error, "there is no 'row'.*did you mean rows"):
            warpkit.results(self.path("none.db"), row="kernel")
        self.assertTrue(issubclass(warpkit.Error, ValueError))

    def test_a_run_that_fails_says_why(self):
        runs = warpkit.run(kernel="vecadd", scheduler="lrr", param={"vecadd.n": 512}, limit=1)
        self.assertFalse(runs[0]["verified"])
        self.assertTrue(runs[0]["problem"])

    def test_other_threads_of_python_run_meanwhile(self):
        counted = [0]
        ended = threading.Event()

        def count():
            while not ended.is_set():
                counted[0] += 1
                time.sleep(0.001)

        other = threading.Thread(target=count)
        other.start()
        before = counted[0]
        warpkit.run(kernel="bfs", scheduler=["lrr", "gto", "elf"])
        after = counted[0]
        ended.set()
        other.join()
        self.assertGreater(after - before, 5)

    def interrupted(self, call):
        program = (f"import warpkit, signal\nsignal.signal(signal.SIGINT, signal.default_int_handler)\n"
                   f"print('ready', flush=True)\ntry:\n    {call}\nexcept KeyboardInterrupt:\n    print('interrupted')\n"
                   f"print('goes on')\n")
        child = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
        self.assertEqual(child.stdout.readline(), "ready\n")
        time.sleep(0.5)
        begin = time.monotonic()
        child.send_signal(signal.SIGINT)
        told = child.communicate(timeout=60)[0]
        self.assertLess(time.monotonic() - begin, 30)
        self.assertEqual(told, "interrupted\ngoes on\n")

    def test_control_c_ends_a_run(self):
        self.interrupted("warpkit.run(scheduler=warpkit.schedulers(), size='full')")

    def test_control_c_ends_a_sweep_which_goes_on_later(self):
        plan = "kernel=['bfs', 'spmv', 'kmeans'], scheduler=warpkit.schedulers(), set={'l1d.size': ['16KiB', '32KiB']}, jobs=2"
        self.interrupted(f"warpkit.sweep({self.path('c.db')!r}, {plan})")
        told = warpkit.sweep(self.path("c.db"), kernel="vecadd", param={"vecadd.n": 512}, scheduler="lrr")
        self.assertEqual(told["points"], 1)

    def test_names(self):
        self.assertIn("bfs", warpkit.kernels())
        self.assertIn("gto", warpkit.schedulers())
        self.assertIn("gtx480", warpkit.presets())
        self.assertIn("ipc", warpkit.metrics())

    def test_examples_of_the_page(self):
        try:
            import pandas
        except ImportError:
            self.skipTest("no pandas (Debian and Ubuntu: python3-pandas)")
        page = pathlib.Path(__file__).resolve().parents[2].joinpath("docs/howto/python.md").read_text()
        blocks = re.findall(r"<!-- run by examples/python/test_package.py -->\n```python\n(.*?)```", page, re.S)
        self.assertEqual(len(blocks), page.count("```python"))
        program = self.path("page.py")
        pathlib.Path(program).write_text("".join(blocks))
        told = subprocess.run([sys.executable, program], cwd=self.folder.name, capture_output=True, text=True)
        self.assertEqual(told.returncode, 0, told.stderr)
        self.assertRegex(told.stdout, "l1d_miss_rate")
        self.assertIn("<svg", pathlib.Path(self.path("sizes.svg")).read_text())

    def test_notebook(self):
        try:
            import nbclient
            import nbformat
            import ipykernel
            import pandas
        except ImportError as missing:
            self.skipTest(f"{missing} (Debian and Ubuntu: python3-nbclient python3-ipykernel python3-pandas)")
        file = pathlib.Path(__file__).with_name("notebook.ipynb")
        notebook = nbformat.read(file, as_version=4)
        nbclient.NotebookClient(notebook, timeout=600, kernel_name="python3",
                                resources={"metadata": {"path": self.folder.name}}).execute()
        shown = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
        self.assertTrue(any("image/svg+xml" in output.get("data", {}) for output in shown))
        self.assertFalse([output for output in shown if output.output_type == "error"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:], verbosity=2)
