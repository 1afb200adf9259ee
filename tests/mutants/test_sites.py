"""Where faults are put, and where not. Run by ctest, and by itself."""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
sys.dont_write_bytecode = True

import killers  # noqa: E402
import plan  # noqa: E402
import report  # noqa: E402
from sites import sites_of, with_faults  # noqa: E402

_HEADER = """#pragma once

namespace x {
static_assert(1 < 2);
enum class colour : int { red = 1, green };
template <class T, unsigned N = 1>
concept small = requires(T t) { t.size() == 1; };
struct part {
    part(int a) : a_(a), b_{a} { reset(); }
    bool is_due(int now) const noexcept { return now >= due_ && ready_; }
    static constexpr char const* name() { return "part"; }
    int due_ = 1;
};
template <class T>
constexpr bool check_part() {
    return small<T> && sizeof(T) > 2;
}
template <class T>
inline unsigned count(std::vector<T> const& all, unsigned most) {
    constexpr unsigned limit = most + 1;
    unsigned n = 0;
    if constexpr (sizeof(T) == 1) return 0;
    for (unsigned i = 0; i < all.size(); ++i) {
        if (all[i] != T{} && n < std::min<unsigned>(most, 5)) ++n;
    }
    all.for_each([&](T const& t) { total += t; });
    n -= limit - 1;
    if (n > most) throw error("too many, n = ", n + 1);
    return n;
}
} // namespace x
"""


class Sites(unittest.TestCase):
    def setUp(self):
        self.sites = sites_of(_HEADER)
        self.changes = [(s.kind, s.change) for s in self.sites]

    def test_conditions(self):
        self.assertIn(("relation", "now >= due_: >= is >"), self.changes)
        self.assertIn(("dropped", "&& ready_ dropped"), self.changes)
        self.assertIn(("negated", "now >= due_ && ready_ negated"), self.changes)
        self.assertIn(("negated", "all[i] != T{} negated"), self.changes)
        self.assertIn(("relation", "i < all.size(): < is <="), self.changes)

    def test_statements(self):
        self.assertIn(("skipped", "reset(); left out"), self.changes)
        self.assertIn(("skipped", "++n; left out"), self.changes)
        self.assertIn(("skipped", "total += t; left out"), self.changes)
        self.assertIn(("operator", "n -= limit - 1; -= is +="), self.changes)

    def test_what_is_no_place_for_a_fault(self):
        lines = {s.line for s in self.sites}
        for fixed in ("static_assert", "enum class", "concept", "char const* name", "constexpr unsigned limit",
                      "int due_", "return small"):
            at = next(i for i, line in enumerate(_HEADER.split("\n"), 1) if fixed in line)
            self.assertNotIn(at, lines, fixed)
        self.assertFalse([c for c in self.changes if "sizeof" in c[1]])

    def test_text_with_faults(self):
        chosen = {1: next(s for s in self.sites if s.change.startswith("now >= due_:")),
                  2: next(s for s in self.sites if s.change == "++n; left out")}
        text = with_faults(_HEADER, chosen)
        self.assertIn("return (warpkit_mutant(1) ? (now > due_) : (now >= due_)) && ready_;", text)
        self.assertIn("{ if (!warpkit_mutant(2)) ++n; }", text)
        self.assertEqual(text.count("\n"), _HEADER.count("\n"))

    def test_every_header_can_be_read(self):
        top = Path(__file__).resolve().parents[2]
        for header in (top / "include").rglob("*.hpp"):
            text = header.read_text()
            for site in sites_of(text):
                self.assertEqual(site.text(1).count("\n"), text.count("\n", site.begin, site.end), (header, site))

    def test_a_seed_chooses_the_same(self):
        top = Path(__file__).resolve().parents[2]
        first, _ = plan.choose(top, 3, 60)
        again, _ = plan.choose(top, 3, 60)
        other, _ = plan.choose(top, 4, 60)
        self.assertEqual(first, again)
        self.assertNotEqual(first, other)
        self.assertEqual({f.folder for f in first}, set(plan.FOLDERS))

    def test_reasons_are_of_faults_that_there_are(self):
        try:
            import tomllib
        except ImportError:  # before Python 3.11
            self.skipTest("no tomllib")
        listed = tomllib.loads((Path(__file__).parent / "survivors.toml").read_text()).get("survivor", [])
        top = Path(__file__).resolve().parents[2]
        known = {key for folder in plan.FOLDERS for _, key, _ in plan.candidates(top, folder)}
        self.assertEqual([], [r["key"] for r in listed if r["key"] not in known], "not made any more: take them out")
        for reason in listed:
            self.assertIn(reason["class"], ("equivalent", "performance", "text", "memory"))
            self.assertGreater(len(reason["why"]), 20)


class Reports(unittest.TestCase):
    def test_laws_go_before_all_others(self):
        self.assertEqual(report.verdict({"equality": "told:4", "laws": "told:5"}), "laws")
        self.assertEqual(report.verdict({"tests": "test_warp: order"}), "tests")
        self.assertEqual(report.verdict({"runs": 3, "cases": 0}), "survived")

    def test_names_of_tests_are_escaped(self):
        self.assertEqual(killers.escaped("a, b [c]"), "a\\, b \\[c]")


if __name__ == "__main__":
    unittest.main()
