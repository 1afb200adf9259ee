#!/usr/bin/env python3
"""compare.py on small logs written by hand: test_compare.py. Each number that it tells is worked out here."""
import csv
import io
import json
import lzma
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAM = pathlib.Path(__file__).with_name("compare.py")

OPTIONS = """Accel-Sim [build x]
-gpgpu_scheduler                      {scheduler} # Scheduler configuration: < lrr | gto >
-trace_enabled                          0 # Turn on traces
-trace               /somewhere/{trace}/kernelslist.g # traces kernel file
-trace_opcode_latency_initiation_int                  2,2 # Opcode latencies
"""
KERNEL = """kernel_name = {name}
kernel_launch_uid = {uid}
gpu_sim_cycle = {cycles}
gpu_sim_insn = 4
gpu_tot_sim_cycle = {total}
"""
END = "GPGPU-Sim: *** simulation thread exiting ***\nGPGPU-Sim: *** exit detected ***\n"


def log(trace, scheduler, cycles, end=END):
    text = OPTIONS.format(trace=trace, scheduler=scheduler)
    for uid, c in enumerate(cycles, 1):
        text += KERNEL.format(name=f"k{uid}", uid=uid, cycles=c, total=sum(cycles[:uid]))
    return text + end


def result(trace, scheduler, cycles, preset="qv100"):
    return {"kernel": trace, "trace": trace, "preset": preset, "scheduler": scheduler,
            "counters": {"cycles": sum(cycles)},
            "launches": [{"kernel": f"k{n}", "counters": {"cycles": c}} for n, c in enumerate(cycles, 1)]}


