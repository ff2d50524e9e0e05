"""Pictures of programs and µGraphs: the three levels as nested boxes, drawn by Graphviz."""

from __future__ import annotations

import json
import os
import pathlib
import shutil
import subprocess
from typing import Any, Dict, List, Optional, Tuple

from .arguments import show, to_path
from .errors import RunError

_FORMATS = ("svg", "png", "pdf", "dot")
#: Endings of pictures that are not made, where somebody expects one.
_OTHER_PICTURES = ("bmp", "eps", "gif", "jpeg", "jpg", "ps", "svgz", "tif", "tiff", "webp")
_PAGES = ("htm", "html")
_AXES = ("x", "y", "z")
#: Of the box around a kernel, and of one around a step of its blocks.
_COLOURS = {"block": "#e8f0fb", "thread": "#fdf3e1"}


def _escape(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


def _describe_type(type_: Dict[str, Any]) -> str:
    return f"{'×'.join(map(str, type_['shape']))} {type_['element']}"


def _describe_map(grid: List[int], loop: Any = None) -> str:
    """Which dimension each axis cuts: "x → 1, loop → 0"."""
    parts = [f"{axis} → {dim}" if dim >= 0 else f"{axis} summed"
             for axis, dim in zip(_AXES, grid) if dim >= 0 or dim == -2]
    if loop is not None and loop >= 0:
        parts.append(f"loop → {loop}")
    return ", ".join(parts) or "whole"


def _describe_operator(operation: Dict[str, Any]) -> str:
    """The operator and what it is told: "accumulate sum over loop, dims [1]"."""
    name = operation["operator"]
    if name == "accumulate":
        name += f" {operation['reduction']} over {operation['axis']}"
    details = [f"dims {operation['dims']}"] if operation.get("dims") else []
    details += [str(scalar) for scalar in operation.get("scalars", [])]
    return name + (f", {', '.join(details)}" if details else "")


def _describe_bytes(size: int) -> str:
    return f"{size / 1024:g} KiB" if size >= 1024 and size % 64 == 0 else f"{size} B"


def _count(number: int, what: str) -> str:
    return f"{number} {what}" + ("" if number == 1 else "s")


class _Plan:
    """What was decided of one kernel: a kernel of `--mirage-explain` as JSON, or nothing."""

    def __init__(self, kernel: Optional[Dict[str, Any]]):
        self.kernel = kernel or {}
        self.places = {place["name"]: place for place in self.kernel.get("places", [])}

    def describe_kernel(self) -> str:
        if not self.kernel.get("planned"):
            return ""
        parts = [f"{_describe_bytes(self.kernel['sharedBytes'])} of shared memory" if "sharedBytes" in self.kernel else "",
                 _count(self.kernel["blocksPerSM"], "block") + " per SM" if "blocksPerSM" in self.kernel else ""]
        return ", ".join(filter(None, parts))

    def describe_place(self, name: str, is_held: bool = False) -> str:
        """Where a tile lies: "input 0", "step 4"."""
        place = self.places.get(name)
        if place is None:
            return "in registers" if is_held else ""
        copies = f"{place['places']} × " if place["places"] > 1 else ""
        swizzle = f", swizzle of {place['swizzleBytes']} B" if place.get("swizzleBytes") else ""
        return f"shared memory at {place['offsetBytes']}: {copies}{_describe_bytes(place['sizeBytes'])}{swizzle}"

    def find_steps(self, operations: List[Dict[str, Any]]) -> List[Optional[Dict[str, Any]]]:
        """For each operation of a block the step that it is; views are none."""
        steps = {step["index"]: step for step in self.kernel.get("steps", [])}
        return [steps.get(index) for index in range(len(operations))]

    def find_layouts(self, step: Optional[Dict[str, Any]], operations: List[Dict[str, Any]]) -> List[str]:
        """For each operation of a thread graph the layout of its result in registers, if it is told."""
        told = {fragment["index"]: fragment["layout"] for fragment in (step or {}).get("fragments", [])}
        return [self.kernel["layouts"][told[index]] if index in told else "" for index in range(len(operations))]


class _Drawing:
    """The text of a dot file, box by box."""

    def __init__(self, title: str, plans: List[Dict[str, Any]]):
        self.plans = list(plans)
        self.lines = [f'digraph "{_escape(title)}" {{', "  compound=true; rankdir=TB; nodesep=0.25; ranksep=0.35;",
                      '  node [fontname="Helvetica", fontsize=10, shape=box, style="rounded,filled", fillcolor=white];',
                      '  edge [fontname="Helvetica", fontsize=9, arrowsize=0.6];']
        # Behind all boxes, since an edge draws its ends into the box that it is written in.
        self.edges: List[str] = []
        self.count = 0

    def add_node(self, label: str, indent: str, **attributes: str) -> str:
        self.count += 1
        name = f"n{self.count}"
        given = "".join(f', {key}="{value}"' for key, value in attributes.items())
        self.lines.append(f'{indent}{name} [label="{_escape(label)}"{given}];'.replace("\n", "\\n"))
        return name

    def add_edge(self, source: str, target: str, label: str = "") -> None:
        given = f' [label=" {_escape(label)}"]' if label else ""
        self.edges.append(f"  {source} -> {target}{given};")

    def add_graph(self, graph: Dict[str, Any], inputs: List[str], indent: str, plan: _Plan = _Plan(None),
                  step: Optional[Dict[str, Any]] = None) -> List[str]:
        """Draws operations on nodes that are there. Returns the nodes of the outputs.

        plan, step   of the kernel that they are in, and of the thread graph that they are in"""
        values = list(inputs)
        operations = graph["operations"]
        is_thread = graph.get("level") == "thread"
        steps = [None] * len(operations) if is_thread else plan.find_steps(operations)
        layouts = plan.find_layouts(step, operations) if is_thread else [""] * len(operations)
        for operation, its_step, layout in zip(operations, steps, layouts):
            operands = [values[number] for number in operation["operands"]]
            if "body" in operation:
                values += self.add_tiles(operation, operands, indent, plan, its_step)
                continue
            place = plan.describe_place(f"step {its_step['number']}", its_step["held"]) if its_step else ""
            lines = [_describe_operator(operation), _describe_type(operation["types"][0]), place]
            node = self.add_node("\n".join(filter(None, lines)), indent, **({"tooltip": layout} if layout else {}))
            for operand in operands:
                self.add_edge(operand, node)
            values.append(node)
        return [values[number] for number in graph["outputs"]]

    def add_tiles(self, operation: Dict[str, Any], operands: List[str], indent: str, plan: _Plan,
                  step: Optional[Dict[str, Any]]) -> List[str]:
        """A box around what blocks, or warps, do."""
        body = operation["body"]
        is_block = body["level"] == "block"
        if is_block:
            plan = _Plan(self.plans.pop(0) if self.plans else None)
        self.count += 1
        inner = indent + "  "
        extents = ", ".join(f"{axis} = {extent}" for axis, extent in zip(_AXES, body["grid"]))
        what = ("grid" if is_block else "items") + f"({extents})"
        place = plan.describe_place(f"step {step['number']}", step["held"]) if step else ""
        rest = [f"{body['threads']} threads" if is_block else "", f"loop {body['loop']}",
                f"{body['stages']} stages" if body.get("stages", 1) > 1 else "",
                f"cluster {body['cluster']}" if body.get("cluster") else "",
                plan.describe_kernel() if is_block else place]
        label = f"{body['level']}: {what}, {', '.join(filter(None, rest))}"
        self.lines.append(f"{indent}subgraph cluster_{self.count} {{")
        self.lines.append(f'{inner}label="{_escape(label)}"; labeljust=l; style="rounded,filled"; '
                          f'fillcolor="{_COLOURS[body["level"]]}"; fontname="Helvetica"; fontsize=10;')
        tiles = []
        for number, (entry, cut) in enumerate(zip(body["inputs"], body["tileInputs"])):
            place = plan.describe_place(f"input {number}") if is_block else ""
            lines = [f"tile {_describe_type(entry['type'])}", place]
            tiles.append(self.add_node("\n".join(filter(None, lines)), inner, fillcolor="#f4f4f4"))
            self.add_edge(operands[number], tiles[-1], _describe_map(cut["grid"], cut["loop"]))
        outputs = self.add_graph(body, tiles, inner, plan, step)
        self.lines.append(f"{indent}}}")
        results = []
        for output, joined, type_ in zip(outputs, body["tileOutputs"], operation["types"]):
            node = self.add_node(_describe_type(type_), indent, shape="ellipse")
            self.add_edge(output, node, _describe_map(joined["grid"]))
            results.append(node)
        return results

    def finish(self) -> str:
        return "\n".join([*self.lines, *self.edges, "}", ""])


def to_dot(described: str, title: str = "mirage", plan: str = "") -> str:
    """The picture of a graph in the language of Graphviz.

    described   what `to_json` gives
    plan        what `--mirage-explain` says of it as JSON, if it is planned: places in shared memory,
                and layouts in registers, which show where the mouse rests on an operator"""
    graph = json.loads(described)["graph"]
    functions = json.loads(plan)["functions"] if plan else []
    drawing = _Drawing(title, [kernel for function in functions for kernel in function["kernels"]
                               if not kernel["library"]])
    inputs = [drawing.add_node(f"{entry['name']}\n{_describe_type(entry['type'])}", "  ", shape="ellipse",
                               fillcolor="#f4f4f4") for entry in graph["inputs"]]
    for number, output in enumerate(drawing.add_graph(graph, inputs, "  ")):
        node = drawing.add_node(f"output{number}", "  ", shape="ellipse", fillcolor="#e6f4e6")
        drawing.add_edge(output, node)
    return drawing.finish()


def _find_place(name: "str | os.PathLike[str]") -> Tuple[pathlib.Path, str]:
    """The file to draw into, and of which kind. An ending that is no kind of picture is a part of the name."""
    what = "the path of a file to draw into"
    path = to_path(what, name)
    if path.is_dir() or os.fspath(name).endswith(("/", os.sep)) or path.name in ("", ".."):
        raise RunError(f"expects {what}, got {'a folder, ' if path.is_dir() and str(name) else ''}{show(str(name))}")
    _, dot, ending = path.name.rpartition(".")
    kind = ending.lower() if dot else ""
    if kind in (*_OTHER_PICTURES, *_PAGES):
        page = "; mirage.report writes pages" if kind in _PAGES else ""
        raise RunError(f"expects a file that ends in .{', .'.join(_FORMATS)}, got {path}{page}")
    return (path, kind) if kind in _FORMATS else (path.with_name(path.name + ".svg"), "svg")


def draw(described: str, name: "str | os.PathLike[str]", plan: str = "") -> str:
    """Writes the picture to a file: .svg, .png, .pdf or .dot; a name that ends otherwise gets .svg behind it. Returns
    its path. Arguments are those of to_dot."""
    path, kind = _find_place(name)
    text = to_dot(described, path.stem, plan)
    picture = text.encode() if kind == "dot" else _run_dot(text, kind, path)
    try:
        path.write_bytes(picture)
    except OSError as error:
        raise RunError(f"{path} cannot be written: {error}") from error
    return str(path)


def _run_dot(text: str, kind: str, path: pathlib.Path) -> bytes:
    program = shutil.which("dot")
    if program is None:
        raise RunError(f"expects Graphviz's dot on the PATH to draw {path}, got none; {path.stem}.dot can be written "
                       "without it")
    done = subprocess.run([program, f"-T{kind}"], input=text.encode(), capture_output=True)
    if done.returncode != 0:
        raise RunError(f"dot cannot draw {path}: {done.stderr.decode(errors='replace').strip()}")
    return done.stdout
