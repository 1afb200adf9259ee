"""The pages and pictures of the lab in a headless Chromium, as their readers meet them.

    python3 test_page.py LAB FOLDER

Opened from a file, without a network, dark and light, wide and narrow: nothing in the console, all that can be
clicked is reached with Tab and used with Enter and Space, under a visible focus; a screen reader finds landmarks,
names, captions and what is sorted how; text has the contrast that WCAG 2.1 asks for (4.5, large text 3); no text of a
picture is cut off or lies over another. Screenshots of all are left in FOLDER. Needs nothing but Python and Chromium (Debian:
chromium), which is driven through its pipe (the DevTools protocol); says so and ends well where there is none.
"""

import base64
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading


class Browser:
    """A Chromium, spoken to over two pipes: JSON, a zero byte behind each message."""

    def __init__(self, program):
        self.folder = tempfile.mkdtemp()
        there, ours = os.pipe(), os.pipe()
        # The process has them as 3 (it reads) and 4 (it writes).
        command = f'exec "$@" 3<&{there[0]} 4>&{ours[1]}'
        flags = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
                 "--remote-debugging-pipe", "--host-resolver-rules=MAP * ~NOTFOUND", "--user-data-dir=" + self.folder,
                 "--force-color-profile=srgb", "--hide-scrollbars"]
        self.process = subprocess.Popen(["bash", "-c", command, "bash", program, *flags],
                                        pass_fds=(there[0], ours[1]), stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL)
        os.close(there[0]), os.close(ours[1])
        self.to, self.back = os.fdopen(there[1], "wb"), os.fdopen(ours[0], "rb")
        self.last, self.answers, self.events = 0, {}, []
        self.changed = threading.Condition()
        threading.Thread(target=self._listen, daemon=True).start()
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self.session = None
        self.session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network", "Accessibility", "DOM"):
            self.ask(domain + ".enable")

    def _listen(self):
        text = b""
        while part := self.back.read1(1 << 16):
            text += part
            *messages, text = text.split(b"\0")
            with self.changed:
                for message in map(json.loads, messages):
                    if "id" in message:
                        self.answers[message["id"]] = message
                    else:
                        self.events.append(message)
                self.changed.notify_all()

    def ask(self, method, **parameters):
        self.last += 1
        message = {"id": self.last, "method": method, "params": parameters}
        if getattr(self, "session", None):
            message["sessionId"] = self.session
        self.to.write(json.dumps(message).encode() + b"\0")
        self.to.flush()
        with self.changed:
            if not self.changed.wait_for(lambda: message["id"] in self.answers, timeout=120):
                raise TimeoutError(method)
            answer = self.answers.pop(message["id"])
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']}")
        return answer["result"]

    def run(self, expression):
        """The value of an expression of JavaScript in the page."""
        result = self.ask("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(result["exceptionDetails"])
        return result["result"].get("value")

    def open(self, path):
        with self.changed:
            self.events.clear()
        self.ask("Page.navigate", url=pathlib.Path(path).absolute().as_uri())
        with self.changed:
            if not self.changed.wait_for(lambda: any(e["method"] == "Page.loadEventFired" for e in self.events), 120):
                raise TimeoutError(path)

    def look(self, dark, width=1280):
        self.ask("Emulation.setEmulatedMedia",
                 features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)

    def key(self, name, shift=False):
        code, text = {"Tab": (9, ""), "Enter": (13, "\r"), "Space": (32, " "), "Escape": (27, "")}[name]
        key = " " if name == "Space" else name
        for kind in ("keyDown", "keyUp"):
            more = {"text": text} if text and kind == "keyDown" else {}
            self.ask("Input.dispatchKeyEvent", type=kind, key=key, code=name, windowsVirtualKeyCode=code,
                     modifiers=8 if shift else 0, **more)

    def picture(self, path):
        size = self.ask("Page.getLayoutMetrics")["cssContentSize"]
        if self.run("document.documentElement.tagName") == "svg":
            size = self.run("(({width, height}) => ({width, height}))"
                            "(document.documentElement.getBoundingClientRect())")
        image = self.ask("Page.captureScreenshot", format="png", captureBeyondViewport=True,
                         clip={"x": 0, "y": 0, "width": size["width"], "height": min(size["height"], 6000), "scale": 1})
        pathlib.Path(path).write_bytes(base64.b64decode(image["data"]))

    def problems(self):
        """What went to the console, and what was asked of a network."""
        found = []
        with self.changed:
            events = list(self.events)
        for event in events:
            told = event["params"]
            if event["method"] == "Runtime.exceptionThrown":
                found.append(told["exceptionDetails"]["text"])
            elif event["method"] == "Log.entryAdded" and told["entry"]["level"] in ("error", "warning"):
                found.append(told["entry"]["text"])
            elif event["method"] == "Runtime.consoleAPICalled" and told["type"] in ("error", "warning", "assert"):
                found.append(json.dumps(told["args"]))
            elif event["method"] == "Network.requestWillBeSent" and not told["request"]["url"].startswith(
                    ("file:", "data:")):
                found.append("asks for " + told["request"]["url"])
        return found

    def close(self):
        self.process.kill()
        self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


# In the page: what is written, in which colour, on what.
HELPERS = r"""
window.seen = (() => {
  const canvas = document.createElementNS('http://www.w3.org/1999/xhtml', 'canvas')
      .getContext('2d', {willReadFrequently: true});
  const rgba = text => {
    canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = '#000'; canvas.fillStyle = text; canvas.fillRect(0, 0, 1, 1);
    const d = canvas.getImageData(0, 0, 1, 1).data; return [d[0], d[1], d[2], d[3] / 255];
  };
  const over = (a, b) => [0, 1, 2].map(i => a[i] * a[3] + b[i] * (1 - a[3])).concat(1);
  const light = c => { const f = c.slice(0, 3).map(v => (v /= 255) <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4);
                       return .2126 * f[0] + .7152 * f[1] + .0722 * f[2]; };
  const ratio = (a, b) => { const x = light(a), y = light(b); return (Math.max(x, y) + .05) / (Math.min(x, y) + .05); };
  const opacity = e => {
    let o = 1;
    for (; e && e.nodeType === 1; e = e.parentElement) o *= +getComputedStyle(e).opacity;
    return o;
  };
  const root = () => matchMedia('(prefers-color-scheme: dark)').matches &&
      getComputedStyle(document.documentElement).colorScheme.includes('dark') ? [18, 18, 18, 1] : [255, 255, 255, 1];
  const behind = (e, at) => { // colours of what lies behind, from the front
    const layers = [];
    if (e instanceof SVGElement && at) {
      for (const o of document.elementsFromPoint(...at)) {
        if (o === e || o.contains(e) && o.tagName !== 'svg' || o.closest('text')) continue;
        const s = getComputedStyle(o);
        if (o instanceof SVGElement && o.tagName !== 'svg') {
          if (s.fill === 'none' || o.tagName === 'line' || o.tagName === 'polyline') continue;
          const c = rgba(s.fill); c[3] *= +s.fillOpacity * opacity(o); layers.push(c);
        } else { const c = rgba(s.backgroundColor); if (c[3]) layers.push(c); }
      }
    } else {
      for (let o = e; o; o = o.parentElement) {
        const c = rgba(getComputedStyle(o).backgroundColor);
        if (c[3]) layers.push(c);
      }
    }
    return layers.reverse().reduce((below, c) => over(c, below), root());
  };
  const texts = () => {
    const all = [], walk = document.createTreeWalker(document.documentElement, NodeFilter.SHOW_TEXT);
    for (let n; n = walk.nextNode();) {
      const e = n.parentElement;
      if (!n.data.trim() || e.closest('title, style, script, head') || !e.checkVisibility?.()) continue;
      const range = document.createRange(); range.selectNodeContents(n);
      const r = e instanceof SVGElement ? e.getBoundingClientRect() : range.getBoundingClientRect();
      if (r.width && r.height) all.push([n, e, r]);
    }
    return all;
  };
  const contrast = () => {
    const bad = [];
    for (const [n, e] of texts()) {
      const svg = e instanceof SVGElement;
      if (svg) e.scrollIntoView({block: 'center'});
      const r = e.getBoundingClientRect(), s = getComputedStyle(e);
      const ground = behind(e, [r.x + r.width / 2, r.y + r.height / 2]);
      const ink = rgba(svg ? s.fill : s.color); ink[3] *= opacity(e) * (svg ? +s.fillOpacity : 1);
      const large = parseFloat(s.fontSize) >= 24 || parseFloat(s.fontSize) >= 18.66 && +s.fontWeight >= 700;
      const has = ratio(over(ink, ground), ground);
      if (has < (large ? 3 : 4.5)) bad.push(n.data.trim().slice(0, 40) + ': contrast ' + has.toFixed(2));
    }
    return [...new Set(bad)].slice(0, 20);
  };
  const crowded = () => { // texts of pictures that leave them, or meet
    const bad = [];
    for (const svg of document.querySelectorAll('svg')) {
      const box = svg.getBoundingClientRect();
      const own = texts().filter(([n, e]) => e.closest('svg') === svg)
          .map(([n, e, r]) => [n.data.trim(), e.getBoundingClientRect(), e]);
      own.forEach(([name, r, e], i) => {
        if (r.left < box.left - 1 || r.right > box.right + 1 || r.top < box.top - 1 || r.bottom > box.bottom + 1)
          bad.push('cut off: ' + name);
        const turn = /rotate\([^ )]*/.exec(e.getAttribute('transform'))?.[0]; // slanted ones meet in their boxes only
        for (const [other, o, f] of own.slice(i + 1)) {
          const other_turn = /rotate\([^ )]*/.exec(f.getAttribute('transform'))?.[0];
          if (turn !== other_turn || turn && turn !== 'rotate(-90') continue;
          const x = Math.min(r.right, o.right) - Math.max(r.left, o.left);
          const y = Math.min(r.bottom, o.bottom) - Math.max(r.top, o.top);
          if (x > 1 && y > 4) bad.push('one over the other: ' + name + ' / ' + other);
        }
      });
    }
    return [...new Set(bad)].slice(0, 20);
  };
  const clickable = () => [...document.querySelectorAll('a[href], button, input, select, summary, [tabindex]')]
      .filter(e => e.checkVisibility() && !e.disabled && e.tabIndex >= 0);
  return {contrast, crowded, clickable};
})();
"""

bad = []


def check(good, what):
    if not good:
        bad.append(what)


def check_looks(browser, path, folder):
    """Dark and light, wide and narrow: contrast, nothing cut off, nothing to the side."""
    name = pathlib.Path(path).stem
    for dark in (False, True):
        browser.look(dark)
        browser.open(path)
        browser.run(HELPERS)
        where = f"{name}, {'dark' if dark else 'light'}"
        for problem in browser.run("seen.contrast()") + browser.run("seen.crowded()"):
            check(False, f"{where}: {problem}")
        browser.run("scrollTo(0, 0)")
        browser.picture(folder / f"{name}-{'dark' if dark else 'light'}.png")
        if path.suffix == ".html":
            browser.look(dark, 420)
            wide = browser.run("document.documentElement.scrollWidth - innerWidth")
            check(wide <= 0, f"{where}: {wide} pixels wider than a narrow screen")
        check(not browser.problems(), f"{where}: {browser.problems()}")
    check(browser.run("[...document.querySelectorAll('svg')].every(s => s.getAttribute('role') === 'img' && "
                      "s.querySelector(':scope > title')?.textContent.trim())"), f"{name}: a picture without a title")


def check_structure(browser, name):
    """What a screen reader goes by."""
    check(browser.run("document.documentElement.lang") == "en", f"{name}: no language")
    check(browser.run("document.title.length") > 3, f"{name}: no title")
    check(browser.run("document.querySelectorAll('main').length") == 1, f"{name}: not one main part")
    levels = browser.run("[...document.querySelectorAll('h1,h2,h3,h4')].filter(h => h.checkVisibility())"
                         ".map(h => +h.tagName[1])")
    check(levels.count(1) == 1 and all(b - a <= 1 for a, b in zip([0] + levels, levels)), f"{name}: headings {levels}")
    for tree in [browser.ask("Accessibility.getFullAXTree")["nodes"]]:
        for node in tree:
            role = node.get("role", {}).get("value")
            if node.get("ignored") or role not in ("button", "link", "textbox", "searchbox", "table", "image", "img",
                                                   "dialog", "DisclosureTriangle", "columnheader"):
                continue
            check(node.get("name", {}).get("value", "").strip(), f"{name}: a {role} without a name")


def check_keyboard(browser, name):
    """With Tab through all that can be clicked, and round again, under a focus that is seen."""
    browser.run("document.activeElement.blur(); scrollTo(0, 0); seen.all = seen.clickable(); seen.got = new Set()")
    count = browser.run("seen.all.length")
    for _ in range(2 * count + 20):
        browser.key("Tab")
        seen = browser.run("(() => { const e = document.activeElement, s = getComputedStyle(e);"
                           "if (e === document.body) return null;"
                           "seen.got.add(e); const r = e.getBoundingClientRect();"
                           "const ring = s.outlineStyle !== 'none' && parseFloat(s.outlineWidth) >= 1;"
                           "return [e.outerHTML.slice(0, 80), ring,"
                           "r.top >= 0 && r.bottom <= innerHeight + 1]; })()")
        if seen is None:
            break
        check(seen[1], f"{name}: no focus is seen on {seen[0]}")
        check(seen[2], f"{name}: the focus is out of sight on {seen[0]}")
    missed = browser.run("seen.all.filter(e => !seen.got.has(e)).map(e => e.outerHTML.slice(0, 80))")
    check(not missed, f"{name}: Tab does not reach {missed[:5]}")
    return count


def check_page(browser, page, links):
    """A page of tables: its structure, and as many things to click as it should at least have."""
    browser.look(False)
    browser.open(page)
    browser.run(HELPERS)
    name = page.name
    check_structure(browser, name)
    check(check_keyboard(browser, name) >= links, f"{name}: too little can be clicked")
    check(browser.run("[...document.querySelectorAll('table')].every(t => t.caption?.textContent.trim())"),
          f"{name}: a table without a caption")
    check(browser.run("[...document.querySelectorAll('th')].every(h => h.scope)"), f"{name}: a heading without a scope")


def check_report(browser, page, runs):
    check_page(browser, page, runs + 8)
    name = page.name

    # Sorting: by each column, up with Enter and down with Space; numbers by what they are.
    heads = browser.run("[...document.querySelectorAll('#runs thead button')].length")
    for at in range(heads):
        for key, direction in (("Enter", "ascending"), ("Space", "descending")):
            browser.run(f"document.querySelectorAll('#runs thead button')[{at}].focus()")
            browser.key(key)
            sort = browser.run("[...document.querySelectorAll('#runs th[aria-sort]')].map(h => h.ariaSort)")
            check(sort == [direction], f"{name}: {key} on heading {at}: aria-sort {sort}")
            column = browser.run("[...document.querySelectorAll('#runs tbody tr')].map(r => r.cells["
                                 f"document.querySelectorAll('#runs thead button')[{at}].closest('th').cellIndex]"
                                 ".textContent)")
            units = {"KiB": 2**10, "MiB": 2**20, "GiB": 2**30}
            try:
                numbers = [float(text.split()[0]) * units.get((text.split() + [""])[1], 1) for text in column]
            except ValueError:
                numbers = column
            check(numbers == sorted(numbers, reverse=direction == "descending"), f"{name}: {column} is not {direction}")
    # Filtering says how many are left, to those who do not see it, too.
    browser.run("document.querySelector('input').focus()")
    browser.ask("Input.insertText", text="gto vecadd")
    visible = browser.run("[...document.querySelectorAll('#runs tbody tr')].filter(r => !r.hidden).length")
    status = browser.run("document.querySelector('[role=status]').textContent")
    check(0 < visible < runs and status == f"{visible} of {runs} runs",
          f"{name}: filtered to {visible}, and says {status}")
    # A run opens with Enter and with Space, has the focus, and gives it back.
    for key in ("Enter", "Space"):
        browser.run("window.opener_ = document.querySelector('#runs tbody tr:not([hidden]) button'); opener_.focus();"
                    "window.dialog_ = document.querySelector('dialog'); 0")
        browser.key(key)
        check(browser.run("dialog_.open && dialog_.contains(document.activeElement)"), f"{name}: {key} opens no run")
        check(browser.run("document.querySelectorAll('dialog tbody tr').length") > 50, f"{name}: a run with few lines")
        check(browser.run("dialog_.querySelector('h2').textContent === opener_.ariaLabel"),
              f"{name}: a run under another's name")
        for problem in browser.run("seen.contrast()"):
            check(False, f"{name}, a run: {problem}")
        tab = browser.run("document.activeElement.outerHTML")
        browser.key("Escape") if key == "Enter" else browser.key("Enter")  # its Close button
        check(not browser.run("document.querySelector('dialog').open"), f"{name}: {tab} does not close the run")
        check(browser.run("document.activeElement === opener_"), f"{name}: the focus is not where it was")
    check(not browser.problems(), f"{name}: {browser.problems()}")


FAULTY = """<!DOCTYPE html><html lang="en"><head><title>faulty</title><style>:root{color-scheme:light dark}
body{background:#fff;color:#aaa}p{width:900px}button{outline:none!important}</style></head><body><main><h1>One</h1>
<h3>three</h3><p>pale</p><button></button><svg width="100" height="40"><text y="20">cut off, since it is long</text>
<text x="3" y="22">over it</text></svg></main><script>console.error('said'); missing();</script>
<img src="http://example.com/x.png"/></body></html>"""


def check_itself(browser, folder):
    """A page with every fault is found to have them."""
    page = folder / "faulty.html"
    page.write_text(FAULTY)
    check_looks(browser, page, folder)
    check_structure(browser, "faulty")
    browser.run(HELPERS)
    check_keyboard(browser, "faulty")
    found, missed = "\n".join(bad), []
    for fault in ("pale: contrast 2", "cut off: cut off", "one over the other", "wider than a narrow screen", "said",
                  "Uncaught", "asks for http://example.com", "without a title", "headings [1, 3]",
                  "a image without a name", "a button without a name", "no focus is seen"):
        if fault not in found:
            missed.append(fault)
    bad.clear()
    for name in ("light", "dark"):
        (folder / f"faulty-{name}.png").unlink()
    check(not missed, f"this test does not find {missed}")


def main():
    lab, folder = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2])
    names = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
    program = next(filter(None, map(shutil.which, names)), None)
    if program is None:
        print("skipped: no Chromium (Debian: chromium)")
        return 0
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)

    def run(*words):
        done = subprocess.run([lab, *words], cwd=folder, capture_output=True, text=True,
                              env={**os.environ, "XDG_CONFIG_HOME": str(folder)})
        if done.returncode:
            sys.exit(f"lab {' '.join(words)}: {done.stderr}")
        return done.stdout

    if "built without SQLite" in subprocess.run([lab, "results", "x.db"], cwd=folder, capture_output=True,
                                                text=True).stderr:
        print("skipped: no SQLite")
        return 0
    run("sweep", "--kernel", "vecadd,reduction,histogram", "--param", "vecadd.n=1024",
        "--scheduler", "lrr,gto,two_level", "--set", "l1d.size=16KiB,512KiB,1MiB", "--quiet", "--db", "runs.db")
    run("report", "runs.db", "-o", "report.html")
    plots = {"bars": ["--rows", "kernel", "--normalise", "scheduler=lrr"],
             "heat": ["--rows", "kernel", "--normalise", "scheduler=lrr", "--kind", "heat"],
             "stalls": ["--rows", "kernel,scheduler", "--metric", "causes"],
             "curves": ["--rows", "l1d.size", "--columns", "scheduler"],
             "roofline": ["--kind", "roofline"]}
    for name, words in plots.items():
        run("plot", "runs.db", *words, "-o", name + ".svg")
    run("run", "--kernel", "reduction", "--scheduler", "lrr,gto", "--intervals", "200", "--json", "over.json", "-q")
    run("plot", "over.json", "--kind", "time", "-o", "time.svg")
    run("run", "--kernel", "bfs", "--param", "bfs.nodes=1024", "--scheduler", "gto", "-q", "--timeline", "bfs.json",
        "--json", "bfs-run.json")
    for kind in ("banks", "occupancy"):
        run("plot", "bfs.json", "--kind", kind, "-o", kind + ".svg")
    run("sharing", "--kernel", "hotspot", "--picture", "sharing.svg")

    run("figures", "degree", "--only", "fig18", "--db", "figures.db", "--output", "figures", "--quiet")

    browser = Browser(program)
    try:
        check_itself(browser, folder)
        check_report(browser, folder / "report.html", 27)
        pages = [folder / "figures" / name for name in ("index.html", "degree.html")]
        for page in pages:
            check_page(browser, page, 3)
        for path in [folder / "report.html", *pages, *sorted(folder.glob("*.svg"))]:
            check_looks(browser, path, folder)
    finally:
        browser.close()
    for what in bad:
        print("WRONG", what, file=sys.stderr)
    print(f"{len(list(folder.glob('*.png')))} screenshots in {folder}; {len(bad)} things wrong")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
