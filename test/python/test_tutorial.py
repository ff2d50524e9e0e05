"""The code of docs/Tutorial.md, in order."""

import pathlib
import re

import pytest

pytest.importorskip("torch")


def test_tutorial(monkeypatch, tmp_path, capsys):
    text = (pathlib.Path(__file__).parents[2] / "docs" / "Tutorial.md").read_text()
    blocks = re.findall(r"```python\n(.*?)```", text, re.S)
    assert len(blocks) >= 7
    monkeypatch.chdir(tmp_path)
    namespace = {}
    for number, block in enumerate(blocks):
        exec(compile(block, f"Tutorial.md, block {number}", "exec"), namespace)
    printed = capsys.readouterr().out
    for promised in re.findall(r"print\(.*?\)\s+# (.*?)(?:, \.\.\.)?\n", text):
        assert promised in printed
