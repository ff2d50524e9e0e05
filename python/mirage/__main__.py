"""`python -m mirage`: the compiler from a shell."""

from __future__ import annotations

import argparse
import ctypes
import inspect
import io
import itertools
import json
import os
import platform
import shutil
import sys
import tempfile
import traceback
from ctypes import byref
from typing import Any, Dict, List, NoReturn, Optional

from . import _library
from ._library import Context, Module, lib
from .compiler import describe_ptxas, find_tool, from_mlir
from .devices import describe_gpu
from .errors import MirageError
from .pages import report as write_page
from .programs import load
from .progress import Interrupts, Progress
from .superoptimizer import check_options, choose_measuring, search_module, set_native_target, superoptimize

#: Exit codes, as mirage-verify has them.
_BAD_INPUT = 2


def _read(path: str, context: Context) -> Module:
    with (sys.stdin.buffer if path == "-" else open(path, "rb")) as file:
        return Module.parse(context, file.read(), path)


def _parse_options(pairs: List[str]) -> Dict[str, str]:
    options = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals:
            raise MirageError(f"expects an option as name=value, got {pair!r}")
        options[name] = value
    return options


def _expect_name(path: str, what: str) -> None:
    if not path:
        raise MirageError(f"expects the name of {what} to write, got none")


def _expect_folder(path: str, what: str) -> None:
    """One that takes new files."""
    try:
        with tempfile.TemporaryFile(dir=path):
            pass
    except OSError as error:
        raise MirageError(f"expects a folder that can be written for {what}, got {path}: {error.strerror}") from None


def _expect_place(path: str) -> None:
    """An error before a search whose result would have no place."""
    _expect_name(path, "a file")
    if os.path.isdir(path) or path.endswith(os.sep):
        raise MirageError(f"expects a file to write, got a folder, {path}")
    if not os.path.exists(path):
        _expect_folder(os.path.dirname(os.path.abspath(path)), path)
    elif os.path.isfile(path):
        try:
            with open(path, "ab"):
                pass
        except OSError as error:
            raise MirageError(f"{path} cannot be written: {error.strerror}") from None


def _expect_place_of_folder(path: str) -> None:
    """Likewise; those above it may be missing, too."""
    _expect_name(path, "a folder")
    place = os.path.abspath(path)
    while not os.path.exists(place):
        place = os.path.dirname(place)
    if not os.path.isdir(place):
        raise MirageError(f"expects a folder to write, got {place}, which is none")
    _expect_folder(place, path)


def _optimize(arguments: argparse.Namespace) -> int:
    if arguments.output != "-":
        _expect_place(arguments.output)
    if arguments.artifact is not None:
        _expect_place_of_folder(arguments.artifact)
    options = _parse_options(arguments.options)
    check_options(options)
    module = _read(arguments.program, Context())
    if "target" not in options:
        set_native_target(module)
    measuring = choose_measuring(arguments.measure, options.get("target"))
    with Interrupts() as interrupts:
        report = search_module(module, options, Progress(verbose=False, on_progress=None), measuring, interrupts)
        for entry in report["graphs"]:
            print(f"@{entry['function']}: {_describe(entry)}", file=sys.stderr)
        if interrupts.heard:
            print("mirage: interrupted: the best so far", file=sys.stderr)
        _write(module.print().decode(), arguments.output)
        if arguments.artifact:
            target = {"target": options["target"]} if "target" in options else {}
            given = {"from": "optimize", "artifact": arguments.artifact, **target}
            interrupts.call(module.context, lambda: module.run_with_options(lib.mirageModuleCompile, given))
    return 0


def _write(text: str, path: str) -> None:
    if path == "-":
        sys.stdout.write(text)
        return
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def _describe(entry: Dict[str, Any]) -> str:
    """What became of a function."""
    if not entry["replaced"]:
        return f"left as it was: {entry['whyNot']}"
    if "measuredUs" in entry:
        return f"{entry['measuredUs']:.2f} us measured, {entry['measuredBaselineUs']:.2f} us one by one"
    return f"{entry['predictedUs']:.2f} us predicted, {entry['search']['baselineUs']:.2f} us one by one"


