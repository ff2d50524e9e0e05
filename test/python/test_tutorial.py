"""The code of docs/Tutorial.md, in order, and of README.md's quick start."""

import pathlib
import re

import pytest

from conftest import needs_compiler

ROOT = pathlib.Path(__file__).parents[2]


def find_blocks(text):
    return re.findall(r"```python\n(.*?)```", text, re.S)


def find_promises(text):
    """What comments behind `print` say that it prints; its end may be left out."""
    return re.findall(r"print\(.*?\)\s+# (.*?)(?:, \.\.\.| \(no GPU: \.\.\.\))?\n", text)


def test_quick_start(capsys):
    block = find_blocks((ROOT / "README.md").read_text(encoding="utf-8"))[0]
    namespace = {}
    exec(compile(block, "README.md", "exec"), namespace)
    if namespace["optimized"].result.measured_us is not None:
        pytest.skip("has figures of machines without a GPU")
    (promised,) = find_promises(block)
    assert "times faster" in promised and promised in capsys.readouterr().out


def test_tutorial(monkeypatch, tmp_path, capsys):
    pytest.importorskip("torch")
    text = (ROOT / "docs" / "Tutorial.md").read_text(encoding="utf-8")
    blocks = find_blocks(text)
    assert len(blocks) >= 7
    monkeypatch.chdir(tmp_path)
    namespace = {}
    without = needs_compiler.args[0]
    for number, block in enumerate(blocks):
        if without and "inductor" in block:
            text = text.replace(block, "")
            continue
        exec(compile(block, f"Tutorial.md, block {number}", "exec"), namespace)
    printed = capsys.readouterr().out
    for promised in find_promises(text):
        assert promised in printed
    if without:
        pytest.skip(f"all but TorchInductor's part passed: {needs_compiler.kwargs['reason']}")
