"""The page about a search: complete in itself, and its numbers are those of the result."""

import html
import html.parser
import re
import shlex
import shutil
import subprocess
import sys

import numpy as np
import pytest

import mirage as mi
from mirage import superoptimizer

BROWSER = shutil.which("chromium") or shutil.which("google-chrome")


@pytest.fixture(scope="module")
def optimized():
    graph = mi.new_kernel_graph()
    x = graph.new_input(dims=(16, 256))
    w = graph.new_input(dims=(256, 64))
    graph.matmul(graph.rms_norm(x), w)
    return graph.superoptimize(measure=False)


class Tables(html.parser.HTMLParser):
    """The cells of tables that have names, and what a page would fetch."""

    def __init__(self):
        super().__init__()
        self.tables, self.fetched, self.rows, self.cell = {}, [], None, None

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        if given.get("src") or (tag == "link" and given.get("href")) or tag == "script":
            self.fetched.append(tag)
        if tag == "table":
            self.rows = self.tables.setdefault(given.get("id", ""), [])
        elif tag == "tr":
            self.rows.append([])
        elif tag == "td":
            self.cell = ""

    def handle_endtag(self, tag):
        if tag == "td":
            self.rows[-1].append(self.cell)
            self.cell = None

    def handle_data(self, data):
        if self.cell is not None:
            self.cell += data


def read(text):
    tables = Tables()
    tables.feed(text)
    return tables


def check_numbers(tables, optimized):
    times = {row[0]: float(row[1].split()[0]) for row in tables.tables["times"]}
    assert times["one by one, predicted"] == pytest.approx(optimized.result.baseline_us, abs=0.01)
    assert times["found, predicted"] == pytest.approx(optimized.result.predicted_us, abs=0.01)
    assert times["at least"] == pytest.approx(optimized.result.limit_us, abs=0.01)
    entry = optimized.result.report["graphs"][0]
    funnel = {row[0].strip(): int(row[1]) for row in tables.tables["funnel"]}
    assert funnel["states"] == entry["search"]["counts"]["states"]
    assert funnel["structures"] == entry["search"]["structures"]
    assert len([row for row in tables.tables["kernels"] if row]) == entry["kernels"]
    assert ["verdict", "equal"] in tables.tables["proof"]


def test_numbers(optimized, tmp_path):
    path = mi.report(optimized, tmp_path / "out.html")
    text = open(path, encoding="utf-8").read()
    tables = read(text)
    check_numbers(tables, optimized)
    assert not tables.fetched, "a page is complete in itself"
    counters = {row[1]: int(row[2]) for row in tables.tables["counters"] if row}
    assert counters["globalStoreBytes"] == 16 * 64 * 2  # the output, once
    assert "mirage_block.graph" in text and ".target sm_90a" in text
    assert re.search(r"python -m mirage optimize program.mlir .*max-states=500000", text)


def test_the_command_repeats_the_search(graph, tmp_path):
    graph.mark_output(graph.exp(graph.new_input((16, 64))))
    optimized = graph.superoptimize(max_states=1000, branch_and_bound=False, measure=False)
    text = open(mi.report(optimized, tmp_path / "out.html"), encoding="utf-8").read()
    (command,) = re.findall(r"python -m mirage optimize program.mlir [^<]*", text)
    words = shlex.split(html.unescape(command))
    (tmp_path / "program.mlir").write_text(optimized.program)
    words[words.index("program.mlir")] = str(tmp_path / "program.mlir")
    words[words.index("found.mlir")] = str(tmp_path / "found.mlir")
    assert "branch-and-bound=false" in words
    subprocess.run([sys.executable, *words[1:]], check=True, capture_output=True)
    assert (tmp_path / "found.mlir").exists()


def test_loaded_results_have_a_page(optimized, tmp_path):
    optimized.save(tmp_path / "kept")
    loaded = mi.load(tmp_path / "kept")
    assert loaded.program == optimized.program
    check_numbers(read(open(mi.report(loaded, tmp_path / "out.html"), encoding="utf-8").read()), optimized)


def test_what_was_left_as_it_was(graph, tmp_path):
    graph.exp(graph.new_input(dims=(8, 64)))
    text = open(mi.report(graph.superoptimize(max_states=1, measure=False), tmp_path / "out.html"), encoding="utf-8").read()
    assert "left as it was" in text and "The program is as it was written." in text


def test_what_was_found_and_not_proved(graph, tmp_path, monkeypatch):
    """The page tells of what runs, as that of any program that was left as it was."""
    monkeypatch.setattr(superoptimizer, "_is_proved", lambda before, after: False)
    graph.matmul(graph.rms_norm(graph.new_input(dims=(16, 256))), graph.new_input(dims=(256, 64)))
    optimized = graph.superoptimize(is_formal_verified=True, max_states=3000, measure=False)
    text = open(mi.report(optimized, tmp_path / "out.html"), encoding="utf-8").read()
    tables = read(text).tables
    assert "not proved by canonical forms" in text and "The program is as it was written." in text
    assert "kernels" not in tables and "proof" not in tables
    assert tables["candidates"], "what was judged right is still told"
    other = mi.new_kernel_graph()
    other.exp(other.new_input(dims=(8, 64)))
    left = other.superoptimize(max_states=1, measure=False).result.report["graphs"][0]
    assert not left["replaced"]
    assert optimized.result.report["graphs"][0].keys() == left.keys()


def test_mistakes(optimized, tmp_path):
    with pytest.raises(mi.RunError, match="expects what superoptimize returns, got ndarray"):
        mi.report(np.zeros(3), tmp_path / "out.html")
    with pytest.raises(mi.RunError, match="nowhere/out.html cannot be written: .*No such file") as caught:
        mi.report(optimized, tmp_path / "nowhere" / "out.html")
    assert isinstance(caught.value.__cause__, FileNotFoundError)


@pytest.mark.skipif(BROWSER is None, reason="needs chromium")
def test_in_a_browser(optimized, tmp_path):
    path = mi.report(optimized, tmp_path / "out.html")
    done = subprocess.run([BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr",
                           f"--user-data-dir={tmp_path}/profile", "--dump-dom", f"file://{path}"],
                          capture_output=True, text=True, timeout=120)
    assert "CONSOLE" not in done.stderr, done.stderr
    check_numbers(read(done.stdout), optimized)
    picture = tmp_path / "page.png"
    subprocess.run([BROWSER, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path}/profile",
                    "--window-size=1300,2400", f"--screenshot={picture}", f"file://{path}"], capture_output=True,
                   timeout=120, check=True)
    assert picture.stat().st_size > 20000
