"""The code of docs/Tutorial.md, in order."""

import pathlib
import re

import pytest

from conftest import needs_compiler

pytest.importorskip("torch")


def test_tutorial(monkeypatch, tmp_path, capsys):
    text = (pathlib.Path(__file__).parents[2] / "docs" / "Tutorial.md").read_text()
    blocks = re.findall(r"```python\n(.*?)```", text, re.S)
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
    for promised in re.findall(r"print\(.*?\)\s+# (.*?)(?:, \.\.\.)?\n", text):
        assert promised in printed
    if without:
        pytest.skip(f"all but TorchInductor's part passed: {needs_compiler.kwargs['reason']}")