def _verify(arguments: argparse.Namespace) -> int:
    if arguments.before == arguments.after == "-":
        raise MirageError("expects standard input once, got it as both modules")
    context = Context()
    before, after = _read(arguments.before, context), _read(arguments.after, context)
    options = _library.VerifyOptions(exact=arguments.exact, certificates=arguments.certificates)
    verdict, details = ctypes.c_int(), _library.Text()
    context.call(lib.mirageModulesVerify, before.handle, after.handle, byref(options), byref(verdict), byref(details))
    described = json.loads(_library.take_text(details))
    if arguments.json:
        print(json.dumps(described, indent=2))
    else:
        for function in described["functions"]:
            print(f"@{function['function']}: {function['verdict']}" +
                  (f"; {function['reason']}" if function.get("reason") else ""))
    return verdict.value


def _read_graph(arguments: argparse.Namespace) -> Any:
    with (sys.stdin.buffer if arguments.program == "-" else open(arguments.program, "rb")) as file:
        return from_mlir(file.read(), arguments.function, arguments.program)


def _show(arguments: argparse.Namespace) -> int:
    is_saved = os.path.isdir(arguments.program)
    if is_saved and arguments.function is not None:
        raise MirageError("expects --function with a module of MLIR, got a folder, which has one program")
    graph = load(arguments.program) if is_saved else _read_graph(arguments)
    if arguments.output:
        print(graph.visualize(arguments.output))
    else:
        sys.stdout.write(graph.mlir)
        if is_saved and hasattr(graph, "result"):
            print(graph.result, file=sys.stderr)
    return 0


def _bench(arguments: argparse.Namespace) -> int:
    if arguments.page:
        _expect_place(arguments.page)
    options: Dict[str, Any] = {name.replace("-", "_"): value
                               for name, value in _parse_options(arguments.options).items()}
    for name in options:
        if name in inspect.signature(superoptimize).parameters and name not in ("seed", "threads", "target"):
            raise MirageError(f"expects options of the search (docs/Search.md), got {name!r}")
    check_options(name.replace("_", "-") for name in options)
    optimized = superoptimize(_read_graph(arguments), measure=arguments.measure, **options)
    result = optimized.result
    if arguments.page:
        write_page(optimized, arguments.page)
    if arguments.json:
        fields = ("improved", "why", "predicted_us", "baseline_us", "measured_us", "measured_baseline_us", "limit_us", "ranked_by",
                  "why_not_measured", "speedup", "seconds", "stop_reason")
        print(json.dumps({name: getattr(result, name) for name in fields}, indent=2))
    else:
        print(f"{result}; searched {result.seconds:.1f} s")
    return 0


