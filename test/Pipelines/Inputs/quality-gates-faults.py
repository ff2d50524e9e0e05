"""quality-gates-faults.py WORK NAME: plants what quality-gates.py is to find, each alone, in the PTX
of an artifact that it made in WORK/NAME, with the explanation WORK/NAME.json beside it."""
import importlib.util
import json
import os
import pathlib
import re
import sys

spec = importlib.util.spec_from_file_location(
    "gates", pathlib.Path(__file__).with_name("quality-gates.py"))
gates = importlib.util.module_from_spec(spec)
spec.loader.exec_module(gates)

work = pathlib.Path(sys.argv[1])
name = sys.argv[2]
[function] = json.loads((work / f"{name}.json").read_text())["functions"]
launches = json.loads((work / name / "manifest.json").read_text())["launches"]
ptx = (work / name / "kernels.ptx").read_text()


def count(text, kernels=function["kernels"]):
    return gates.count_scalar_accesses(text, launches, kernels)


def narrow(kernels):
    """The same kernels, of tensors that nobody can move in more than 2 bytes."""
    return [kernel | {"tensors": [tensor | {"widestAccessBytes": 2}
                                  for tensor in kernel["tensors"]]} for kernel in kernels]


print("as it is:", count(ptx))
store = re.search(r"st\.global\.v[24]\.b32\s+(\[[^]]*\]), \{(%r\d+)[^}]*\};", ptx)
for form in ("st.global.b16 {0}, %rs1;", "@%p1 st.global.u16 {0}, %rs1;", "ld.global.nc.b16 %rs1, {0};",
             "st.global.L1::no_allocate.b16 {0}, %rs1;"):
    planted = ptx.replace(store[0], form.format(store[1]))
    print(re.search(r"[ls][dt]\.\S*", form)[0], count(planted), "and where 2 bytes are right",
          count(planted, narrow(function["kernels"])))
print("two elements:", count(ptx.replace(store[0], f"st.global.v2.b16 {store[1]}, {{%rs1, %rs2}};")))
try:
    count(ptx.replace(store[0], "st.global.b16 [%rd999999], %rs1;"))
except gates.Failure as failure:
    print("failure:", failure)

ptxas = work / "ptxas"
ptxas.write_text("""#!/bin/sh
echo "ptxas info : Function properties for f" >&2
echo "    16 bytes stack frame, 8 bytes spill stores, 4 bytes spill loads" >&2
echo "ptxas info : (C7510) Potential Performance Loss: wgmma.mma_async instructions are serialized" >&2
""")
os.chmod(ptxas, 0o755)
print(gates.assemble(ptxas, work / name, "sm_90a"))
reads = {"sharedLoadWavefronts": 12, "sharedLoadBankConflicts": 4, "matrixRowWavefronts": 0, "matrixRowBankConflicts": 0}
hidden = {**reads, "sharedLoadWavefronts": 402, "matrixRowWavefronts": 6, "matrixRowBankConflicts": 2}
for operations in ("load, mma, accumulate", "matmul", "accumulate"):
    kernels = [{"steps": [{"operations": operations}]}]
    print(operations, gates.measure_operands(reads, kernels), gates.measure_operands(hidden, kernels))
for figures, exceptions in (({"traffic": 1.02}, {}), ({"traffic": 1.03}, {}),
                            ({"traffic": 1.03}, {"traffic": 1.03}),
                            ({"traffic": 1.03}, {"traffic": 1.04}),
                            ({"traffic": 1.01}, {"traffic": 1.01})):
    print(figures, exceptions, "->", gates.hold("f", figures, dict(exceptions)))
