"""Pictures: what is in them, and that Graphviz draws them."""

import json
import shutil
import xml.etree.ElementTree

import pytest

import mirage as mi
from mirage import visualizer
from test_block_graph import make_rms_linear


def test_levels_are_nested_boxes(tmp_path):
    path = make_rms_linear().visualize(tmp_path / "rms.dot")
    text = open(path).read()
    assert 'label="block: grid(x = 4, y = 1, z = 1), 128 threads, loop 16"' in text
    assert text.index("input1\\n") < text.index("subgraph cluster_") < text.index("accumulate rms over loop, dims [1]")
    assert text.index("output0") < text.index(" -> "), "edges would draw inputs and outputs into boxes"
    assert "input0\\n16×1024 f16" in text and 'label=" x → 1, loop → 0"' in text
    assert text.count("{") == text.count("}")


def test_results_of_a_search(graph, tmp_path):
    x = graph.new_input(dims=(16, 256))
    w = graph.new_input(dims=(256, 64))
    graph.matmul(graph.rms_norm(x), w)
    optimized = graph.superoptimize(max_states=5000)
    text = open(optimized.visualize(tmp_path / "found.dot")).read()
    assert "block: grid(" in text and "thread: items(" in text and "mma" in text
    # Places and layouts are those of the plan.
    (kernel,) = (kernel for function in json.loads(optimized.plan)["functions"] for kernel in function["kernels"])
    assert kernel["places"] and kernel["layouts"]
    for place in kernel["places"]:
        assert f"shared memory at {place['offsetBytes']}: " in text, place
    for step in kernel["steps"]:
        for fragment in step.get("fragments", []):
            assert f'tooltip="{kernel["layouts"][fragment["layout"]]}"' in text, fragment
    assert f"{kernel['blocksPerSM']} block" in text and f"{kernel['sharedBytes'] / 1024:g} KiB of shared" in text


@pytest.mark.skipif(shutil.which("dot") is None, reason="needs Graphviz")
def test_svg(tmp_path):
    path = make_rms_linear().visualize(str(tmp_path / "rms"))
    assert path.endswith("rms.svg")
    titles = [element.text for element in xml.etree.ElementTree.parse(path).iter() if element.tag.endswith("text")]
    assert any("matmul" in (title or "") for title in titles)


@pytest.mark.parametrize("name, expected", [
    ("a.b.dot", "a.b.dot"), ("A.DOT", "A.DOT"), (".dot", ".dot"), ("a b'{c}.dot", "a b'{c}.dot"),
    ("a.b", "a.b.svg"), ("v1.2.3", "v1.2.3.svg"), ("a.", "a..svg"), (".hidden", ".hidden.svg"), ("dot", "dot.svg")])
def test_names_keep_what_they_have(tmp_path, monkeypatch, name, expected):
    monkeypatch.setattr(visualizer, "_run_dot", lambda text, kind, path: kind.encode())
    path = make_rms_linear().visualize(tmp_path / name)
    assert path == str(tmp_path / expected) and [entry.name for entry in tmp_path.iterdir()] == [expected]


def test_no_names(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder.dot").mkdir()
    for name in ("", ".", "..", "folder.dot", "new/", "/"):
        with pytest.raises(mi.RunError, match="expects the path of a file to draw into, got "):
            make_rms_linear().visualize(name)
    with pytest.raises(mi.RunError, match="nowhere/a.dot cannot be written: .*No such file") as caught:
        make_rms_linear().visualize("nowhere/a.dot")
    assert isinstance(caught.value.__cause__, FileNotFoundError)


def test_mistakes(tmp_path, monkeypatch):
    graph = make_rms_linear()
    with pytest.raises(mi.RunError, match="expects a file that ends in .svg, .png, .pdf, .dot, got"):
        graph.visualize(tmp_path / "rms.bmp")
    with pytest.raises(mi.RunError, match=r"expects a file that ends in .*, got .*rms\.html; mirage\.report writes pages$"):
        graph.visualize(tmp_path / "rms.html")
    monkeypatch.setenv("PATH", "")
    with pytest.raises(mi.RunError, match="expects Graphviz's dot on the PATH"):
        graph.visualize(tmp_path / "rms.png")