def _env(arguments: argparse.Namespace) -> int:
    described: Dict[str, Any] = {
        "mirage": _library.version(),
        "library": _library._find_library(),
        "python": platform.python_version(),
        "platform": platform.platform(),
        "gpus": _describe_gpus(),
        "ptxas": describe_ptxas(),
        "mirage-run": find_tool("mirage-run"),
        "graphviz": shutil.which("dot"),
    }
    for package in ("numpy", "torch"):
        try:
            import importlib.metadata

            described[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            described[package] = None
    if arguments.json:
        print(json.dumps(described, indent=2))
    else:
        for name, value in described.items():
            print(f"{name}: {'; '.join(value) if isinstance(value, list) else value or 'none'}")
    return 0


def _describe_gpus() -> Any:
    """All that there are, or why there are none."""
    gpus = list(itertools.takewhile(lambda gpu: gpu is not None, map(describe_gpu, itertools.count())))
    return gpus or f"none: {_library.last_error()}"


def _call_tool(tool: str, arguments: List[str]) -> NoReturn:
    path = find_tool(tool)
    if path is None:
        raise MirageError(f"expects {tool} beside the library or on the PATH, got none")
    os.execv(path, [tool, *arguments])


def run_tool() -> int:
    """The program that this one is called like, of those in the package: mirage-opt, mirage-verify, ..."""
    try:
        _call_tool(os.path.basename(sys.argv[0]), sys.argv[1:])
    except MirageError as error:
        print(f"mirage: error: {error}", file=sys.stderr)
        return _BAD_INPUT


def _add_measuring(parser: argparse.ArgumentParser) -> None:
    """Whether a GPU or the cost model says what is the fastest."""
    group = parser.add_mutually_exclusive_group()
    group.add_argument("--measure", action="store_true", default=None,
                       help="measure the best on a GPU (default: where there is one)")
    group.add_argument("--no-measure", dest="measure", action="store_false", help="go by predictions")


def _build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="mirage", description="A superoptimizer for tensor programs.")
    parser.add_argument("--version", action="version", version=f"Mirage {_library.version()}")
    commands = parser.add_subparsers(dest="command", required=True)

    optimize = commands.add_parser("optimize", help="replace tensor programs by equal and faster ones")
    optimize.add_argument("program", help="a module of MLIR, linalg or µGraphs; -: standard input")
    optimize.add_argument("options", nargs="*", metavar="name=value", help="options of the search (docs/Search.md)")
    optimize.add_argument("-o", "--output", default="-", help="file for the result (default: standard output)")
    optimize.add_argument("--artifact", help="folder for PTX and manifest as well")
    _add_measuring(optimize)
    optimize.set_defaults(run=_optimize)

    verify = commands.add_parser("verify", help="judge two modules equal or not",
                                 description="Exit codes: 0 equal, 1 different, 2 bad input, 3 unknown.")
    verify.add_argument("before")
    verify.add_argument("after")
    verify.add_argument("--exact", action="store_true", help="equal is what canonical forms prove")
    verify.add_argument("--certificates", action="store_true", help="repeat the proofs of a search as well")
    verify.add_argument("--json", action="store_true")
    verify.set_defaults(run=_verify)

    show = commands.add_parser("show", help="print or draw a program: its µGraph at kernel, block and thread level")
    show.add_argument("program", help="a module of MLIR (-: standard input), or a folder that save() has made")
    show.add_argument("--function", help="its name, where the module has several")
    show.add_argument("-o", "--output", help="draw it: a file that ends in .svg, .png, .pdf or .dot")
    show.set_defaults(run=_show)

    bench = commands.add_parser("bench", help="superoptimize a program and say how fast it is",
                                description="Times are measured where there is a GPU, and predicted elsewhere.")
    bench.add_argument("program", help="a module of MLIR; -: standard input")
    bench.add_argument("options", nargs="*", metavar="name=value", help="options of the search (docs/Search.md)")
    bench.add_argument("--function", help="its name, where the module has several")
    bench.add_argument("--page", metavar="FILE", help="write a page on the search as well (.html)")
    bench.add_argument("--json", action="store_true")
    _add_measuring(bench)
    bench.set_defaults(run=_bench)

    env = commands.add_parser("env", help="say what a bug report wants to know")
    env.add_argument("--json", action="store_true")
    env.set_defaults(run=_env)

    for name, tool, text in (("run", "mirage-run", "run, check or measure an artifact"),
                             ("cache", "mirage-cache", "merge and export caches")):
        command = commands.add_parser(name, help=f"{text}, by {tool}", add_help=False)
        command.set_defaults(tool=tool)
    return parser


def _write_utf8() -> None:
    """Modules are UTF-8, whatever the locale is; names of files are given back as they came."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", errors="surrogateescape")


def main(arguments: Optional[List[str]] = None) -> int:
    _write_utf8()
    given = sys.argv[1:] if arguments is None else arguments
    parser = _build_parser()
    parsed, rest = parser.parse_known_args(given)
    try:
        if hasattr(parsed, "tool"):
            _call_tool(parsed.tool, given[given.index(parsed.command) + 1:])
        if hasattr(parsed, "options") and not any(word.startswith("-") for word in rest):
            parsed.options, rest = parsed.options + rest, []  # name=value after an option of ours
        if rest:
            parser.error(f"unrecognized arguments: {' '.join(rest)}")
        return parsed.run(parsed)
    except (MirageError, OSError) as error:
        print(f"mirage: error: {error}", file=sys.stderr)
        return _BAD_INPUT
    except Exception:  # a mistake of ours, whose exit code must not say "different"
        traceback.print_exc()
        return _BAD_INPUT


if __name__ == "__main__":
    sys.exit(main())
