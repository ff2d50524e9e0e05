"""Pictures of programs and µGraphs: the three levels as nested boxes, drawn by Graphviz."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from typing import Any, Dict, List

from .arguments import to_path
from .errors import RunError

_FORMATS = ("svg", "png", "pdf", "dot")
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


class _Drawing:
    """The text of a dot file, box by box."""

    def __init__(self, title: str):
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

    def add_graph(self, graph: Dict[str, Any], inputs: List[str], indent: str) -> List[str]:
        """Draws operations on nodes that are there. Returns the nodes of the outputs."""
        values = list(inputs)
        for operation in graph["operations"]:
            operands = [values[number] for number in operation["operands"]]
            if "body" in operation:
                values += self.add_tiles(operation, operands, indent)
                continue
            label = f"{_describe_operator(operation)}\n{_describe_type(operation['types'][0])}"
            node = self.add_node(label, indent)
            for operand in operands:
                self.add_edge(operand, node)
            values.append(node)
        return [values[number] for number in graph["outputs"]]

    def add_tiles(self, operation: Dict[str, Any], operands: List[str], indent: str) -> List[str]:
        """A box around what blocks, or warps, do."""
        body = operation["body"]
        self.count += 1
        inner = indent + "  "
        extents = ", ".join(f"{axis} = {extent}" for axis, extent in zip(_AXES, body["grid"]))
        what = ("grid" if body["level"] == "block" else "items") + f"({extents})"
        rest = [f"{body['threads']} threads" if body["level"] == "block" else "", f"loop {body['loop']}",
                f"{body['stages']} stages" if body.get("stages", 1) > 1 else "",
                f"cluster {body['cluster']}" if body.get("cluster") else ""]
        label = f"{body['level']}: {what}, {', '.join(filter(None, rest))}"
        self.lines.append(f"{indent}subgraph cluster_{self.count} {{")
        self.lines.append(f'{inner}label="{_escape(label)}"; labeljust=l; style="rounded,filled"; '
                          f'fillcolor="{_COLOURS[body["level"]]}"; fontname="Helvetica"; fontsize=10;')
        tiles = []
        for entry, cut in zip(body["inputs"], body["tileInputs"]):
            tiles.append(self.add_node(f"tile {_describe_type(entry['type'])}", inner, fillcolor="#f4f4f4"))
            self.add_edge(operands[len(tiles) - 1], tiles[-1], _describe_map(cut["grid"], cut["loop"]))
        outputs = self.add_graph(body, tiles, inner)
        self.lines.append(f"{indent}}}")
        results = []
        for output, joined, type_ in zip(outputs, body["tileOutputs"], operation["types"]):
            node = self.add_node(_describe_type(type_), indent, shape="ellipse")
            self.add_edge(output, node, _describe_map(joined["grid"]))
            results.append(node)
        return results

    def finish(self) -> str:
        return "\n".join([*self.lines, *self.edges, "}", ""])


def to_dot(described: str, title: str = "mirage") -> str:
    """The picture of a graph in the language of Graphviz.

    described   what `to_json` gives"""
    graph = json.loads(described)["graph"]
    drawing = _Drawing(title)
    inputs = [drawing.add_node(f"{entry['name']}\n{_describe_type(entry['type'])}", "  ", shape="ellipse",
                               fillcolor="#f4f4f4") for entry in graph["inputs"]]
    for number, output in enumerate(drawing.add_graph(graph, inputs, "  ")):
        node = drawing.add_node(f"output{number}", "  ", shape="ellipse", fillcolor="#e6f4e6")
        drawing.add_edge(output, node)
    return drawing.finish()


def draw(described: str, name: "str | os.PathLike[str]") -> str:
    """Writes the picture to a file: .svg (also where no ending is given), .png, .pdf or .dot. Returns
    its path."""
    path = to_path("the path of a file to draw into", name)
    kind = path.suffix[1:] or "svg"
    if kind not in _FORMATS:
        raise RunError(f"expects a file that ends in .{', .'.join(_FORMATS)}, got {path}")
    if not path.suffix:
        path = path.with_suffix(".svg")
    text = to_dot(described, path.stem)
    if kind == "dot":
        path.write_text(text)
        return str(path)
    program = shutil.which("dot")
    if program is None:
        raise RunError(f"expects Graphviz's dot on the PATH to draw {path}, got none; {path.stem}.dot can be written "
                       "without it")
    done = subprocess.run([program, f"-T{kind}", "-o", str(path)], input=text, capture_output=True, text=True)
    if done.returncode != 0:
        raise RunError(f"dot cannot draw {path}: {done.stderr.strip()}")
    return str(path)
