"""The programs of the functions in an MLIR file, as mirage-opt records them: for scripts that
let mirage-run --device=reference compute them. mirage-opt is the one on the PATH."""
import json
import re
import subprocess


def read_programs(file, *passes):
    """Graphs as JSON by function name, after the passes given."""
    text = subprocess.run(["mirage-opt", file, *passes, "--mirage-record-program"],
                          check=True, capture_output=True, text=True).stdout
    recorded = re.findall(r'func\.func @(\w+)\(.*?mirage\.program = "((?:[^"\\]|\\.)*)"', text)
    return {name: json.loads(re.sub(r'\\([0-9A-F]{2})', lambda code: chr(int(code[1], 16)), graph))
            for name, graph in recorded}
