"""What a search has come to, as a page: mirage.report(result, "out.html")."""

from __future__ import annotations

import html
import json
import os
import shlex
import shutil
import subprocess
from typing import Any, Dict, Iterable, List, Optional, Tuple

from . import _library
from .arguments import to_path
from .compiler import find_tool, from_mlir
from .errors import RunError
from .programs import OptimizedGraph
from .visualizer import to_dot

_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 78rem; padding: 0 1rem; color: #1c2733; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin-top: 2.2rem; border-bottom: 1px solid #d8dee6; }
table { border-collapse: collapse; } td, th { padding: .2rem .8rem .2rem 0; text-align: left; vertical-align: top; }
td.number { text-align: right; font-variant-numeric: tabular-nums; }
.bar { background: #4878b8; height: .9rem; border-radius: 2px; } .bar.limit { background: #9aa7b5; }
.sides { display: grid; grid-template-columns: 1fr 1fr; gap: 1.5rem; } .sides svg { max-width: 100%; height: auto; }
pre { background: #f5f7fa; padding: .8rem; overflow: auto; max-height: 34rem; font-size: 12px; }
summary { cursor: pointer; } .muted { color: #5c6b7a; }
"""


def _cell(value: Any) -> str:
    if isinstance(value, float):
        return f'<td class="number">{value:.2f}</td>'
    if isinstance(value, int) and not isinstance(value, bool):
        return f'<td class="number">{value}</td>'
    return f"<td>{html.escape(str(value))}</td>"


def _table(rows: Iterable[Tuple[Any, ...]], heads: Tuple[str, ...] = (), name: str = "") -> str:
    head = f"<tr>{''.join(f'<th>{html.escape(text)}</th>' for text in heads)}</tr>" if heads else ""
    body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows)
    return f'<table id="{name}">{head}{body}</table>' if name else f"<table>{head}{body}</table>"


def _section(title: str, *parts: str) -> str:
    return f"<h2>{html.escape(title)}</h2>\n" + "\n".join(parts)


def _fold(title: str, text: str) -> str:
    return f"<details><summary>{html.escape(title)}</summary><pre>{html.escape(text)}</pre></details>"


# ---------------------------------------------------------------------- parts of the page


def _describe_times(optimized: OptimizedGraph) -> str:
    result = optimized.result
    times: List[Tuple[str, Optional[float], str]] = [
        ("one by one, predicted", result.baseline_us, ""), ("one by one, measured", result.measured_baseline_us, ""),
        ("found, predicted", result.predicted_us, ""), ("found, measured", result.measured_us, ""),
        ("at least", result.limit_us, " limit")]
    known = [(name, us, kind) for name, us, kind in times if us is not None]
    if not known:
        return '<p class="muted">No times are predicted: nothing is computed, or kernels are the caller\'s own.</p>'
    longest = max(us for _, us, _ in known)
    rows = "".join(f'<tr><td>{name}</td><td class="number">{us:.2f} us</td><td style="width: 32rem">'
                   f'<div class="bar{kind}" style="width: {100 * us / longest:.1f}%"></div></td></tr>'
                   for name, us, kind in known)
    best = result.measured_us if result.measured_us is not None else result.predicted_us
    share = f"<p>{best / result.limit_us:.2f} times the limit: the launch, and each input and output once.</p>" \
        if best and result.limit_us else ""
    return f'<table id="times">{rows}</table>{share}'


def _draw(mlir: str, plan: str = "") -> str:
    """A picture, or its text where there is no Graphviz."""
    text = to_dot(from_mlir(mlir).to_json(), plan=plan)
    program = shutil.which("dot")
    if program is None:
        return f'<p class="muted">Without Graphviz, as its text:</p><pre>{html.escape(text)}</pre>'
    drawn = subprocess.run([program, "-Tsvg"], input=text, capture_output=True, encoding="utf-8")
    if drawn.returncode != 0:
        raise RunError(f"dot cannot draw the graph: {drawn.stderr.strip()}")
    return drawn.stdout[drawn.stdout.index("<svg"):]


def _describe_funnel(entry: Dict[str, Any]) -> str:
    search = entry["search"]
    counts = search["counts"]
    rows: List[Tuple[Any, ...]] = [("operators tried", counts["trials"])]
    rows += [(f"  refused: {reason}", number) for reason, number in counts["pruned"].items() if number]
    rows += [("states", counts["states"]), ("structures", search["structures"]), ("with sizes", search["instances"]),
             ("that fit the GPU", search["fitting"]), ("judged and rejected", search["rejected"]),
             ("judged and right", search["verified"])]
    ended = f"<p>It ended: {html.escape(entry['stopReason'])}; limits that were hit: " \
            f"{html.escape(', '.join(entry['limitsHit']) or 'none')}.</p>"
    return _table(rows, name="funnel") + ended


def _describe_candidates(entry: Dict[str, Any]) -> str:
    """Those that were judged right, as predicted and as measured."""
    times = {time["graph"]: time for time in entry.get("times", [])}
    rows = []
    for candidate in entry.get("candidates", []):
        time = times.get(candidate["graph"], {})
        measured = time["coldUs"]["median"] if "coldUs" in time else time.get("reason", "")
        rows.append((candidate["predictedUs"], measured, time.get("verdict", "not measured"), candidate["structure"]))
    if not rows:
        return '<p class="muted">There are none.</p>'
    return _table(rows, ("predicted, us", "measured, us", "on the GPU", "structure"), "candidates")


def _describe_kernels(entry: Dict[str, Any]) -> str:
    rows = [(number, *(("a library", "", "", "") if "library" in kernel else
                       (kernel["blocks"], kernel["threads"], kernel["loop"], kernel["stages"])))
            for number, kernel in enumerate(entry.get("sizes", []))]
    return _table(rows, ("kernel", "blocks", "threads", "iterations", "stages"), "kernels") if rows else ""


def _describe_misses(entry: Dict[str, Any]) -> str:
    misses = entry.get("nearMisses", [])
    if not misses:
        return '<p class="muted">None was left out.</p>'
    return _table([(miss["predictedUs"], miss["why"], miss.get("structure", "")) for miss in misses],
                  ("predicted, us", "why not", "structure"))


def _describe_proof(entry: Dict[str, Any]) -> str:
    small = entry.get("smallSizes")
    if small is None:
        return '<p class="muted">The program is as it was written.</p>'
    rows = [("verdict", small["verdict"]), ("sizes of the proof", small.get("sizes", "")),
            ("trials", small.get("trials", 0)), ("primes' towers", small.get("towers", 0)),
            ("error, proved", f"2^{small['provedLog2']}" if small.get("provedLog2") else "none"),
            ("trials at its own sizes", entry.get("fullSize", {}).get("ownSizes", {}).get("trials", 0))]
    return _table(rows, name="proof")


def _count(optimized: OptimizedGraph) -> str:
    """What the emulator counts of one run of each kernel."""
    runner = find_tool("mirage-run")
    if runner is None:
        return '<p class="muted">No mirage-run is at hand to count with.</p>'
    done = subprocess.run([runner, optimized._artifact, "--device=emulator", "--json"], capture_output=True,
                          encoding="utf-8")
    if not done.stdout:
        return f'<p class="muted">{html.escape(done.stderr.strip())}</p>'
    rows = []
    for launch in json.loads(done.stdout.splitlines()[0])["launches"]:
        counters = launch["counters"]
        rows += [(launch["kernel"], name, number) for name, number in counters.items()
                 if isinstance(number, int) and number]
    return _table(rows, ("kernel", "counter", "in all"), "counters")


def _reproduce(entry: Dict[str, Any]) -> str:
    given = [f"{name}={_library.write_option(name, value).decode()}" for name, value in entry["options"].items()
             if value not in ("", None)]
    return shlex.join(["python", "-m", "mirage", "optimize", "program.mlir", *given, "-o", "found.mlir"])


def report(optimized: OptimizedGraph, path: "str | os.PathLike[str]") -> str:
    """Writes one page that needs nothing else: the program and what was found of it, the search's
    funnel, kernels, times and their distance from the limit, the proof, PTX, what the emulator counts,
    and the command that repeats it. Returns its path."""
    if not isinstance(optimized, OptimizedGraph):
        raise RunError(f"expects what superoptimize returns, got {type(optimized).__name__}")
    target = to_path("the path of a page to write", path)
    entry = optimized.result.report["graphs"][0]
    title = "Mirage: " + (f"{optimized.result.speedup:.1f} times faster" if optimized.improved else "left as it was")
    body = [
        f"<h1>{html.escape(title)}</h1>", f"<p>{html.escape(str(optimized.result))}</p>",
        _section("Time", _describe_times(optimized)),
        _section("Program and result", '<div class="sides"><div>', _draw(optimized.program), "</div><div>",
                 _draw(optimized.planned_mlir, optimized.plan), "</div></div>"),
        _section("Kernels", _describe_kernels(entry)),
        _section("Search", _describe_funnel(entry)),
        _section("Candidates", _describe_candidates(entry)),
        _section("What came near", _describe_misses(entry)),
        _section("Proof", _describe_proof(entry)),
        _section("On the emulator", _count(optimized)),
        _section("Code", _fold("the program, program.mlir", optimized.program), _fold("what was found", optimized.mlir),
                 _fold("PTX", optimized.ptx)),
        _section("Again", f"<pre>{html.escape(_reproduce(entry))}</pre>",
                 f'<p class="muted">Mirage {html.escape(_library.version())}</p>'),
    ]
    text = (f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{html.escape(title)}</title>'
            f"<style>{_STYLE}</style></head>\n<body>\n" + "\n".join(body) + "\n</body></html>\n")
    try:
        target.write_text(text, encoding="utf-8")
    except OSError as error:
        raise RunError(f"{target} cannot be written: {error}") from error
    return str(path)