class Compare(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def file(self, name, content):
        path = os.path.join(self.folder, name)
        with open(path, "wb") as file:
            file.write(content if isinstance(content, bytes) else content.encode())
        return path

    def results(self, *runs):
        return self.file("results.json", json.dumps({"runs": runs}))

    def run_it(self, *words, code=0):
        done = subprocess.run([sys.executable, PROGRAM, *words], capture_output=True, text=True)
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertNotIn("Traceback", done.stderr)
        return done

    def told(self, *words):
        return json.loads(self.run_it(*words, "--json", "-").stdout)

    def test_cycles_and_launches_side_by_side(self):
        here = self.results(result("bfs", "lrr", [150, 45]))
        there = self.file("a.log", log("bfs", "lrr", [100, 100]))
        run, = self.told(here, there, "--launches")["runs"]
        self.assertEqual((run["accelsim"], run["here"], run["kernels"]), (200, 195, 2))
        self.assertAlmostEqual(run["difference_percent"], -2.5)
        self.assertEqual(run["launches"], [{"kernel": "k1", "accelsim": 100, "here": 150},
                                           {"kernel": "k2", "accelsim": 100, "here": 45}])
        table = self.run_it(here, there, "--launches").stdout.splitlines()
        self.assertEqual(table[1].split(), ["1", "k1", "100", "150", "+50.0", "%"])
        self.assertEqual(table[3].split(), ["bfs", "qv100", "lrr", "2", "200", "195", "-2.5", "%"])
        rows = list(csv.DictReader(io.StringIO(self.run_it(here, there, "--launches", "--csv", "-").stdout)))
        self.assertEqual([(r["launch"], r["here"], r["difference_percent"]) for r in rows],
                         [("", "195", "-2.500"), ("1", "150", "50.000"), ("2", "45", "-55.000")])

    def test_medians_and_shares(self):
        apart = {"a": 101, "b": 98, "c": 104, "d": 93, "e": 112}
        here = self.results(*(result(t, "gto", [c]) for t, c in apart.items()))
        for trace in apart:
            self.file(trace + ".log", log(trace, "gto", [100]))
        told = self.told(here, os.path.join(self.folder, "*.log"))["summaries"]["qv100 gto"]
        self.assertEqual(told["runs"], 5)
        self.assertAlmostEqual(told["median"], 4)
        self.assertAlmostEqual(told["largest"], 12)
        self.assertEqual(told["below"], {"2": 1, "5": 3, "10": 4})  # 2 % is not less than 2 %

    def test_machines_and_schedulers_beside_each_other(self):
        here = self.results(result("a", "lrr", [110]), result("a", "gto", [90]), result("a", "lrr", [50], "rtx3070"))
        logs = [self.file("q.log", log("a", "lrr", [100])), self.file("g.log", log("a", "gto", [100])),
                self.file("r.xz", lzma.compress(log("a", "lrr", [40]).encode()))]
        table = self.run_it(here, "qv100=" + logs[0], "qv100=" + logs[1], "rtx3070=" + logs[2], "--markdown").stdout
        self.assertEqual(table.splitlines()[:4], [
            "| trace | machine | lrr: Accel-Sim | here | difference | gto: Accel-Sim | here | difference |",
            "|---|---|---:|---:|---:|---:|---:|---:|",
            "| a | qv100 | 100 | 110 | +10.0 % | 100 | 90 | -10.0 % |",
            "| a | rtx3070 | 40 | 50 | +25.0 % |  |  |  |"])
        self.assertIn("say of which machine", self.run_it(here, logs[0], code=2).stderr)
        self.assertIn("no results of a100", self.run_it(here, "a100=" + logs[0], code=2).stderr)

    def test_processor_time(self):
        here = self.results(result("a", "lrr", [100]), result("b", "lrr", [100]))
        bash = self.file("a.log", log("a", "lrr", [100]) + "\nreal\t1m9.1s\nuser\t1m7.5s\nsys\t0m0.5s\n")
        posix = self.file("b.log", log("b", "lrr", [100]) + "real 9\nuser 8.00\nsys 0.50\n")
        cpu = self.file("cpu.csv", "preset,trace,scheduler,seconds\nqv100,a,lrr,0.5\nqv100,b,lrr,0.25\n")
        told = self.told(here, bash, posix, "--cpu", cpu)
        self.assertEqual([r["accelsim_cpu"] for r in told["runs"]], [68, 8.5])
        ratios = told["summaries"]["qv100 lrr"]["cpu_ratio"]
        self.assertAlmostEqual(ratios["geometric_mean"], (136 * 34) ** 0.5)
        self.assertEqual((ratios["least"], ratios["largest"]), (34, 136))
        self.assertIn("68.00 | 0.500 | 136 |", self.run_it(here, bash, posix, "--cpu", cpu, "--markdown").stdout)

    def test_what_cannot_be_compared_is_named(self):
        here = self.results(result("a", "lrr", [100]))
        good = self.file("a.log", log("a", "lrr", [100]))
        broken_off = self.file("b.log", log("a", "lrr", [100], end=""))
        other = self.file("c.log", log("c", "lrr", [100]))
        told = self.told(here, good, broken_off, other)
        self.assertEqual(len(told["runs"]), 1)
        self.assertEqual([text.split(":")[0] for text in told["left_out"]], [broken_off, other])
        self.assertIn("has not ended", told["left_out"][0])
        self.assertIn("no run of qv100 c lrr", told["left_out"][1])
        self.assertIn("nothing to compare", self.run_it(here, broken_off, code=2).stderr)

    def test_schedulers_may_have_other_names_there(self):
        here = self.results(result("a", "two_level", [100]))
        there = self.file("a.log", log("a", "two_level_active:6:0:1", [100]))
        told = self.told(here, there, "--scheduler", "two_level_active:6:0:1=two_level")
        self.assertEqual(told["runs"][0]["scheduler"], "two_level")

    def test_mistakes_are_told_in_a_line(self):
        here = self.results(result("a", "lrr", [100]))
        good = self.file("a.log", log("a", "lrr", [100]))
        for words, text in [((here, self.file("x", "hello")), "not a log of Accel-Sim"),
                            ((self.file("y", "{}"), good), "not a results file"),
                            ((self.file("z", "no JSON"), good), "not a results file"),
                            ((here, "/no/such/file"), "no such file"),
                            ((here, self.file("t.xz", b"\xfd7zXZ\0cut")), "cannot be read"),
                            ((here, good, good), "a second log"),
                            ((here, good, "--scheduler", "lrr"), "expected THERE=HERE"),
                            ((here, good, "--cpu", good), "not a CSV file"),
                            ((here, self.file("l.log", log("a", "lrr", [50, 50])), "--launches"), "2 launches"),
                            ((here, good, "--csv", "/no/such/folder/x"), "cannot write")]:
            told = self.run_it(*words, code=2).stderr
            self.assertEqual(len(told.splitlines()), 1, told)
            self.assertIn(text, told)
        twice = self.results(result("a", "lrr", [100]), result("a", "lrr", [100]))
        self.assertIn("two runs of", self.run_it(twice, good, code=2).stderr)

    def test_help_has_an_example(self):
        told = self.run_it("--help").stdout
        for word in ("compare.py bfs.json bfs.log", "--launches", "--csv", "--json", "--markdown"):
            self.assertIn(word, told)


if __name__ == "__main__":
    unittest.main()
